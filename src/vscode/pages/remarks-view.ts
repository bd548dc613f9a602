import type { ReviewWork, ShownRemark } from '../../review/review-work.ts'
import type { ReviewHistory, SentRemark } from '../../review/revisions.ts'
import type { RemarkView } from '../../webview/review-messages.ts'

/** The remarks on the plan that is shown, as the panel draws them. */
export function remarkViews(review: ReviewWork): RemarkView[] {
  return review.remarks().map(viewOf)
}

/** What was said of an older revision when it was the latest: to be read where it was said. */
export function remarkViewsOf(history: ReviewHistory, reviewId: string): RemarkView[] {
  return history.remarks.filter(sent => sent.reviewId === reviewId).map(sentView)
}

function viewOf({ id, kind, anchor, range, text, state, fate, claim }: ShownRemark): RemarkView {
  const { quote = null, headingPath = [] } = anchor ?? {}
  return { id, kind, quote, under: headingPath.at(-1) ?? '', range, text, state, fate, claim: claim ?? null }
}

function sentView({ remark, state }: SentRemark): RemarkView {
  const range = remark.anchor?.range ?? null
  return viewOf({ ...remark, range, state, fate: 'here', claim: undefined })
}
