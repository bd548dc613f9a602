import { PlanModeError } from './errors.ts'
import type { SessionEvent } from './events.ts'

/**
 * A value folded from the log. `apply` returns the same object when the event is not its own, so that `===` answers
 * "did it change?"; it never mutates. `version` grows when the meaning of a stored state changes.
 */
export interface Projection<S> {
  readonly key: string
  readonly version: number
  readonly initial: S
  readonly apply: (state: S, event: SessionEvent) => S
}

interface Log {
  readonly length: number
  at(seq: number): SessionEvent
}

interface Folded {
  readonly projection: Projection<unknown>
  state: unknown
  next: number
}

/** The incremental states of one log, by key. Reading costs only the events since the last read. */
export class ProjectionStates {
  readonly #log: Log
  readonly #folded = new Map<string, Folded>()

  constructor(log: Log) {
    this.#log = log
  }

  /** @throws PlanModeError `PROJECTION_CLASH` when two definitions share one key. */
  read<S>(projection: Projection<S>): S {
    const folded = this.#entry(projection)
    while (folded.next < this.#log.length) {
      folded.state = projection.apply(folded.state as S, this.#log.at(folded.next))
      folded.next++
    }
    return folded.state as S
  }

  #entry<S>(projection: Projection<S>): Folded {
    const known = this.#folded.get(projection.key)
    if (known === undefined) {
      // The map forgets S; `read` gives it back, guarded by the identity check below.
      const entry = { projection: projection as Projection<unknown>, state: projection.initial as unknown, next: 0 }
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
