/** A place in a text as editors count: 0-based line, UTF-16 units within it. */
export interface Position {
  readonly line: number
  readonly character: number
}

/** Offsets of a text and the lines they are on. `\r\n`, `\n` and `\r` end a line, as in an editor. */
export class SourceLines {
  readonly #starts: readonly number[]
  /** Where each line's words end, before what ends the line. */
  readonly #ends: readonly number[]

  constructor(text: string) {
    const breaks = [...text.matchAll(/\r\n|\n|\r/g)]
    this.#starts = [0, ...breaks.map(({ index, 0: end }) => index + end.length)]
    this.#ends = [...breaks.map(({ index }) => index), text.length]
  }

  get count(): number {
    return this.#starts.length
  }

  /** An offset within what ends a line counts as the end of its words. */
  positionAt(offset: number): Position {
    let [low, high] = [0, this.#starts.length - 1]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((this.#starts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    const end = this.#ends[low] ?? offset
    return { line: low, character: Math.max(0, Math.min(offset, end)) - (this.#starts[low] ?? 0) }
  }

  /** A place beyond a line, or beyond the text, counts as its end. */
  offsetAt({ line, character }: Position): number {
    const last = this.#starts.length - 1
    if (line > last) return this.#ends[last] ?? 0
    const start = this.#starts[Math.max(0, line)] ?? 0
    return Math.min(start + Math.max(0, character), this.#ends[Math.max(0, line)] ?? start)
  }

  /** The whole of the lines `first` to `last`, both counted in. */
  wholeLines(first: number, last: number): { readonly start: number; readonly end: number } {
    return {
      start: this.offsetAt({ line: first, character: 0 }),
      end: this.offsetAt({ line: last, character: Number.MAX_SAFE_INTEGER }),
    }
  }
}
