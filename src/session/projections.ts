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
  /** Who registers it, as the beginning of a sentence for whoever misses it. */
  readonly owner?: string
  /** `own-events`: what a fork inherited (below its `seedLength`) does not count. */
  readonly folds?: 'own-events'
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
  readonly #seedLength: number
  readonly #folded = new Map<string, Folded>()

  /** `seedLength`: how many events at the log's beginning were inherited. */
  constructor(log: EventLog, seedLength = 0) {
    this.#log = log
    this.#seedLength = seedLength
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
      stored === undefined ? [] : [{ key, version, next, state: state ?? null }],
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
      const begin = projection.folds === 'own-events' ? this.#seedLength : 0
      const kept = this.#log.folded?.(projection)
      // The map forgets S; `read` gives it back, guarded by the identity check below.
      const { state, next }: { state: unknown; next: number } =
        kept !== undefined && kept.next >= begin ? kept : { state: projection.initial, next: begin }
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

/**
 * Where folding may go on from what was stored over the first events of a log of this length. Undefined, so that it is
 * folded anew, for another build's version, a shape that does not parse, and a `next` that is no place in the log.
 */
export function resumed<S>(
  { key, version, stored }: Projection<S>,
  checkpoints: readonly Checkpoint[],
  length: number,
): { readonly state: S; readonly next: number } | undefined {
  const kept = checkpoints.find(checkpoint => checkpoint.key === key && checkpoint.version === version)
  if (kept === undefined || !Number.isSafeInteger(kept.next) || kept.next < 0 || kept.next > length) return undefined
  const parsed = stored?.safeParse(kept.state)
  return parsed?.success === true ? { state: parsed.data, next: kept.next } : undefined
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
