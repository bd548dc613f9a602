import type { StoredEvent } from '../../session/envelope.ts'
import type { EventType, SessionEvent } from '../../session/events.ts'
import { deepFreeze } from '../../session/json.ts'
import type { Checkpoint } from '../../session/projections.ts'
import type { Surface } from '../../session/surface.ts'
import type { JudgedEvents, StoredLog } from '../backend.ts'
import { Folding, type Wanted } from './folding.ts'
import { Judge } from './judge.ts'

/** The events of a log that was read whole, judged one after the other. Takes them over. */
export class JudgedArray implements JudgedEvents {
  readonly checkpoints: readonly Checkpoint[]
  readonly #judge: Judge
  readonly #events: StoredEvent[] = []

  constructor({ file, header, events }: Pick<StoredLog, 'file' | 'header' | 'events'>, wanted: Wanted = () => []) {
    this.#judge = new Judge(file, header.id, seq => this.at(seq))
    const folding = new Folding(header, wanted)
    for (const stored of events) {
      const event = this.#judge.take(stored)
      this.#events.push(event)
      folding.take(event)
    }
    this.checkpoints = folding.checkpoints(this.#events.length)
  }

  get length(): number {
    return this.#events.length
  }

  get surface(): Surface {
    return this.#judge.surface
  }

  get turnOpen(): boolean {
    return this.#judge.turnOpen
  }

  /** True when all of it is stored in today's shapes and sound, so that it can be known another time without judging. */
  get lasting(): boolean {
    return !this.#judge.upgraded && this.#judge.sound
  }

  assertReadable(): void {
    this.#judge.assertReadable()
  }

  assertSound(): void {
    this.#judge.assertSound()
  }

  at(seq: number): SessionEvent | undefined {
    const event = this.#events[seq]
    // Judged when it was taken.
    return event && (deepFreeze(event) as unknown as SessionEvent)
  }

  today(from: number): Iterable<StoredEvent> {
    return this.#events.slice(from)
  }

  seek(types: ReadonlySet<EventType>, from: number): number {
    for (let seq = from; seq < this.#events.length; seq++) {
      const type = this.#events[seq]?.type
      if (typeof type === 'string' && (types as ReadonlySet<string>).has(type)) return seq
    }
    return this.#events.length
  }
}
