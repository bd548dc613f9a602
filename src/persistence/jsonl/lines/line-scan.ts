import { constants as limits } from 'node:buffer'
import { hasSeq, isObject, type JsonObject, type StoredEvent } from '../../../session/envelope.ts'
import { corrupt } from '../../corrupt.ts'
import { parseLine, unparsable } from '../../decode-header.ts'
import { isRow, rowLength } from '../packed-rows.ts'
import type { Place } from './line-map.ts'

const LF = 10
/** Bytes of text that become one string at a time: many lines, few calls. */
const GROUP = 64 << 10

/** Takes what a scan keeps, line by line. */
export interface LineSink {
  /** Events so far; the seq of the next one. */
  readonly length: number
  /** The lines that follow lie whole in the text from `start` up to `stop`, in bytes. */
  group(start: number, stop: number): void
  event(event: StoredEvent): void
  /** A valid row of `members` events. */
  row(row: JsonObject, members: number): void
  /** The text from `start` on, in bytes of all that is fed, lies in the file at this place. */
  piece?(start: number, place: Place): void
  /** What is fed from now on cannot be read again. */
  loosen?(): void
}

/**
 * Reads the lines behind a header, however their text is cut up, and keeps the contiguous prefix (session-log format,
 * section 7). A problem behind which a turn still ends is damage; what else there is at the end is a torn tail.
 */
export class LineScan<S extends LineSink> {
  readonly sink: S
  readonly #file: string
  readonly #group: number
  /** Of the file; the header is line 1. */
  #line = 2
  #fed = 0
  #kept = 0
  #problem: string | undefined
  /** What has come so far of the line that is not whole yet. */
  #parts: Buffer[] = []
  #partsSize = 0

  /** `group` is how many bytes of text become one group of lines. */
  constructor(file: string, sink: S, group = GROUP) {
    this.#file = file
    this.#group = group
    this.sink = sink
  }

  /** Bytes of text up to the end of the last kept line. */
  get kept(): number {
    return this.#kept
  }

  /** Takes the next piece of the text over. @throws `CORRUPT` naming the file and the line. */
  feed(text: Buffer): void {
    let start = this.#parts.length === 0 ? 0 : this.#finishLine(text)
    while (start < text.length) {
      const stop = groupEnd(text, start, this.#group)
      if (stop === 0) break
      this.#readLines(text.subarray(start, stop), this.#fed + start)
      start = stop
    }
    if (start < text.length) this.#carry(text.subarray(start))
    this.#fed += text.length
  }

  /** Says that nothing fed so far may be torn. `whole`: nor may it end inside a line. @throws `CORRUPT`. */
  insist(whole: boolean): void {
    if (this.#problem !== undefined) corrupt(this.#file, this.#problem)
    if (whole && this.#parts.length > 0) corrupt(this.#file, `line ${this.#line} is not finished in a whole frame`)
  }

  /** Whole lines, of which the first begins at `offset` of the text. */
  #readLines(bytes: Buffer, offset: number): void {
    this.#assertFits(bytes.length)
    const whole = this.#problem === undefined
    if (whole) this.sink.group(offset, offset + bytes.length)
    const text = bytes.toString('utf8')
    const first = this.#line
    let problemLine: number | undefined
    for (let from = 0, stop = text.indexOf('\n'); stop >= 0; stop = text.indexOf('\n', from)) {
      this.#take(text.slice(from, stop))
      if (whole && this.#problem !== undefined) problemLine ??= this.#line
      from = stop + 1
      this.#line++
    }
    if (whole) this.#kept = offset + (problemLine === undefined ? bytes.length : endOfLines(bytes, problemLine - first))
  }

  #take(line: string): void {
    const value = parseLine(line)
    if (value === null) corrupt(this.#file, `line ${this.#line} is null`)
    if (this.#problem === undefined) {
      const problem = keep(value, this.sink)
      if (problem !== undefined) this.#problem = `line ${this.#line} ${problem}`
    }
    if (this.#problem !== undefined && isObject(value) && value.type === 'turn/end') corrupt(this.#file, this.#problem)
  }

  /** Where the text goes on behind the line that was begun before; 0 when that line is still not whole. */
  #finishLine(text: Buffer): number {
    const stop = text.indexOf(LF) + 1
    if (stop === 0) return 0
    const line = Buffer.concat([...this.#parts, text.subarray(0, stop)])
    const offset = this.#fed - this.#partsSize
    this.#parts = []
    this.#partsSize = 0
    this.#readLines(line, offset)
    return stop
  }

  #carry(part: Buffer): void {
    this.#parts.push(part)
    this.#partsSize += part.length
    this.#assertFits(this.#partsSize)
  }

  /** No reader could hold a longer line as text, so a frame that unpacks to one is stopped here. */
  #assertFits(length: number): void {
    if (length > limits.MAX_STRING_LENGTH) corrupt(this.#file, `line ${this.#line} is longer than any record can be`)
  }
}

/** The end of the lines from `start` on that make a group; 0 when not even one of them is whole. */
function groupEnd(text: Buffer, start: number, size: number): number {
  const some = text.subarray(start, start + size).lastIndexOf(LF)
  return some >= 0 ? start + some + 1 : text.indexOf(LF, start) + 1
}

function endOfLines(bytes: Buffer, lines: number): number {
  let end = 0
  for (let line = 0; line < lines; line++) end = bytes.indexOf(LF, end) + 1
  return end
}

/** Hands the line on, or says why it does not continue the log. */
function keep(value: unknown, sink: LineSink): string | undefined {
  if (value === unparsable) return 'is not JSON'
  if (!isObject(value)) return `is not event ${sink.length}`
  if (!isRow(value)) {
    if (!hasSeq(value, sink.length)) return `is not event ${sink.length}`
    sink.event(value)
    return undefined
  }
  const members = rowLength(value)
  if (members === undefined) return 'is a malformed row of chunks'
  if (value.seq0 !== sink.length) return `is not event ${sink.length}`
  sink.row(value, members)
  return undefined
}
