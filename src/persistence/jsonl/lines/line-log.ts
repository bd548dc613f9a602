import { hasSeq, isObject, isSeq, type StoredEvent } from '../../../session/envelope.ts'
import type { EventType, SessionEvent } from '../../../session/events.ts'
import { deepFreeze } from '../../../session/json.ts'
import { corrupt } from '../../corrupt.ts'
import { parseLine } from '../../decode-header.ts'
import { codeOfType } from '../../type-codes.ts'
import { expandRow, rowLength } from '../packed-rows.ts'
import { flagsOf, type LineMap, ROW } from './line-map.ts'
import type { LogText } from './log-text.ts'

const LF = 10

/** A line, and the seq of its first event. */
interface Spot {
  readonly group: number
  readonly line: number
  readonly seq: number
}

/**
 * The events of a log whose lines were judged before: each is parsed again, brought into today's shape and frozen when
 * it is asked for, and then kept. That a line still holds what the map says is looked at each time.
 */
export class LineLog {
  readonly #file: string
  readonly #map: LineMap
  readonly #text: LogText
  readonly #today: (stored: StoredEvent) => StoredEvent
  /** What was made so far, by line; a row has a list. */
  #made: (SessionEvent | readonly SessionEvent[] | undefined)[] | undefined
  #last: Spot = { group: 0, line: 0, seq: 0 }
  #group: { readonly group: number; readonly text: Buffer; readonly starts: readonly number[] } | undefined

  constructor(file: string, map: LineMap, text: LogText, today: (stored: StoredEvent) => StoredEvent) {
    this.#file = file
    this.#map = map
    this.#text = text
    this.#today = today
  }

  get length(): number {
    return this.#map.length
  }

  /** In today's shape, frozen, always the same object. @throws `CORRUPT` when the file has changed underneath. */
  at(seq: number): SessionEvent | undefined {
    if (!isSeq(seq) || seq >= this.length) return undefined
    const spot = this.#spotOf(seq)
    const made = this.#madeOf(spot)
    return isList(made) ? made[seq - spot.seq] : made
  }

  /** As it is stored, a new object of the caller's own. */
  stored(seq: number): StoredEvent | undefined {
    return isSeq(seq) && seq < this.length ? this.#read(this.#spotOf(seq))[seq - this.#last.seq] : undefined
  }

  /** All events from `from` on as they are stored, of the caller's own. */
  *storedFrom(from: number): Generator<StoredEvent, void> {
    for (let seq = from; seq < this.length; ) {
      const spot = this.#spotOf(seq)
      const events = this.#read(spot)
      for (let k = seq - spot.seq; k < events.length; k++, seq++) {
        const event = events[k]
        if (event !== undefined) yield event
      }
    }
  }

  /** The first seq from `from` on that may be of one of the types. */
  seek(types: ReadonlySet<EventType>, from: number): number {
    if (from >= this.length) return this.length
    const flags = flagsOf(types)
    const map = this.#map
    let { group, line, seq } = this.#spotOf(from)
    for (let end = map.firstLineOf(group + 1); line < map.lines; line++) {
      if (line === end) end = map.firstLineOf(++group + 1)
      if (flags[map.codeOf(line)] === 1) {
        this.#last = { group, line, seq }
        return Math.max(from, seq)
      }
      seq += this.#countOf({ group, line, seq })
    }
    return this.length
  }

  #spotOf(seq: number): Spot {
    const map = this.#map
    let { group, line, seq: first } = this.#last
    if (seq < first || seq >= map.firstSeqOf(group + 1)) {
      group = map.groupOf(seq)
      line = map.firstLineOf(group)
      first = map.firstSeqOf(group)
    }
    for (;;) {
      const spot = { group, line, seq: first }
      const next = first + this.#countOf(spot)
      if (seq < next) {
        this.#last = spot
        return spot
      }
      first = next
      line++
    }
  }

  #countOf(spot: Spot): number {
    const count = this.#map.countOf(spot.line)
    if (count > 0) return count
    const row = this.#parse(spot)
    return (isObject(row) ? rowLength(row) : undefined) ?? this.#changed(spot)
  }

  #madeOf(spot: Spot): SessionEvent | readonly SessionEvent[] {
    this.#made ??= new Array(this.#map.lines)
    const known = this.#made[spot.line]
    if (known !== undefined) return known
    const events = this.#read(spot).map(event => this.#judged(event, spot))
    const [first] = events
    const made = this.#map.codeOf(spot.line) === ROW || first === undefined ? events : first
    this.#made[spot.line] = made
    return made
  }

  #read(spot: Spot): readonly StoredEvent[] {
    const value = this.#parse(spot)
    const code = this.#map.codeOf(spot.line)
    if (!isObject(value)) return this.#changed(spot)
    if (code === ROW) {
      const events = value.seq0 === spot.seq ? expandRow(value) : undefined
      return events?.length === this.#countOf(spot) ? events : this.#changed(spot)
    }
    return hasSeq(value, spot.seq) ? [value] : this.#changed(spot)
  }

  #judged(stored: StoredEvent, spot: Spot): SessionEvent {
    const event = this.#today(stored)
    const code = this.#map.codeOf(spot.line)
    if (code !== ROW && codeOfType(event.type) !== code) return this.#changed(spot)
    // The line was judged when it was read first, and holds that event still.
    return deepFreeze(event) as unknown as SessionEvent
  }

  #parse({ group, line }: Spot): unknown {
    const at = line - this.#map.firstLineOf(group)
    const { text, starts } = this.#textOf(group, at)
    const [start = 0, stop = 0] = [starts[at], starts[at + 1]]
    return parseLine(text.toString('utf8', start, stop))
  }

  /** The text of a group, and where its lines begin as far as at least one behind `line`. */
  #textOf(group: number, line: number): { readonly text: Buffer; readonly starts: readonly number[] } {
    const known = this.#group
    if (known?.group === group && known.starts.length > line + 1) return known
    const map = this.#map
    const text = this.#text.between(map.placeOf(group), map.placeOf(group + 1), map.limitOf(group + 1))
    const starts = [0]
    for (let next = text.indexOf(LF) + 1; next > 0; next = text.indexOf(LF, next) + 1) starts.push(next)
    this.#group = { group, text, starts }
    return this.#group
  }

  #changed({ seq }: Spot): never {
    return corrupt(this.#file, `it was changed underneath: event ${seq} is not what it was when the log was opened`)
  }
}

function isList(made: SessionEvent | readonly SessionEvent[]): made is readonly SessionEvent[] {
  return Array.isArray(made)
}
