import type { StoredEvent } from '../../session/envelope.ts'
import type { EventType, SessionEvent } from '../../session/events.ts'
import { deepFreeze } from '../../session/json.ts'
import type { Checkpoint } from '../../session/projections.ts'
import type { Surface } from '../../session/surface.ts'
import type { JudgedEvents } from '../backend.ts'
import { SessionPersistenceCorruptionError } from '../errors.ts'
import { codeOfType, codesOf } from '../type-codes.ts'
import type { KeptState } from './kept-state.ts'
import type { StoredRows } from './stored-rows.ts'

/** A session's events by the state that was kept of them: sound, in today's shapes, made when somebody wants them. */
export class JudgedRows implements JudgedEvents {
  readonly state: KeptState
  readonly #rows: StoredRows
  readonly #label: string
  readonly #made: (SessionEvent | undefined)[] = []

  constructor(state: KeptState, rows: StoredRows, label: string) {
    this.state = state
    this.#rows = rows
    this.#label = label
  }

  get length(): number {
    return this.state.types.length
  }

  get surface(): Surface {
    return this.state.surface
  }

  get turnOpen(): boolean {
    return this.state.turnOpen
  }

  get checkpoints(): readonly Checkpoint[] {
    return this.state.checkpoints
  }

  assertReadable(): void {}

  assertSound(): void {}

  at(seq: number): SessionEvent | undefined {
    if (!Number.isSafeInteger(seq) || seq < 0 || seq >= this.length) return undefined
    this.#made[seq] ??= this.#make(seq)
    return this.#made[seq]
  }

  *today(from: number): Generator<StoredEvent, void> {
    for (let seq = from; seq < this.length; seq++) yield this.#rows.stored(seq)
  }

  seek(types: ReadonlySet<EventType>, from: number): number {
    const flags = codesOf(types)
    const codes = this.state.types
    for (let seq = from; seq < codes.length; seq++) if (flags[codes[seq] ?? 0] === 1) return seq
    return this.length
  }

  #make(seq: number): SessionEvent {
    const stored = this.#rows.stored(seq)
    if (codeOfType(stored.type) !== this.state.types[seq]) {
      throw new SessionPersistenceCorruptionError(`${this.#label} is damaged: event ${seq} is of another type now.`)
    }
    // Judged before its state was kept.
    return deepFreeze(stored) as unknown as SessionEvent
  }
}
