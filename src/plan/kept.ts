import type { KeptText, KeptTexts } from '../agent/runtime.ts'
import type { SessionEvent } from '../session/events.ts'
import type { Projection } from '../session/projections.ts'
import type { Session } from '../session/session.ts'
import { type PresentedReview, planText, type ReviewState, reviewProjection } from './review.ts'
import { planTold, toldText } from './told.ts'
import { APPROVED_TITLE, WAITING_TITLE } from './words.ts'

/** Where the exact text of a plan is in the log, for `planText`. */
type PlanPlace = Pick<PresentedReview, 'reviewId' | 'textSeq'>

/** Plans whose exact text the model must not lose. `review` is the fold that this one goes along with. */
export interface KeptPlans {
  /** Approved or adopted, until the next one is, or until plan mode is entered again. */
  readonly approved: PlanPlace | null
  readonly review: ReviewState
}

export const keptPlans: Projection<KeptPlans> = {
  key: 'keptPlans',
  version: 2,
  owner: 'Plan mode (installPlanMode)',
  initial: { approved: null, review: reviewProjection.initial },
  types: ['tool/call', 'tool/code-dispatch-start', 'review/presented', 'review/decided', 'plan/adopted', 'plan/mode'],
  apply(state: KeptPlans, event: SessionEvent): KeptPlans {
    switch (event.type) {
      case 'plan/mode':
        return event.data.active && state.approved ? { ...state, approved: null } : state
      case 'plan/adopted':
        return { ...state, approved: { reviewId: event.data.from.reviewId, textSeq: event.seq } }
      case 'tool/call':
      case 'tool/code-dispatch-start':
      case 'review/presented':
      case 'review/decided':
        return reviewed(state, event)
      default:
        return state
    }
  },
}

function reviewed(state: KeptPlans, event: SessionEvent): KeptPlans {
  const review = reviewProjection.apply(state.review, event)
  if (review === state.review) return state
  return { approved: approvedBy(event, state.review.waiting) ?? state.approved, review }
}

function approvedBy(event: SessionEvent, waiting: PresentedReview | null): PlanPlace | undefined {
  if (event.type !== 'review/decided' || event.data.decision !== 'approved' || waiting === null) return undefined
  return { reviewId: waiting.reviewId, textSeq: event.data.edited === undefined ? waiting.textSeq : event.seq }
}

/**
 * What a compaction carries for plan mode: what the model was told of the mode, the approved plan and the waiting one,
 * each only if the message that holds it goes.
 */
export const planKept: KeptTexts = ({ session }, stays) => {
  const { approved, review } = session.state(keptPlans)
  return [
    ...toldText(session.state(planTold), stays),
    ...planKeptAs(APPROVED_TITLE, session, approved, stays),
    ...planKeptAs(WAITING_TITLE, session, review.waiting, stays),
  ]
}

function planKeptAs(
  title: string,
  session: Session,
  plan: PlanPlace | null,
  stays: (seq: number) => boolean,
): readonly KeptText[] {
  return plan === null || stays(messageWith(session, plan)) ? [] : [{ title, text: planText(session, plan) }]
}

/** Seq of the message that holds the whole text; -1 when none does, as after edits or of a plan that a program made. */
function messageWith(session: Session, { textSeq }: PlanPlace): number {
  const event = session.at(textSeq)
  switch (event.type) {
    case 'tool/call':
      return answerWith(session, textSeq, event.data.callId)
    case 'plan/adopted':
      return firstMessageAfter(session, textSeq)
    default:
      return -1
  }
}

function answerWith(session: Session, before: number, callId: string): number {
  for (let seq = before - 1; seq >= 0; seq--) {
    const event = session.at(seq)
    if (event.type !== 'assistant/message') continue
    if (event.data.message.content.some(block => block.type === 'tool-call' && block.id === callId)) return seq
  }
  return -1
}

function firstMessageAfter(session: Session, after: number): number {
  for (const event of session.from(after + 1)) if (event.type === 'user/message') return event.seq
  return -1
}
