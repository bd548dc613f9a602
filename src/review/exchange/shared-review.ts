import type { Anchor, RemarkKind } from '../../session/reviews.ts'

/** A remark as people hand it on. `range` is its place in the plan beside it; `quote` null: about the whole plan. */
export interface SharedRemark {
  readonly id: string
  readonly kind: RemarkKind
  readonly state: 'unsent' | 'open' | 'resolved'
  readonly range: Anchor['range'] | null
  readonly quote: string | null
  readonly text: string
  /** Files of its images, beside the review: `<folder>/<file>`, both plain names. */
  readonly pictures?: readonly string[]
  /** How many images it has that are not handed on. */
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
/** A picture of a remark as a line of its section, and nothing that leads out of the folder beside the review. */
export const pictureLine = /^!\[Image of (C[1-9]\d{0,8})\]\(([\w-][\w.-]{0,99}\/[\w-][\w.-]{0,99})\)$/

export const PLAN_TITLE = 'The plan'
