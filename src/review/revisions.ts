import {
  type DecidedReview,
  type PresentedReview,
  planText,
  type ReviewState,
  reviewProjection,
} from '../plan/review.ts'
import type { ReviewDecision, SessionEvent } from '../session/events.ts'
import type { Projection } from '../session/projections.ts'
import type { Remark } from '../session/reviews.ts'
import type { Session } from '../session/session.ts'

/** One presented plan of a session. `at` is when it was presented (epoch ms); `decidedSeq` the seq of its decision. */
export interface Revision extends PresentedReview {
  readonly at: number
  readonly state: ReviewDecision | 'waiting'
  readonly decidedSeq: number | undefined
}

/** A remark that was sent, with the review whose text it was made on. */
export interface SentRemark {
  readonly remark: Remark
  readonly reviewId: string
  readonly state: 'open' | 'resolved'
}

export interface ReviewHistory {
  readonly revisions: readonly Revision[]
  readonly remarks: readonly SentRemark[]
  readonly reviews: ReviewState
}

/**
 * The projection `reviewHistory`: every plan that was presented in a session and every remark that was sent. A plan is a
 * revision of the one before because it was presented after it, whatever its heading says.
 */
export const reviewHistory: Projection<ReviewHistory> = {
  key: 'reviewHistory',
  version: 1,
  owner: 'the review of a window',
  initial: { revisions: [], remarks: [], reviews: reviewProjection.initial },
  types: [...(reviewProjection.types ?? []), 'review/remark-settled'],
  apply(state: ReviewHistory, event: SessionEvent): ReviewHistory {
    const reviews = reviewProjection.apply(state.reviews, event)
    const now = reviews === state.reviews ? state : { ...state, reviews }
    switch (event.type) {
      case 'review/presented':
        return reviews === state.reviews || reviews.waiting === null ? now : presented(now, reviews.waiting, event.time)
      case 'review/decided':
        return reviews === state.reviews || reviews.decided === null
          ? now
          : decided(now, reviews.decided, event.data.remarks)
      case 'review/remark-settled':
        return settled(now, event.data.remarkId, event.data.state)
      default:
        return now
    }
  },
}

/** The revision that a shown one is compared with: the last one before it that a human decided, else the one before. */
export function baseOf(revisions: readonly Revision[], shown: Pick<Revision, 'revision'>): Revision | undefined {
  const before = revisions.filter(({ revision }) => revision < shown.revision)
  return before.findLast(isDecided) ?? before.at(-1)
}

/** Whether a human said what they think of it. */
export function isDecided({ state }: Pick<Revision, 'state'>): boolean {
  return state === 'kept' || state === 'approved' || state === 'dismissed'
}

/** The latest plan and its base; undefined with fewer than two. */
export function sinceDecided(
  revisions: readonly Revision[],
): { readonly from: Revision; readonly to: Revision } | undefined {
  const to = revisions.at(-1)
  const from = to && baseOf(revisions, to)
  return to === undefined || from === undefined ? undefined : { from, to }
}

/** The text of a revision; empty when the log does not hold it. */
export function revisionText(session: Session, revision: Pick<Revision, 'reviewId' | 'textSeq'>): string {
  try {
    return planText(session, revision)
  } catch {
    return ''
  }
}

function presented(state: ReviewHistory, review: PresentedReview, at: number): ReviewHistory {
  const revision: Revision = { ...review, at, state: 'waiting', decidedSeq: undefined }
  return { ...state, revisions: [...state.revisions, revision] }
}

function decided(state: ReviewHistory, review: DecidedReview, sent: readonly Remark[] = []): ReviewHistory {
  const { reviewId, decision, seq } = review
  const revisions = state.revisions.map(each =>
    each.reviewId === reviewId ? { ...each, state: decision, decidedSeq: seq } : each,
  )
  // A remark that is sent again takes the place of what was sent of it before.
  const ids = new Set(sent.map(({ id }) => id))
  const before = state.remarks.filter(({ remark }) => !ids.has(remark.id))
  const fresh = sent.map((remark): SentRemark => ({ remark, reviewId, state: 'open' }))
  return { ...state, revisions, remarks: [...before, ...fresh] }
}

function settled(state: ReviewHistory, remarkId: string, to: SentRemark['state']): ReviewHistory {
  const known = state.remarks.find(({ remark }) => remark.id === remarkId)
  if (known === undefined || known.state === to) return state
  const remarks = state.remarks.map(each => (each === known ? { ...each, state: to } : each))
  return { ...state, remarks }
}
