import type { EventData, SessionEvent } from '../../session/events.ts'
import type { Projection } from '../../session/projections.ts'
import type { ApprovalChoice, PlanStep } from '../../session/reviews.ts'
import { type ReviewState, reviewProjection } from '../review.ts'

export type StepState = 'open' | 'running' | 'done' | 'skipped'

/** One step and what came of it. `changes` are seqs of the tool results that changed a file while it was running. */
export interface StepProgress extends PlanStep {
  readonly state: StepState
  readonly note: string | undefined
  readonly changes: readonly number[]
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
  readonly elsewhere: readonly number[]
  readonly closed: EventData<'plan/closed'>['as'] | undefined
}

export interface ApprovedPlanState {
  readonly plan: ApprovedPlan | undefined
  readonly reviews: ReviewState
}

/** The projection `approvedPlan`: the pinned plan, its steps and the files changed under each. */
export const approvedPlan: Projection<ApprovedPlanState> = {
  key: 'approvedPlan',
  version: 1,
  owner: 'Plan mode (installPlanMode)',
  initial: { plan: undefined, reviews: reviewProjection.initial },
  types: [
    ...(reviewProjection.types ?? []),
    'plan/adopted',
    'plan/steps',
    'plan/progress',
    'plan/closed',
    'tool/result',
  ],
  apply(state: ApprovedPlanState, event: SessionEvent): ApprovedPlanState {
    const reviews = reviewProjection.apply(state.reviews, event)
    const before = reviews === state.reviews ? state : { ...state, reviews }
    const plan = planAfter(before, event)
    return plan === before.plan ? before : { ...before, plan }
  },
}

/** The step at work, if any. */
export function runningStep({ steps }: ApprovedPlan): StepProgress | undefined {
  return steps.find(({ state }) => state === 'running')
}

function planAfter({ plan, reviews }: ApprovedPlanState, event: SessionEvent): ApprovedPlan | undefined {
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
      return plan && changed(plan, event)
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

function changed(plan: ApprovedPlan, event: SessionEvent<'tool/result'>): ApprovedPlan {
  if (plan.closed !== undefined || event.surfaceOp !== 'append' || pathChanged(event) === undefined) return plan
  const running = runningStep(plan)
  if (running === undefined) return { ...plan, elsewhere: [...plan.elsewhere, event.seq] }
  const changes = [...running.changes, event.seq]
  return { ...plan, steps: plan.steps.map(each => (each === running ? { ...each, changes } : each)) }
}

/** The workspace path that a successful edit changed; undefined for every other result. */
export function pathChanged({ data }: SessionEvent<'tool/result'>): string | undefined {
  const [part] = data.message.content
  const failed = part?.type === 'tool-result' && part.isError === true
  const { meta } = data
  if (failed || typeof meta !== 'object' || meta === null || !('path' in meta) || !('added' in meta)) return undefined
  return typeof meta.path === 'string' ? meta.path : undefined
}
