// What the review panel knows, as one value, and how each message and act changes it.
import type { ChangesView, FromReview, ReachView, ReviewView, ToReview } from '../messages.ts'
import { decided, words } from './words.ts'

export type Decision = Extract<FromReview, { kind: 'decide' }>['decision']

/** A question asked in the footer before a decision is sent. */
export type Question = 'approve' | 'approve-with-text' | 'dismiss-with-text' | 'keep-empty'

export interface ReviewModel {
  readonly review: ReviewView | null
  /** Why there is nothing to review. */
  readonly empty: string | null
  readonly feedback: string
  /** When it was typed or kept, epoch milliseconds. */
  readonly feedbackAt: number
  readonly question: Question | null
  /** The decision on its way to the host. */
  readonly sending: Decision | null
  /** Why the last decision could not be taken. */
  readonly refused: string | null
  /** What of the plan is in the workspace, and what changed in it, once the host has said so. */
  readonly reach: ReachView | null
  readonly changes: ChangesView | null
  /** The plan that the model is writing; it cannot be decided. */
  readonly writing: string | null
  /** The last thing a screen reader should hear. */
  readonly announcement: string
}

export const emptyModel: ReviewModel = {
  review: null,
  empty: null,
  feedback: '',
  feedbackAt: 0,
  question: null,
  sending: null,
  refused: null,
  reach: null,
  changes: null,
  writing: null,
  announcement: '',
}

/** Folds a message of the host in. Typed feedback is dropped only where it was sent. */
export function receive(model: ReviewModel, message: ToReview): ReviewModel {
  switch (message.kind) {
    case 'review':
      return withReview(model, message.review)
    case 'draft':
      return message.reviewId === model.review?.reviewId && isLater(message, model)
        ? { ...model, feedback: message.text, feedbackAt: message.at ?? 0 }
        : model
    case 'refused':
      return message.reviewId === model.review?.reviewId
        ? { ...model, sending: null, refused: message.text, question: null }
        : model
    case 'reach':
      return message.reviewId === model.review?.reviewId ? { ...model, reach: message.reach } : model
    case 'changes':
      return message.reviewId === model.review?.reviewId ? { ...model, changes: message.changes } : model
    case 'writing':
      return { ...model, writing: message.text }
    case 'empty':
      return { ...model, review: null, empty: message.text, sending: null, question: null, refused: null }
  }
}

/** An empty box takes any draft; what was typed gives way only to what was kept later. */
function isLater(
  { text, at = 0 }: { readonly text: string; readonly at?: number | undefined },
  model: ReviewModel,
): boolean {
  return text !== '' && (model.feedback === '' || at > model.feedbackAt)
}

function withReview(model: ReviewModel, review: ReviewView): ReviewModel {
  const before = model.review
  const sameText = before?.reviewId === review.reviewId && before.planHash === review.planHash
  const answered = review.state !== 'waiting'
  const feedbackSent = sameText && review.state === 'kept' && before.state === 'waiting' && model.sending === 'kept'
  return {
    ...model,
    review,
    empty: null,
    reach: sameText ? model.reach : null,
    changes: sameText ? model.changes : null,
    feedback: feedbackSent ? '' : model.feedback,
    sending: sameText && !answered ? model.sending : null,
    question: sameText && !answered ? model.question : null,
    refused: sameText && !answered ? model.refused : null,
    announcement: announcement(before, review, sameText) ?? model.announcement,
  }
}

function announcement(before: ReviewView | null, review: ReviewView, sameText: boolean): string | undefined {
  if (before === null) return undefined
  if (review.state === 'waiting') return sameText ? undefined : words.revisionArrived(review.revision)
  return before.state === review.state && sameText ? undefined : decided[review.state]
}
