import { type PresentedReview, planText, planTitle, reviewProjection } from '../../plan/review.ts'
import type { ReviewState, ReviewView } from '../../webview/messages.ts'
import type { Conversation } from '../conversations/conversation.ts'

/** The review a panel draws: the waiting one, else the one decided last; undefined when no plan was presented. */
export function reviewView(conversation: Conversation, carriedOutWith: string): ReviewView | undefined {
  const { waiting, decided, presented } = conversation.session.state(reviewProjection)
  if (waiting !== null) return view(conversation, waiting, presented, 'waiting', null, carriedOutWith)
  if (decided === null) return undefined
  return view(conversation, decided, presented, decided.decision, decided.feedback, carriedOutWith)
}

function view(
  conversation: Conversation,
  review: PresentedReview,
  revisions: number,
  state: ReviewState,
  feedback: string | null,
  carriedOutWith: string,
): ReviewView {
  const markdown = planText(conversation.session, review)
  return {
    reviewId: review.reviewId,
    sessionId: conversation.id,
    conversation: conversation.title,
    title: planTitle(markdown),
    markdown,
    planHash: review.planHash,
    revision: review.revision,
    revisions,
    state,
    feedback,
    mode: conversation.mode,
    live: conversation.project.desk.isLive(conversation.agent),
    readOnly: conversation.readOnly ?? null,
    continueHere: conversation.writtenElsewhere,
    carriedOutWith,
  }
}
