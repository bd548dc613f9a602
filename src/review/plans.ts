import { z } from 'zod'
import { planIn, planTitle } from '../plan/review.ts'
import type { EventData, SessionEvent } from '../session/events.ts'
import type { Projection } from '../session/projections.ts'

/**
 * Where one plan of a session stands. `revising`: sent back or talked about, not decided. `moved`: approved to be carried
 * out in another conversation, whether or not one has taken it up. `planHash` is that of the text that counts, `from`
 * where an adopted plan was approved, `at` the time of the last change (epoch ms), `steps` the state of each step.
 */
const planEntry = z.strictObject({
  reviewId: z.string(),
  planHash: z.string(),
  from: z.strictObject({ sessionId: z.string(), reviewId: z.string() }).nullable(),
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
  version: 2,
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
        return decided(state, event)
      case 'plan/adopted':
        return adopted(state, event)
      case 'plan/steps': {
        const { planHash, steps } = event.data
        return changed(state, planHash, { steps: Object.fromEntries(steps.map(({ id }) => [id, 'open'])) })
      }
      case 'plan/progress':
        return progressed(state, event)
      case 'plan/closed':
        return changed(state, event.data.planHash, { state: event.data.as, at: event.time })
      default:
        return state
    }
  },
}

/** Changes the newest plan with this text. */
function changed(state: PlansState, planHash: string, change: Partial<PlanEntry>): PlansState {
  return at(
    state,
    state.plans.findLastIndex(each => each.planHash === planHash),
    change,
  )
}

function at(state: PlansState, index: number, change: Partial<PlanEntry>): PlansState {
  const entry = state.plans[index]
  return entry === undefined ? state : { ...state, plans: state.plans.with(index, { ...entry, ...change }) }
}

/** A plan presented while the one before is undecided is its next revision. */
function presented(state: PlansState, event: SessionEvent<'review/presented'>): PlansState {
  const { reviewId, callId, planHash, plan } = event.data
  const ofCall = state.call?.callId === callId ? state.call.title : undefined
  const title = plan === undefined ? ofCall : planTitle(plan)
  if (title === undefined) return state
  const fresh = { reviewId, planHash, from: null, title, state: 'waiting', at: event.time } as const
  const last = state.plans.at(-1)
  if (last?.state === 'waiting' || last?.state === 'revising') {
    return at(state, state.plans.length - 1, { ...fresh, revision: last.revision + 1 })
  }
  return { ...state, plans: [...state.plans, { ...fresh, revision: 1, steps: {} }] }
}

/** A review is decided once; whoever edited the plan approved the edited text. */
function decided(state: PlansState, { data, time }: SessionEvent<'review/decided'>): PlansState {
  const index = state.plans.findLastIndex(
    ({ reviewId, state: before }) => reviewId === data.reviewId && before === 'waiting',
  )
  const approved = data.decision === 'approved' && data.edited !== undefined ? data.edited : undefined
  const text = approved && { planHash: approved.planHash, title: planTitle(approved.plan) }
  return at(state, index, { state: stateAfter(data), at: time, ...text })
}

/** A saved plan of this session is begun; any other comes from elsewhere. */
function adopted(state: PlansState, { data, time }: SessionEvent<'plan/adopted'>): PlansState {
  const { from, plan, planHash } = data
  const title = planTitle(plan)
  const index = state.plans.findLastIndex(({ reviewId, state: before }) => {
    return reviewId === from.reviewId && (before === 'saved' || before === 'moved')
  })
  if (index >= 0) return at(state, index, { planHash, title, state: 'approved', at: time })
  const entry = { reviewId: from.reviewId, planHash, from, title, revision: 1, at: time, steps: {} }
  return { ...state, plans: [...state.plans, { ...entry, state: 'approved' }] }
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

/** What the agent reports is about the plan that is carried out: the newest approved one. */
function progressed(state: PlansState, { data, time }: SessionEvent<'plan/progress'>): PlansState {
  const index = state.plans.findLastIndex(
    ({ state: each }) => each === 'approved' || each === 'progress' || each === 'done',
  )
  const entry = state.plans[index]
  if (entry === undefined || !(data.step in entry.steps)) return state
  const steps = { ...entry.steps, [data.step]: data.state }
  const over = Object.values(steps).every(each => each === 'done' || each === 'skipped')
  return at(state, index, { steps, state: over ? 'done' : 'progress', at: time })
}
