import type { EventLog } from '../../session/event-log.ts'
import type { EventType, SessionEvent } from '../../session/events.ts'
import { deepFreeze } from '../../session/json.ts'
import { type Projection, resumed } from '../../session/projections.ts'
import { surface } from '../../session/surface.ts'
import type { JudgedEvents } from '../backend.ts'

/** A session's events that are stored, made when they are asked for, and behind them those that came since. */
export class RecoveredLog implements EventLog {
  readonly #judged: JudgedEvents
  readonly #stored: number
  readonly #closers: readonly SessionEvent[]
  readonly #since: SessionEvent[] = []

  constructor(judged: JudgedEvents, closers: readonly SessionEvent[]) {
    this.#judged = judged
    this.#stored = judged.length
    this.#closers = closers
    for (const closer of closers) this.#since.push(deepFreeze(closer))
  }

  /** The same as it was when it was made, for somebody else. */
  again(): RecoveredLog {
    return new RecoveredLog(this.#judged, this.#closers)
  }

  get length(): number {
    return this.#stored + this.#since.length
  }

  at(seq: number): SessionEvent | undefined {
    return seq < this.#stored ? this.#judged.at(seq) : this.#since[seq - this.#stored]
  }

  push(event: SessionEvent): void {
    this.#since.push(event)
  }

  seek(types: ReadonlySet<EventType>, from: number): number {
    const stored = this.#stored
    const found = from < stored ? this.#judged.seek(types, from) : stored
    if (found < stored) return found
    for (let seq = Math.max(from, stored); seq < this.length; seq++) {
      const event = this.#since[seq - stored]
      if (event !== undefined && types.has(event.type)) return seq
    }
    return this.length
  }

  folded<S>(projection: Projection<S>): { readonly state: S; readonly next: number } | undefined {
    // One definition, one type of state.
    if ((projection as unknown) === surface) {
      return { state: this.#judged.surface as unknown as S, next: this.#stored }
    }
    return resumed(projection, this.#judged.checkpoints ?? [], this.#stored)
  }
}
