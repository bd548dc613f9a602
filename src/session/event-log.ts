import type { EventType, SessionEvent } from './events.ts'
import type { Projection } from './projections.ts'

/** What a `Session` keeps its events in: all of them at hand, or made of what is stored when they are asked for. */
export interface EventLog {
  readonly length: number
  /** The event of this seq, frozen and always the same object; undefined outside `0 .. length - 1`. */
  at(seq: number): SessionEvent | undefined
  /** Takes the event over, which is frozen and has the seq `length`. */
  push(event: SessionEvent): void
  /** The first seq from `from` on whose event is of one of these types; at least `length` when there is none. */
  seek(types: ReadonlySet<EventType>, from: number): number
  /** The projection's state over the first `next` events, where the log knows it without folding. */
  folded?<S>(projection: Projection<S>): { readonly state: S; readonly next: number } | undefined
}

/** Events that are all there. */
export class EventArray implements EventLog {
  readonly #events: SessionEvent[]

  /** Takes the array over; its events must be frozen, contiguous and numbered from 0. */
  constructor(events: SessionEvent[]) {
    this.#events = events
  }

  get length(): number {
    return this.#events.length
  }

  at(seq: number): SessionEvent | undefined {
    return this.#events[seq]
  }

  push(event: SessionEvent): void {
    this.#events.push(event)
  }

  seek(types: ReadonlySet<EventType>, from: number): number {
    for (let seq = from; seq < this.#events.length; seq++) {
      const event = this.#events[seq]
      if (event !== undefined && types.has(event.type)) return seq
    }
    return this.#events.length
  }
}
