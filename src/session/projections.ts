import type { z } from 'zod'
import { PlanModeError } from './errors.ts'
import type { EventLog } from './event-log.ts'
import type { EventType, SessionEvent } from './events.ts'

/**
 * A value folded from the log. `apply` returns the same object when the event is not its own, so that `===` answers
 * "did it change?"; it never mutates. `version` grows when the meaning of a stored state changes.
 */
export interface Projection<S> {
  readonly key: string
  readonly version: number
  readonly initial: S
  /** The only types `apply` reacts to, where it says so: a fold may then pass over all other events unread. */
  readonly types?: readonly EventType[]
  /** For a state that is JSON: what takes one back that was stored. Without it the state is always folded anew. */
  readonly stored?: z.ZodType<S>
  readonly apply: (state: S, event: SessionEvent) => S
}

/** A projection's state over the first `next` events, as it may be stored beside the log. */
export interface Checkpoint {
  readonly key: string
  readonly version: number
  readonly next: number
  readonly state: unknown
}

interface Folded {
  readonly projection: Projection<unknown>
  readonly types: ReadonlySet<EventType> | undefined
  state: unknown
  next: number
}

/** The incremental states of one log, by key. Reading costs only the events since the last read. */
export class ProjectionStates {
  readonly #log: EventLog
  readonly #folded = new Map<string, Folded>()

  constructor(log: EventLog) {
    this.#log = log
  }

  /** @throws PlanModeError `PROJECTION_CLASH` when two definitions share one key. */
  read<S>(projection: Projection<S>): S {
    const folded = this.#entry(projection)
    if (folded.next < this.#log.length) this.#fold(projection, folded)
    return folded.state as S
  }

  /** Of the states that were read so far, those that may be stored. */
  checkpoints(): readonly Checkpoint[] {
    return [...this.#folded.values()].flatMap(({ projection: { key, version, stored }, state, next }) =>
      stored === undefined ? [] : [{ key, version, next, state }],
    )
  }

  #fold<S>(projection: Projection<S>, folded: Folded): void {
    const { types } = folded
    while (folded.next < this.#log.length) {
      const seq = types === undefined ? folded.next : this.#log.seek(types, folded.next)
      const event = this.#log.at(seq)
      if (event !== undefined) folded.state = projection.apply(folded.state as S, event)
      folded.next = Math.min(seq + 1, this.#log.length)
    }
  }

  #entry<S>(projection: Projection<S>): Folded {
    const known = this.#folded.get(projection.key)
    if (known === undefined) {
      // The map forgets S; `read` gives it back, guarded by the identity check below.
      const { state = projection.initial as unknown, next = 0 } = this.#log.folded?.(projection) ?? {}
      const types = projection.types && new Set(projection.types)
      const entry = { projection: projection as Projection<unknown>, types, state, next }
      this.#folded.set(projection.key, entry)
      return entry
    }
    if (known.projection !== projection) {
      throw new PlanModeError('PROJECTION_CLASH', `Two projections use the key "${projection.key}"; rename one.`)
    }
    return known
  }
}

/** Folds a projection over any events, up to but not including `end`. */
export function fold<S>(projection: Projection<S>, events: Iterable<SessionEvent>, end = Number.POSITIVE_INFINITY): S {
  let state = projection.initial
  for (const event of events) {
    if (event.seq >= end) break
    state = projection.apply(state, event)
  }
  return state
}
