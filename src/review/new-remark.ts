import { PlanModeError } from '../session/errors.ts'
import type { Remark, RemarkKind } from '../session/reviews.ts'
import { anchorAt, type Range } from './anchors/anchor.ts'
import { fenced } from './feedback.ts'
import { nextIds } from './remark-ids.ts'

/** A remark before it has an id; `range` null: about the whole text. */
export interface NewRemark {
  readonly kind: RemarkKind
  readonly range: Range | null
  readonly text: string
  readonly images?: Remark['images']
}

/** Remarks on a text, with the ids after those that are taken. @throws PlanModeError `EMPTY_RANGE` */
export function madeRemarks(text: string, given: readonly NewRemark[], taken: readonly string[]): Remark[] {
  const ids = nextIds(taken, given.length)
  return given.map(({ kind, range, text: said, images }, index): Remark => {
    const anchor = range === null ? null : anchorAt(text, range)
    if (anchor === undefined) throw new PlanModeError('EMPTY_RANGE', 'Select some words to remark on.')
    return { id: ids[index] ?? '', kind, anchor, text: said, ...(images === undefined ? {} : { images }) }
  })
}

/** What a remark says whose words have no place any more: it keeps them, and is about the whole text. */
export function withWords(quote: string, text: string): string {
  const words = `On these words:\n\n${fenced(quote, '')}`
  return text === '' ? words : `${words}\n\n${text}`
}
