import { hashPlan } from '../../plan/present-plan.ts'
import { PlanModeError } from '../../session/errors.ts'
import type { FromReview } from '../../webview/review-messages.ts'
import type { Conversation } from '../conversations/conversation.ts'

type Decide = Extract<FromReview, { kind: 'decide' }>

/** Begins a conversation that has nothing but the approved plan of a review. */
export type CarryOut = (conversation: Conversation, reviewId: string) => Promise<void>

/**
 * Takes what a person decided in the panel: the verdict is bound to the review and the text that the page showed, says
 * what it was told to say, and what it has sent is forgotten only once it is durable. `gather` brings first what other
 * surfaces hold and have not said yet.
 * @throws PlanModeError as the desk does, and `PLAN_CHANGED` for edits that are not those that were shown.
 */
export async function decideReview(
  conversation: Pick<Conversation, 'review' | 'agent'> & { readonly project: Pick<Conversation['project'], 'desk'> },
  { reviewId, planHash, decision, feedback, said, editedHash, next }: Decide,
  gather: () => Promise<void> = async () => {},
): Promise<void> {
  const { review, agent, project } = conversation
  await gather()
  const says = decision === 'kept' || said === true
  const { edited } = review
  if (said === true && editedHash !== (edited === undefined ? undefined : hashPlan(edited))) {
    throw new PlanModeError(
      'PLAN_CHANGED',
      'Your edits changed since they were shown. Nothing was decided; look at them and decide again.',
    )
  }
  if (says && feedback.trim() !== review.draft.notes.trim()) review.setNotes(feedback)
  const built = review.verdict(decision, { without: !says, ...(next && { next }) })
  await review.deliver({ ...built, reviewId, planHash }, verdict => project.desk.decide(agent, verdict))
}
