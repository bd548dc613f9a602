import type { Anchor } from '../../session/reviews.ts'
import { headingPath } from './outline.ts'

/** Offsets (UTF-16) in a plan's source text; `end` is exclusive. */
export interface Range {
  readonly start: number
  readonly end: number
}

/** Characters of context that an anchor keeps on each side. */
const CONTEXT = 80

/** The anchor of a range of a plan; undefined when there is nothing but white space in it. */
export function anchorAt(text: string, range: Range): Anchor | undefined {
  const { start, end } = trimmed(text, range)
  if (start >= end) return undefined
  return {
    quote: text.slice(start, end),
    prefix: text.slice(Math.max(0, start - CONTEXT), start),
    suffix: text.slice(end, end + CONTEXT),
    headingPath: headingPath(text, start),
    range: { start, end },
  }
}

function trimmed(text: string, { start, end }: Range): Range {
  const first = Math.max(0, start)
  const part = text.slice(first, Math.min(end, text.length))
  const lead = part.length - part.trimStart().length
  return { start: first + lead, end: first + part.trimEnd().length }
}
