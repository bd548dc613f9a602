import type { Anchor } from '../../session/reviews.ts'
import type { Range } from './anchor.ts'

/** Where an anchor's words are in another text. `ambiguous`: there, but nothing tells which place is theirs. */
export type Located =
  | { readonly kind: 'found'; readonly range: Range }
  | { readonly kind: 'ambiguous' }
  | { readonly kind: 'gone' }

/** Characters of surroundings, on both sides at once, by which a place is told from others with the same words. */
const SURROUNDINGS = [24, 80, 240, 800]
/**
 * Finds the words of an anchor of `from` in `to`. They are found by something that stands exactly once in each text: the
 * words themselves, the lines they stand in, or the words with their surroundings on both sides. Nothing less decides,
 * so that a remark never lands on another occurrence of a phrase.
 */
export function locate(anchor: Anchor, from: string, to: string): Located {
  const { quote, range } = anchor
  if (from.slice(range.start, range.end) !== quote) return unplaced(to, quote)
  if (from === to) return { kind: 'found', range }
  for (const { edge, before, after } of signs(from, range)) {
    const old = edge + from + edge
    const now = edge + to + edge
    const start = range.start + edge.length
    const sign = old.slice(Math.max(0, start - before), start + quote.length + after)
    const at = onlyPlace(now, sign)
    if (at === undefined || onlyPlace(old, sign) === undefined) continue
    const found = at + Math.min(before, start) - edge.length
    return { kind: 'found', range: { start: found, end: found + quote.length } }
  }
  return unplaced(to, quote)
}

function unplaced(to: string, quote: string): Located {
  return { kind: to.includes(quote) ? 'ambiguous' : 'gone' }
}

/** How far a sign reaches beyond the words on each side; `edge` stands for what is beyond the text. */
interface Sign {
  readonly edge: string
  readonly before: number
  readonly after: number
}

/** From the words alone to their wide surroundings. A line at the edge of the text is a line like any other. */
function signs(from: string, { start, end }: Range): Sign[] {
  const lineStart = start === 0 ? 0 : from.lastIndexOf('\n', start - 1) + 1
  const nextLine = from.indexOf('\n', end)
  const lineEnd = nextLine < 0 ? from.length : nextLine
  return [
    { edge: '', before: 0, after: 0 },
    { edge: '\n', before: start - lineStart + 1, after: lineEnd - end + 1 },
    ...SURROUNDINGS.map(reach => ({ edge: '\u0000', before: reach, after: reach })),
  ]
}

/** The start of `sign` when it stands there once and nowhere else. */
function onlyPlace(text: string, sign: string): number | undefined {
  const at = text.indexOf(sign)
  return at >= 0 && text.indexOf(sign, at + 1) < 0 ? at : undefined
}
