import type { JsonObject, StoredEvent } from '../../../session/envelope.ts'
import type { EventType, SessionEvent } from '../../../session/events.ts'
import { deepFreeze } from '../../../session/json.ts'
import type { Checkpoint } from '../../../session/projections.ts'
import type { Surface } from '../../../session/surface.ts'
import type { JudgedEvents } from '../../backend.ts'
import { Folding } from '../../reading/folding.ts'
import { Judge, type JudgedBefore } from '../../reading/judge.ts'
import { codeOfType } from '../../type-codes.ts'
import { expandRow } from '../packed-rows.ts'
import { LineLog } from './line-log.ts'
import { flagsOf, LineMap, type Place, ROW } from './line-map.ts'
import type { LineSink } from './line-scan.ts'
import type { LogText } from './log-text.ts'

const CHUNK = codeOfType('assistant/chunk')

/** A stretch of the text that was fed, and where it lies in the file. */
interface Piece {
  readonly start: number
  readonly place: Place
}

/** What is known of a log's lines without reading them. */
export interface KnownLines extends JudgedBefore {
  readonly map: LineMap
  readonly checkpoints: readonly Checkpoint[]
}

/** Judges every event while its line is at hand, and keeps of it where it lies; what cannot be read again is kept. */
export class JudgedLines implements LineSink, JudgedEvents {
  readonly map: LineMap
  readonly #known: readonly Checkpoint[]
  readonly #folding: Folding | undefined
  readonly #judge: Judge
  readonly #lines: LineLog
  readonly #pieces: Piece[] = []
  /** Events behind the mapped lines: their text is gone when the reading is over. */
  readonly #loose: { readonly stored: StoredEvent; readonly event: SessionEvent }[] = []
  #loosened = false

  /**
   * Begins with what `known` says was judged before, else at the log's first event: then `folding` goes along. `size` is
   * where the file ends.
   */
  constructor(file: string, sessionId: string, text: LogText, size: number, known?: KnownLines | Folding) {
    const folding = known instanceof Folding ? known : undefined
    const before = known instanceof Folding ? undefined : known
    this.map = before?.map ?? new LineMap()
    this.map.limit = size
    this.#known = before?.checkpoints ?? []
    this.#folding = folding
    this.#judge = new Judge(file, sessionId, seq => this.at(seq), before)
    this.#lines = new LineLog(file, this.map, text, stored => this.#judge.again(stored))
  }

  get length(): number {
    return this.map.length + this.#loose.length
  }

  get surface(): Surface {
    return this.#judge.surface
  }

  get turnOpen(): boolean {
    return this.#judge.turnOpen
  }

  get checkpoints(): readonly Checkpoint[] {
    return this.#folding?.checkpoints(this.length) ?? this.#known
  }

  /** True when all of it lies in the file in today's shapes, so that it can be known another time without reading. */
  get lasting(): boolean {
    return this.#loose.length === 0 && !this.#judge.upgraded && this.#judge.sound
  }

  assertReadable(): void {
    this.#judge.assertReadable()
  }

  assertSound(): void {
    this.#judge.assertSound()
  }

  /** The text from `start` on, in bytes of all that is fed, lies in the file at this place. */
  piece(start: number, place: Place): void {
    this.#pieces.push({ start, place })
  }

  /** What is fed from now on cannot be read again. */
  loosen(): void {
    this.#loosened = true
  }

  group(start: number, stop: number): void {
    if (this.#loosened) return
    const from = this.#placeOf(start)
    this.map.addGroup(from, this.#placeOf(stop))
  }

  event(stored: StoredEvent): void {
    const event = this.#judge.take(stored)
    this.#folding?.take(event)
    if (this.#loosened) this.#keep(stored, event)
    else this.map.addLine(event.type === 'assistant/chunk' ? CHUNK : codeOfType(event.type), 1)
  }

  row(row: JsonObject, members: number): void {
    // Its members are sound by their form: there is nothing else in them to judge.
    if (!this.#loosened) this.map.addLine(ROW, members)
    else for (const member of expandRow(row) ?? []) this.#keep(member, member)
  }

  at(seq: number): SessionEvent | undefined {
    return seq < this.map.length ? this.#lines.at(seq) : this.#loose[seq - this.map.length]?.event
  }

  *stored(from = 0): Generator<StoredEvent, void> {
    yield* this.#lines.storedFrom(from)
    yield* this.#loose.slice(Math.max(0, from - this.map.length)).map(({ stored }) => structuredClone(stored))
  }

  *today(from: number): Generator<StoredEvent, void> {
    for (const event of this.stored(from)) yield this.#judge.again(event)
  }

  seek(types: ReadonlySet<EventType>, from: number): number {
    const found = this.#lines.seek(types, from)
    if (found < this.map.length) return found
    const flags = flagsOf(types)
    const at = Math.max(from, this.map.length)
    for (let seq = at; seq < this.length; seq++) {
      if (flags[codeOfType(this.at(seq)?.type)] === 1) return seq
    }
    return this.length
  }

  #keep(stored: StoredEvent, event: StoredEvent): void {
    // Judged just now, as all of them.
    this.#loose.push({ stored, event: deepFreeze(event) as unknown as SessionEvent })
  }

  #placeOf(offset: number): Place {
    // Offsets only grow.
    while (this.#pieces.length > 1 && (this.#pieces[1]?.start ?? 0) <= offset) this.#pieces.shift()
    const { start, place } = this.#pieces[0] ?? { start: 0, place: { at: 0, skip: 0 } }
    return { at: place.at, skip: place.skip + offset - start }
  }
}
