// What the review panel knows, as one value, and how each message and act changes it.
import type { ChangesView, FromReview, ReachView, RemarkView, ReviewView, ToReview } from '../review-messages.ts'
import type { Pictures } from './diagrams.ts'
import { decided, words } from './words.ts'

type Decide = Extract<FromReview, { kind: 'decide' }>
export type Decision = Decide['decision']
/** How an approved plan goes on; undefined: now, in this conversation. */
export type Next = Decide['next']

/** A question asked in the footer before a decision is sent. */
export type Question = 'approve' | 'approve-with-text' | 'dismiss-with-text' | 'keep-empty'

export interface ReviewModel {
  readonly review: ReviewView | null
  /** Why there is nothing to review. */
  readonly empty: string | null
  readonly feedback: string
  /** When it was typed or kept, epoch milliseconds. */
  readonly feedbackAt: number
  /** Whether it was typed and the host has not said yet that it is kept. */
  readonly unkept: boolean
  readonly remarks: readonly RemarkView[]
  readonly editedHash: string | null
  /** The remark that is looked at. */
  readonly active: string
  /** Whether the remarks are open where they are a drawer. */
  readonly drawer: boolean
  readonly question: Question | null
  /** What the question, or the decision on its way, would do next. */
  readonly next: Next
  /** Whether the menu of the ways to approve is open. */
  readonly menu: boolean
  /** The decision on its way to the host, and whether it takes along what is unsent. */
  readonly sending: Decision | null
  readonly saying: boolean
  /** Why the last decision could not be taken. */
  readonly refused: string | null
  /** What of the plan is in the workspace, and what changed in it, once the host has said so. */
  readonly reach: ReachView | null
  readonly changes: ChangesView | null
  /** Pictures of diagrams that were asked for. */
  readonly pictures: Pictures
  /** The plan that the model is writing; it cannot be decided. */
  readonly writing: string | null
  /** Whether the reader wants to see it though another plan is here to read. */
  readonly watching: boolean
  /** The last thing a screen reader should hear. */
  readonly announcement: string
}

export const emptyModel: ReviewModel = {
  review: null,
  empty: null,
  feedback: '',
  feedbackAt: 0,
  unkept: false,
  remarks: [],
  editedHash: null,
  active: '',
  drawer: false,
  question: null,
  next: undefined,
  menu: false,
  sending: null,
  saying: false,
  refused: null,
  reach: null,
  changes: null,
  pictures: new Map(),
  writing: null,
  watching: false,
  announcement: '',
}

/** Whether the plan can be decided and remarked on in this window. */
export function isOpen({ review }: ReviewModel): boolean {
  return review?.state === 'waiting' && review.readOnly === null && !review.older
}

/** Whether the plan that the model writes is shown: where none else is, or where the reader asked for it. */
export function showsWriting({ review, writing, watching }: ReviewModel): boolean {
  return writing !== null && (review === null || (watching && review.state !== 'waiting'))
}

/** Remarks that the next verdict would send. */
export function unsentRemarks({ remarks }: ReviewModel): number {
  return remarks.filter(({ state, keptBack }) => (state === 'unsent' && !keptBack) || state === 'again').length
}

/** Whether a decision that sends nothing would leave something unsent. */
export function hasUnsent(model: ReviewModel): boolean {
  return model.feedback.trim() !== '' || unsentRemarks(model) > 0 || model.editedHash !== null
}

/** Folds a message of the host in. Typed feedback is dropped only where it was sent. */
export function receive(model: ReviewModel, message: ToReview): ReviewModel {
  switch (message.kind) {
    case 'review':
      return withReview(model, message.review)
    case 'remarks':
      return message.reviewId === model.review?.reviewId
        ? { ...model, remarks: followed(model.remarks, message.remarks), editedHash: message.editedHash }
        : model
    case 'draft':
      return message.reviewId === model.review?.reviewId && isLater(message, model)
        ? { ...model, feedback: message.text, feedbackAt: message.at ?? 0 }
        : model
    case 'kept':
      return message.id === null && message.text === model.feedback ? { ...model, unkept: false } : model
    case 'refused':
      return message.reviewId === model.review?.reviewId
        ? { ...model, sending: null, refused: message.text, question: null }
        : model
    case 'act':
    case 'flush':
    case 'imageAdded':
    case 'imageRefused':
    case 'imageBytes':
      return model
    case 'reach':
      return message.reviewId === model.review?.reviewId ? { ...model, reach: message.reach } : model
    case 'changes':
      return message.reviewId === model.review?.reviewId ? { ...model, changes: message.changes } : model
    case 'diagram':
      return { ...model, pictures: new Map([...model.pictures, [message.text, message.picture]]) }
    case 'writing':
      return {
        ...model,
        writing: message.text,
        announcement: model.writing === null && message.text !== null ? words.writingBegan : model.announcement,
      }
    case 'empty':
      return { ...model, review: null, empty: message.text, sending: null, question: null, refused: null, menu: false }
  }
}

/** A remark that is as it was stays the same object: what is drawn of it need not be drawn again. */
function followed(before: readonly RemarkView[], now: readonly RemarkView[]): readonly RemarkView[] {
  const known = new Map(before.map(remark => [JSON.stringify(remark), remark]))
  return now.map(remark => known.get(JSON.stringify(remark)) ?? remark)
}

/** An empty box takes any draft; what was typed gives way only to what was kept later. */
function isLater(
  { text, at = 0 }: { readonly text: string; readonly at?: number | undefined },
  model: ReviewModel,
): boolean {
  return text !== '' && !model.unkept && (model.feedback === '' || at > model.feedbackAt)
}

function withReview(model: ReviewModel, review: ReviewView): ReviewModel {
  const before = model.review
  const sameReview = before?.reviewId === review.reviewId
  const sameText = sameReview && before.planHash === review.planHash
  const answered = review.state !== 'waiting'
  const feedbackSent = sameText && review.state === model.sending && before.state === 'waiting' && model.saying
  const goesOn = sameText && !answered
  return {
    ...model,
    review,
    empty: null,
    watching: sameReview && model.watching,
    reach: sameText ? model.reach : null,
    changes: sameText ? model.changes : null,
    feedback: feedbackSent ? '' : model.feedback,
    unkept: feedbackSent ? false : model.unkept,
    remarks: sameReview ? model.remarks : [],
    editedHash: sameReview ? model.editedHash : null,
    sending: goesOn ? model.sending : null,
    question: goesOn ? model.question : null,
    menu: goesOn ? model.menu : false,
    refused: goesOn ? model.refused : null,
    announcement: announcement(before, review, sameText) ?? model.announcement,
  }
}

function announcement(before: ReviewView | null, review: ReviewView, sameText: boolean): string | undefined {
  if (before === null) return undefined
  if (review.revisions > before.revisions) return words.revisionArrived(review.revisions)
  if (!sameText || review.state === 'waiting' || before.state === review.state) return undefined
  return decided[review.state]
}
