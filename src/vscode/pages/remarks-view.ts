import { isKeptBack } from '../../review/drafts/review-draft.ts'
import type { ReviewWork } from '../../review/review-work.ts'
import type { ReviewHistory, SentRemark } from '../../review/revisions.ts'
import { askOf, type ShownRemark } from '../../review/shown-remark.ts'
import type { RemarkView } from '../../webview/review-messages.ts'
import { shownImage } from '../transcript/shown-images.ts'

/** The remarks on the plan that is shown, as the panel draws them. `activityOf` says what an explorer does now. */
export function remarkViews(review: ReviewWork, activityOf: (by: string) => string | undefined): RemarkView[] {
  return review.remarks().map(remark => viewOf(remark, activityOf))
}

/** What was said of an older revision when it was the latest: to be read where it was said. */
export function remarkViewsOf(history: ReviewHistory, reviewId: string): RemarkView[] {
  return history.remarks.filter(sent => sent.reviewId === reviewId).map(sentView)
}

function viewOf(
  { id, kind, anchor, range, text, state, fate, claim, images = [], ask }: ShownRemark,
  activityOf: (by: string) => string | undefined = () => undefined,
): RemarkView {
  const { quote = null, headingPath = [] } = anchor ?? {}
  const under = headingPath.at(-1) ?? ''
  const activity = typeof ask?.by === 'string' ? (activityOf(ask.by) ?? null) : null
  const asked = ask === undefined ? null : { ...ask, activity }
  const keptBack = state === 'unsent' && isKeptBack(ask)
  const pictures = images.map(shownImage)
  const said = { text, state, fate, claim: claim ?? null, images: pictures }
  return { id, kind, quote, under, range, ...said, ask: asked, keptBack }
}

function sentView({ remark, state }: SentRemark): RemarkView {
  const range = remark.anchor?.range ?? null
  return viewOf({ ...remark, range, state, fate: 'here', claim: undefined, ask: askOf(remark) })
}
