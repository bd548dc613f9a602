import type { Anchor, RemarkKind } from '../../session/reviews.ts'

/** A remark as people hand it on. `range` is its place in the plan beside it; `quote` null: about the whole plan. */
export interface SharedRemark {
  readonly id: string
  readonly kind: RemarkKind
  readonly state: 'unsent' | 'open' | 'resolved'
  readonly range: Anchor['range'] | null
  readonly quote: string | null
  readonly text: string
  /** How many images it has; they are not handed on. */
  readonly images: number
}

/** A plan with remarks, as a file holds them. */
export interface SharedReview {
  readonly title: string
  readonly plan: string
  readonly remarks: readonly SharedRemark[]
}

/** What the files begin with: what wrote them, and the version of their form. */
export const FIRST_LINE = '<!-- plan-mode remarks 1 -->'
export const PLAN_TITLE = 'The plan'
