import type { KeptText, KeptTexts } from '../agent/runtime.ts'
import type { SessionEvent } from '../session/events.ts'
import type { Projection } from '../session/projections.ts'
import type { Session } from '../session/session.ts'
import { type PresentedReview, planText, type ReviewState, reviewProjection } from './review.ts'
import { planTold, toldText } from './told.ts'
import { APPROVED_TITLE, WAITING_TITLE } from './words.ts'

/** Plans whose exact text the model must not lose. `review` is the fold that this one goes along with. */
export interface KeptPlans {
  /** Approved, until the next approval or until plan mode is entered again. */
  readonly approved: PresentedReview | null
  readonly review: ReviewState
}

export const keptPlans: Projection<KeptPlans> = {
  key: 'keptPlans',
  version: 1,
  initial: { approved: null, review: reviewProjection.initial },
  types: [...(reviewProjection.types ?? []), 'plan/mode'],
  apply(state: KeptPlans, event: SessionEvent): KeptPlans {
    if (event.type === 'plan/mode') return event.data.active && state.approved ? { ...state, approved: null } : state
    const review = reviewProjection.apply(state.review, event)
    if (review === state.review) return state
    const approved = event.type === 'review/decided' && event.data.decision === 'approved'
    return { approved: approved ? state.review.waiting : state.approved, review }
  },
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
  review: PresentedReview | null,
  stays: (seq: number) => boolean,
): readonly KeptText[] {
  return review === null || stays(announcedAt(session, review)) ? [] : [{ title, text: planText(session, review) }]
}

/** Seq of the answer that holds the presenting call; -1 for a program's call, whose text stands in no message. */
function announcedAt(session: Session, { callId, callSeq }: PresentedReview): number {
  if (session.at(callSeq).type !== 'tool/call') return -1
  for (let seq = callSeq - 1; seq >= 0; seq--) {
    const event = session.at(seq)
    if (event.type !== 'assistant/message') continue
    if (event.data.message.content.some(block => block.type === 'tool-call' && block.id === callId)) return seq
  }
  return -1
}
