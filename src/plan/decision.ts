import type { EventData, ReviewDecision } from '../session/events.ts'
import type { Session } from '../session/session.ts'
import { turnBoundary } from '../session/turns.ts'
import type { ReviewAside } from './aside.ts'
import { type PresentedReview, planText } from './review.ts'
import { parseSteps } from './steps/parse-steps.ts'

/** What goes with a decision: the feedback that the model gets, and what was said beside the verdict. */
export interface DecisionWords {
  readonly feedback?: string | undefined
  readonly aside?: ReviewAside | undefined
}

/**
 * Logs what was decided of a review. An approval also selects the silent exit, over any selection that waits (at
 * the next step boundary, or at once where no turn is open), and logs the steps of the approved text.
 */
export function recordDecision(
  session: Session,
  review: PresentedReview,
  decision: ReviewDecision,
  { feedback, aside = {} }: DecisionWords = {},
): void {
  const { remarks = [], edited, notes, next } = aside
  session.append('review/decided', {
    reviewId: review.reviewId,
    decision,
    planHash: review.planHash,
    ...(feedback === undefined ? {} : { feedback }),
    ...(remarks.length === 0 ? {} : { remarks: [...remarks] }),
    ...(edited === undefined ? {} : { edited }),
    ...(notes === undefined ? {} : { notes }),
    ...(next === undefined ? {} : { next }),
  })
  if (decision !== 'approved') return
  const steps = stepsOf(session, review, edited)
  if (endsTurn(next) && !session.state(turnBoundary).turnOpen) session.append('plan/mode', { active: false })
  else session.append('plan/selected', { active: false, by: 'review' })
  session.append('plan/steps', steps)
}

/** Whether an approval of this kind is not carried out in the turn that presented the plan. */
export function endsTurn(next: ReviewAside['next'] | null): boolean {
  return next === 'fresh' || next === 'save'
}

function stepsOf(session: Session, review: PresentedReview, edited: ReviewAside['edited']): EventData<'plan/steps'> {
  const { planHash, plan } = edited ?? { planHash: review.planHash, plan: planText(session, review) }
  return { planHash, steps: [...parseSteps(plan)] }
}
