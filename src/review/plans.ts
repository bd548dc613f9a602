import { z } from 'zod'
import { planIn, planTitle } from '../plan/review.ts'
import type { EventData, SessionEvent } from '../session/events.ts'
import type { Projection } from '../session/projections.ts'

/**
 * Where one plan of a session stands. `revising`: sent back or talked about, not decided. `moved`: approved and carried
 * out in another conversation. `at` is the time of the last change (epoch ms); `done` and `steps` count steps.
 */
const planEntry = z.strictObject({
  reviewId: z.string(),
  title: z.string(),
  state: z.enum(['waiting', 'revising', 'approved', 'progress', 'done', 'saved', 'dropped', 'moved']),
  revision: z.int(),
  at: z.number(),
  steps: z.record(z.string(), z.enum(['open', 'running', 'done', 'skipped'])),
})
export type PlanEntry = z.infer<typeof planEntry>

const plansState = z.strictObject({
  call: z.strictObject({ callId: z.string(), title: z.string() }).nullable(),
  plans: z.array(planEntry),
})
export type PlansState = z.infer<typeof plansState>

/** The projection `plans`: every plan of a session with where it stands, the oldest first. Small enough to be stored. */
export const plansProjection: Projection<PlansState> = {
  key: 'plans',
  version: 1,
  owner: 'the review of a window',
  initial: { call: null, plans: [] },
  stored: plansState,
  types: [
    'tool/call',
    'review/presented',
    'review/decided',
    'plan/adopted',
    'plan/steps',
    'plan/progress',
    'plan/closed',
  ],
  apply(state: PlansState, event: SessionEvent): PlansState {
    switch (event.type) {
      case 'tool/call': {
        const plan = planIn(event)
        return plan === undefined ? state : { ...state, call: { callId: event.data.callId, title: planTitle(plan) } }
      }
      case 'review/presented':
        return presented(state, event)
      case 'review/decided':
        return changed(state, ({ reviewId }) => reviewId === event.data.reviewId, {
          state: stateAfter(event.data),
          at: event.time,
        })
      case 'plan/adopted': {
        const title = planTitle(event.data.plan)
        const entry = { reviewId: event.data.from.reviewId, title, revision: 1, at: event.time, steps: {} }
        return { ...state, plans: [...state.plans, { ...entry, state: 'approved' }] }
      }
      case 'plan/steps':
        return changed(state, isLast, { steps: Object.fromEntries(event.data.steps.map(({ id }) => [id, 'open'])) })
      case 'plan/progress':
        return progressed(state, event)
      case 'plan/closed':
        return changed(state, isLast, { state: event.data.as, at: event.time })
      default:
        return state
    }
  },
}

type Which = (entry: PlanEntry, index: number, all: readonly PlanEntry[]) => boolean

const isLast: Which = (_, index, all) => index === all.length - 1

function changed(state: PlansState, which: Which, change: Partial<PlanEntry>): PlansState {
  if (!state.plans.some(which)) return state
  return {
    ...state,
    plans: state.plans.map((entry, ...rest) => (which(entry, ...rest) ? { ...entry, ...change } : entry)),
  }
}

/** A plan presented while the one before is undecided is its next revision. */
function presented(state: PlansState, event: SessionEvent<'review/presented'>): PlansState {
  const { reviewId, callId, plan } = event.data
  const ofCall = state.call?.callId === callId ? state.call.title : undefined
  const title = plan === undefined ? ofCall : planTitle(plan)
  if (title === undefined) return state
  const fresh = { reviewId, title, state: 'waiting', at: event.time } as const
  const last = state.plans.at(-1)
  if (last?.state === 'waiting' || last?.state === 'revising') {
    return changed(state, isLast, { ...fresh, revision: last.revision + 1 })
  }
  return { ...state, plans: [...state.plans, { ...fresh, revision: 1, steps: {} }] }
}

function stateAfter({ decision, next }: EventData<'review/decided'>): PlanEntry['state'] {
  switch (decision) {
    case 'approved':
      return next === 'save' ? 'saved' : next === 'fresh' ? 'moved' : 'approved'
    case 'kept':
    case 'dismissed':
    case 'superseded':
      return 'revising'
    case 'withdrawn':
      return 'dropped'
  }
}

function progressed(state: PlansState, { data, time }: SessionEvent<'plan/progress'>): PlansState {
  const last = state.plans.at(-1)
  if (last === undefined || !(data.step in last.steps)) return state
  const steps = { ...last.steps, [data.step]: data.state }
  const over = Object.values(steps).every(each => each === 'done' || each === 'skipped')
  return changed(state, isLast, { steps, state: over ? 'done' : 'progress', at: time })
}
