import type { EventData, SessionEvent } from '../../session/events.ts'
import type { Projection } from '../../session/projections.ts'
import type { ApprovalChoice, PlanStep } from '../../session/reviews.ts'
import { type ReviewState, reviewProjection } from '../review.ts'
import { type ChangeRef, changesOf } from './file-changes.ts'

export type StepState = 'open' | 'running' | 'done' | 'skipped'

/** One step and what came of it; `changes` were made while it was running. */
export interface StepProgress extends PlanStep {
  readonly state: StepState
  readonly note: string | undefined
  readonly changes: readonly ChangeRef[]
}

/**
 * The plan approved or adopted last. `textSeq` is the seq of the event that holds the approved text, with the human's
 * edits, for `planText`; `elsewhere` are changes made while no step was running.
 */
export interface ApprovedPlan {
  readonly planHash: string
  readonly reviewId: string
  readonly textSeq: number
  readonly next: ApprovalChoice
  readonly steps: readonly StepProgress[]
  readonly elsewhere: readonly ChangeRef[]
  readonly closed: EventData<'plan/closed'>['as'] | undefined
}

/** `inner`: calls of the program at work that have settled, with the step (or null) that was running then. */
export interface ApprovedPlanState {
  readonly plan: ApprovedPlan | undefined
  readonly reviews: ReviewState
  readonly inner: Readonly<Record<string, string | null>>
}

/** The projection `approvedPlan`: the pinned plan, its steps and the files changed under each. */
export const approvedPlan: Projection<ApprovedPlanState> = {
  key: 'approvedPlan',
  version: 2,
  owner: 'Plan mode (installPlanMode)',
  initial: { plan: undefined, reviews: reviewProjection.initial, inner: {} },
  types: [
    'tool/call',
    'tool/code-dispatch-start',
    'review/presented',
    'review/decided',
    'plan/adopted',
    'plan/steps',
    'plan/progress',
    'plan/closed',
    'tool/code-dispatch',
    'tool/result',
  ],
  apply(state: ApprovedPlanState, event: SessionEvent): ApprovedPlanState {
    switch (event.type) {
      case 'tool/call':
      case 'tool/code-dispatch-start':
      case 'review/presented':
        return reviewed(state, event)
      case 'review/decided':
        return followed(reviewed(state, event), event)
      case 'plan/adopted':
        return followed(state, event)
      case 'plan/steps':
      case 'plan/progress':
      case 'plan/closed':
      case 'tool/code-dispatch':
      case 'tool/result':
        return state.plan === undefined ? state : followed(state, event)
      default:
        return state
    }
  },
}

function reviewed(state: ApprovedPlanState, event: SessionEvent): ApprovedPlanState {
  const reviews = reviewProjection.apply(state.reviews, event)
  return reviews === state.reviews ? state : { ...state, reviews }
}

function followed(before: ApprovedPlanState, event: SessionEvent): ApprovedPlanState {
  const plan = planAfter(before, event)
  const inner = innerAfter(before, event)
  return plan === before.plan && inner === before.inner ? before : { ...before, plan, inner }
}

/** Whether the plan is being carried out in this session: not closed, and neither moved to another nor saved for later. */
export function isCarriedOutHere({ next, closed }: ApprovedPlan): boolean {
  return next === 'start' && closed === undefined
}

/** The step at work, if any. */
export function runningStep({ steps }: ApprovedPlan): StepProgress | undefined {
  return steps.find(({ state }) => state === 'running')
}

function planAfter({ plan, reviews, inner }: ApprovedPlanState, event: SessionEvent): ApprovedPlan | undefined {
  switch (event.type) {
    case 'review/decided':
      return event.data.decision === 'approved' ? approvedBy(event, reviews) : plan
    case 'plan/adopted': {
      const { planHash, from } = event.data
      return { ...unstarted, planHash, reviewId: from.reviewId, textSeq: event.seq, next: 'start' }
    }
    case 'plan/steps':
      if (plan?.planHash !== event.data.planHash) return plan
      return {
        ...plan,
        steps: event.data.steps.map(step => ({ ...step, state: 'open', note: undefined, changes: [] })),
      }
    case 'plan/progress':
      return plan && progressed(plan, event.data)
    case 'plan/closed':
      return plan?.planHash === event.data.planHash ? { ...plan, closed: event.data.as } : plan
    case 'tool/result':
      return plan && changed(plan, event, inner)
    default:
      return plan
  }
}

const unstarted = { steps: [], elsewhere: [], closed: undefined } as const

function approvedBy({ data, seq }: SessionEvent<'review/decided'>, { decided }: ReviewState): ApprovedPlan | undefined {
  if (decided?.reviewId !== data.reviewId || decided.seq !== seq) return undefined
  const { edited, planHash, reviewId, next = 'start' } = data
  return {
    ...unstarted,
    planHash: edited?.planHash ?? planHash,
    reviewId,
    textSeq: edited === undefined ? decided.textSeq : seq,
    next,
  }
}

/** One step runs at a time: what ran before and was not said to be done is open again. */
function progressed(plan: ApprovedPlan, { step, state, note }: EventData<'plan/progress'>): ApprovedPlan {
  if (!plan.steps.some(({ id }) => id === step)) return plan
  const steps = plan.steps.map(each => {
    if (each.id === step) return { ...each, state, note }
    return state === 'running' && each.state === 'running' ? { ...each, state: 'open' as const } : each
  })
  return { ...plan, steps }
}

/** What a program's result will tell of its calls belongs to the step that was running when each of them ended. */
function innerAfter({ plan, inner }: ApprovedPlanState, { type, data }: SessionEvent): ApprovedPlanState['inner'] {
  if (plan === undefined || plan.closed !== undefined) return inner
  if (type === 'tool/code-dispatch') return { ...inner, [data.subCallId]: runningStep(plan)?.id ?? null }
  return type === 'tool/result' && Object.keys(inner).length > 0 ? {} : inner
}

function changed(
  plan: ApprovedPlan,
  event: SessionEvent<'tool/result'>,
  inner: ApprovedPlanState['inner'],
): ApprovedPlan {
  if (plan.closed !== undefined) return plan
  const running = runningStep(plan)?.id ?? null
  return changesOf(event).reduce((each, { ref }) => {
    const step = ref.callId === undefined ? running : (inner[ref.callId] ?? null)
    return attributed(each, step, ref)
  }, plan)
}

function attributed(plan: ApprovedPlan, step: string | null, ref: ChangeRef): ApprovedPlan {
  if (!plan.steps.some(({ id }) => id === step)) return { ...plan, elsewhere: [...plan.elsewhere, ref] }
  const steps = plan.steps.map(each => (each.id === step ? { ...each, changes: [...each.changes, ref] } : each))
  return { ...plan, steps }
}
