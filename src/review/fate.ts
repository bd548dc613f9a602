import type { Anchor } from '../session/reviews.ts'
import type { Range } from './anchors/anchor.ts'
import { locate } from './anchors/locate.ts'
import { type Change, changesBetween, type Lines } from './changes.ts'

/**
 * What became of the words a remark was made on. `changed`: the paragraph they stand in, or stood in, was changed;
 * `range` is what is there now. `unclear`: they stand in several places and nothing tells which is theirs.
 */
export type Fate =
  | { readonly kind: 'unchanged' | 'changed'; readonly range: Range }
  | { readonly kind: 'gone' | 'unclear' }

/** Says what became of remarks between two texts; the difference is taken once for all of them. */
export function fatesBetween(from: string, to: string): (anchor: Anchor) => Fate {
  const [old, now] = [new LineStarts(from), new LineStarts(to)]
  let changes: readonly Change[] | undefined
  return anchor => {
    const located = locate(anchor, from, to)
    if (located.kind === 'found') {
      const same = paragraphAround(from, anchor.range) === paragraphAround(to, located.range)
      return { kind: same ? 'unchanged' : 'changed', range: located.range }
    }
    if (located.kind === 'ambiguous') return { kind: 'unclear' }
    changes ??= changesBetween(from, to)
    const lines = old.linesOf(anchor.range)
    const change = changes.find(each => each.from.start <= lines.start && lines.end <= each.from.end)
    if (change === undefined || change.to.start === change.to.end) return { kind: 'gone' }
    return { kind: 'changed', range: now.rangeOf(change.to) }
  }
}

/** The lines around a range up to the next blank ones. */
function paragraphAround(text: string, { start, end }: Range): string {
  const before = text.lastIndexOf('\n\n', start)
  const after = text.indexOf('\n\n', end)
  return text.slice(before < 0 ? 0 : before + 2, after < 0 ? text.length : after).trimEnd()
}

/** Lines and offsets of one text. */
class LineStarts {
  readonly #starts: readonly number[]
  readonly #length: number

  constructor(text: string) {
    this.#starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)]
    this.#length = text.length
  }

  linesOf({ start, end }: Range): Lines {
    const first = this.#lineAt(start)
    return { start: first, end: this.#lineAt(Math.max(start, end - 1)) + 1 }
  }

  rangeOf({ start, end }: Lines): Range {
    const from = this.#starts[start] ?? this.#length
    return { start: from, end: Math.max(from, (this.#starts[end] ?? this.#length + 1) - 1) }
  }

  #lineAt(offset: number): number {
    const next = this.#starts.findIndex(start => start > offset)
    return (next < 0 ? this.#starts.length : next) - 1
  }
}
