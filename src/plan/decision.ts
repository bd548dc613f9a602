import type { ReviewDecision } from '../session/events.ts'
import type { Session } from '../session/session.ts'
import type { PresentedReview } from './review.ts'

/**
 * Logs what was decided of a review. An approval also selects the silent exit, over any selection that waits; it takes
 * effect at the next step boundary.
 */
export function recordDecision(
  session: Session,
  review: PresentedReview,
  decision: ReviewDecision,
  feedback?: string,
): void {
  session.append('review/decided', {
    reviewId: review.reviewId,
    decision,
    planHash: review.planHash,
    ...(feedback === undefined ? {} : { feedback }),
  })
  if (decision === 'approved') session.append('plan/selected', { active: false, by: 'review' })
}
