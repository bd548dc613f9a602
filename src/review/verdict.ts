import { hashPlan } from '../plan/present-plan.ts'
import type { ApprovalChoice } from '../session/reviews.ts'
import { approvalText, feedbackText, type Said } from './feedback.ts'
import type { Verdict } from './review-desk.ts'

interface Shown {
  readonly reviewId: string
  readonly planHash: string
  /** The exact text that is shown. */
  readonly plan: string
}

/**
 * What a human decided and said, as the desk takes it: the text that the model gets, and beside it the same as data for
 * the log. A dismissal says nothing; what was typed stays unsent.
 */
export function verdictOf(
  { reviewId, planHash, plan }: Shown,
  decision: Verdict['decision'],
  said: Said,
  next?: ApprovalChoice,
): Verdict {
  const base = { reviewId, planHash, decision }
  if (decision === 'dismissed') return base
  const aside = asideOf(plan, said)
  if (decision === 'approved') {
    const relay = approvalText(plan, said)
    return { ...base, aside: { ...aside, ...(next && { next }), ...(relay === undefined ? {} : { relay }) } }
  }
  const feedback = feedbackText(plan, said)
  return { ...base, aside, ...(feedback === undefined ? {} : { feedback }) }
}

function asideOf(plan: string, { remarks, edited = plan, notes = '' }: Said): NonNullable<Verdict['aside']> {
  return {
    ...(remarks.length === 0 ? {} : { remarks: [...remarks] }),
    ...(edited === plan ? {} : { edited: { plan: edited, planHash: hashPlan(edited) } }),
    ...(notes.trim() === '' ? {} : { notes: notes.trim() }),
  }
}
