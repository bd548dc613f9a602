import type { EventType } from '../../../session/events.ts'
import { codesOf, OTHER } from '../../type-codes.ts'

/**
 * Where the events of a log lie, in a few bytes per line: for each line the type of its event and how many events it
 * stands for, and for each group of lines its place in the file, its first line and its first seq.
 */
export class LineMap {
  /** Type codes by line. */
  #types = new Uint8Array(1024)
  /** Events by line; 0 where they are too many for a byte, and the line itself has to be asked. */
  #counts = new Uint8Array(1024)
  #groups = new Float64Array(4 * 64)
  #lines = 0
  #groupCount = 0
  #length = 0
  #end: Place = { at: 0, skip: 0 }
  /** What lies at `end` ends here in the file, or before. */
  limit = 0

  get lines(): number {
    return this.#lines
  }

  /** Events. */
  get length(): number {
    return this.#length
  }

  get groups(): number {
    return this.#groupCount
  }

  /** Behind the last group. */
  get end(): Place {
    return this.#end
  }

  /** The lines that are added next lie between these places. */
  addGroup(start: Place, end: Place): void {
    const at = this.#groupCount * 4
    if (at === this.#groups.length) this.#groups = grown(this.#groups, new Float64Array(Math.max(256, at * 2)))
    this.#groups.set([start.at, start.skip, this.#lines, this.#length], at)
    this.#groupCount++
    this.#end = end
  }

  addLine(code: number, events: number): void {
    const line = this.#lines++
    if (line === this.#types.length) {
      const size = Math.max(1024, line * 2)
      this.#types = grown(this.#types, new Uint8Array(size))
      this.#counts = grown(this.#counts, new Uint8Array(size))
    }
    this.#types[line] = code
    this.#counts[line] = events > 255 ? 0 : events
    this.#length += events
  }

  codeOf(line: number): number {
    return this.#types[line] ?? OTHER
  }

  /** 0: ask the line. */
  countOf(line: number): number {
    return this.#counts[line] ?? 0
  }

  placeOf(group: number): Place {
    if (group >= this.#groupCount) return this.#end
    return { at: this.#groups[group * 4] ?? 0, skip: this.#groups[group * 4 + 1] ?? 0 }
  }

  firstLineOf(group: number): number {
    return group >= this.#groupCount ? this.#lines : (this.#groups[group * 4 + 2] ?? 0)
  }

  firstSeqOf(group: number): number {
    return group >= this.#groupCount ? this.#length : (this.#groups[group * 4 + 3] ?? 0)
  }

  /** The last group that begins at this seq or before it. */
  groupOf(seq: number): number {
    let low = 0
    for (let high = this.#groupCount - 1; low < high; ) {
      const middle = (low + high + 1) >> 1
      if (this.firstSeqOf(middle) <= seq) low = middle
      else high = middle - 1
    }
    return low
  }

  /** Where in the file ends, or has ended, whatever lies at the place where a group begins. */
  limitOf(group: number): number {
    const { at } = this.placeOf(group)
    let low = group
    for (let high = this.#groupCount; low < high; ) {
      const middle = (low + high) >> 1
      if (this.placeOf(middle).at > at) high = middle
      else low = middle + 1
    }
    return low < this.#groupCount ? this.placeOf(low).at : this.limit
  }

  /** The columns as they are stored; they stay the map's own. */
  columns(): Columns {
    return {
      types: this.#types.subarray(0, this.#lines),
      counts: this.#counts.subarray(0, this.#lines),
      groups: this.#groups.subarray(0, this.#groupCount * 4),
      length: this.#length,
      end: this.#end,
      limit: this.limit,
    }
  }

  /** What is added to the copy leaves this one as it is. */
  copy(): LineMap {
    const { types, counts, groups, ...rest } = this.columns()
    return LineMap.of({ types: types.slice(), counts: counts.slice(), groups: groups.slice(), ...rest })
  }

  static of({ types, counts, groups, length, end, limit }: Columns): LineMap {
    const map = new LineMap()
    map.#types = types
    map.#counts = counts
    map.#groups = groups
    map.#lines = types.length
    map.#groupCount = groups.length / 4
    map.#length = length
    map.#end = end
    map.limit = limit
    return map
  }
}

/** A place in a log's text: `skip` bytes into what lies at `at` in the file (itself, or the text of a frame). */
export interface Place {
  readonly at: number
  readonly skip: number
}

export interface Columns {
  readonly types: Uint8Array<ArrayBuffer>
  readonly counts: Uint8Array<ArrayBuffer>
  /** Four numbers per group: file offset, bytes to skip there, first line, first seq. */
  readonly groups: Float64Array<ArrayBuffer>
  readonly length: number
  readonly end: Place
  readonly limit: number
}

/** A packed row of chunks: a code behind those of the types. */
export const ROW = 254

/** By code: 1 for each code that may be of one of the types. */
export function flagsOf(types: ReadonlySet<EventType>): Uint8Array {
  const flags = codesOf(types)
  if (types.has('assistant/chunk')) flags[ROW] = 1
  return flags
}

function grown<A extends Uint8Array<ArrayBuffer> | Float64Array<ArrayBuffer>>(from: A, to: A): A {
  to.set(from)
  return to
}
