import { constants as limits } from 'node:buffer'
import { isObject, type StoredEvent } from '../../session/envelope.ts'
import { corrupt } from './corrupt.ts'
import { parseLine, unparsable } from './decode-header.ts'
import { expandRow, isRow } from './packed-rows.ts'

const LF = 10

/**
 * Reads the lines behind a header, however their text is cut up, and keeps the contiguous prefix (session-log format,
 * section 7). A problem behind which a turn still ends is damage; what else there is at the end is a torn tail.
 */
export class EventScan {
  /** Seqs from 0, packed rows expanded. */
  readonly events: StoredEvent[] = []
  readonly #file: string
  /** Of the file; the header is line 1. */
  #line = 2
  #fed = 0
  #kept = 0
  #problem: string | undefined
  /** What has come so far of the line that is not whole yet. */
  #parts: Buffer[] = []
  #partsSize = 0

  constructor(file: string) {
    this.#file = file
  }

  /** Bytes of text up to the end of the last kept line. */
  get kept(): number {
    return this.#kept
  }

  /** Takes the next piece of the text over. @throws `CORRUPT` naming the file and the line. */
  feed(text: Buffer): void {
    let start = 0
    for (let stop = text.indexOf(LF); stop >= 0; stop = text.indexOf(LF, start)) {
      const line = this.#parts.length === 0 ? this.#text(text, start, stop) : this.#join(text.subarray(start, stop))
      start = stop + 1
      this.#take(line, this.#fed + start)
    }
    if (start < text.length) this.#carry(text.subarray(start))
    this.#fed += text.length
  }

  /** Says that nothing fed so far may be torn. `whole`: nor may it end inside a line. @throws `CORRUPT`. */
  insist(whole: boolean): void {
    if (this.#problem !== undefined) corrupt(this.#file, this.#problem)
    if (whole && this.#parts.length > 0) corrupt(this.#file, `line ${this.#line} is not finished in a whole frame`)
  }

  #take(line: string, end: number): void {
    const value = parseLine(line)
    if (value === null) corrupt(this.#file, `line ${this.#line} is null`)
    if (this.#problem === undefined) {
      const problem = keep(value, this.events)
      if (problem === undefined) this.#kept = end
      else this.#problem = `line ${this.#line} ${problem}`
    }
    if (this.#problem !== undefined && isObject(value) && value.type === 'turn/end') corrupt(this.#file, this.#problem)
    this.#line++
  }

  #carry(part: Buffer): void {
    this.#parts.push(part)
    this.#partsSize += part.length
    this.#assertFits(this.#partsSize)
  }

  #join(end: Buffer): string {
    const line = Buffer.concat([...this.#parts, end])
    this.#parts = []
    this.#partsSize = 0
    return this.#text(line, 0, line.length)
  }

  #text(bytes: Buffer, start: number, stop: number): string {
    this.#assertFits(stop - start)
    return bytes.toString('utf8', start, stop)
  }

  /** No reader could hold a longer line as text, so a frame that unpacks to one is stopped here. */
  #assertFits(length: number): void {
    if (length > limits.MAX_STRING_LENGTH) corrupt(this.#file, `line ${this.#line} is longer than any record can be`)
  }
}

/** Adds the line's events, or says why they do not continue the log. */
function keep(value: unknown, events: StoredEvent[]): string | undefined {
  if (value === unparsable) return 'is not JSON'
  if (!isObject(value)) return `is not event ${events.length}`
  if (!isRow(value)) {
    if (!hasSeq(value, events.length)) return `is not event ${events.length}`
    events.push(value)
    return undefined
  }
  const members = expandRow(value)
  if (members === undefined) return 'is a malformed row of chunks'
  if (members[0]?.seq !== events.length) return `is not event ${events.length}`
  for (const member of members) events.push(member)
  return undefined
}

function hasSeq(value: { readonly [key: string]: unknown }, seq: number): value is StoredEvent {
  return value.seq === seq
}
