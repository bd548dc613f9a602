import type { PlanEntry, PlansState } from './plans.ts'

/** What the listing knows of one session. */
export interface SessionPlans {
  readonly sessionId: string
  readonly conversation: string
  /** The session that this one is a fork of. */
  readonly parent?: string | undefined
  readonly plans: PlansState['plans']
}

/** A plan of the workspace; `start`: it is approved and no conversation carries it out yet. `done` counts steps. */
export interface ListedPlan {
  readonly sessionId: string
  readonly conversation: string
  readonly reviewId: string
  readonly planHash: string
  readonly title: string
  readonly revision: number
  readonly state: Exclude<PlanEntry['state'], 'moved'>
  readonly start: boolean
  readonly at: number
  readonly done: number
  readonly steps: number
}

const order: readonly ListedPlan['state'][] = [
  'waiting',
  'revising',
  'progress',
  'approved',
  'saved',
  'done',
  'dropped',
]

/**
 * Every plan of some sessions, those that wait for a human first, then by state, the newest first. A plan that another
 * session has adopted is listed there alone; one that was to be carried out elsewhere and was not taken up stays
 * approved. What a fork has inherited and not changed is its parent's.
 */
export function listPlans(sessions: readonly SessionPlans[]): readonly ListedPlan[] {
  const adopted = new Set(sessions.flatMap(({ plans }) => plans.flatMap(({ from }) => (from ? [keyOf(from)] : []))))
  const standing = new Map(sessions.map(({ sessionId, plans }) => [sessionId, plans]))
  return sessions
    .flatMap(session => {
      const inherited = standing.get(session.parent ?? '') ?? []
      return session.plans
        .filter(plan => !inherited.some(each => each.reviewId === plan.reviewId && each.at >= plan.at))
        .filter(plan => !isOpen(plan) || !adopted.has(keyOf({ sessionId: session.sessionId, ...plan })))
        .map(plan => listed(session, plan))
    })
    .sort((a, b) => order.indexOf(a.state) - order.indexOf(b.state) || b.at - a.at)
}

/** How many plans wait for a human. */
export function waitingCount(plans: readonly ListedPlan[]): number {
  return plans.filter(({ state }) => state === 'waiting').length
}

function listed({ sessionId, conversation }: SessionPlans, plan: PlanEntry): ListedPlan {
  const { reviewId, planHash, title, revision, state, at, steps } = plan
  const over = Object.values(steps).filter(each => each === 'done' || each === 'skipped').length
  return {
    sessionId,
    conversation,
    reviewId,
    planHash,
    title,
    revision,
    state: state === 'moved' ? 'approved' : state,
    start: isOpen(plan),
    at,
    done: over,
    steps: Object.keys(steps).length,
  }
}

/** Approved, and not begun in its own session. */
function isOpen({ state }: PlanEntry): boolean {
  return state === 'moved' || state === 'saved'
}

function keyOf({ sessionId, reviewId }: { readonly sessionId: string; readonly reviewId: string }): string {
  return `${sessionId}\n${reviewId}`
}
