import type { StoredEvent } from '../../session/envelope.ts'
import type { SessionEvent } from '../../session/events.ts'
import type { SessionHeader } from '../../session/header.ts'
import type { Checkpoint, Projection } from '../../session/projections.ts'

/** The projections whose states are wanted of every log that is read whole; asked at each. */
export type Wanted = () => readonly Projection<unknown>[]

interface Fold {
  readonly projection: Projection<unknown>
  /** Seq of the first event that counts. */
  readonly from: number
  state: unknown
  /** An event broke it: whoever asks for the state folds it anew, and is told. */
  broken: boolean
}

/**
 * Folds projections while the events of a log are at hand anyway, so that nobody who asks for their states reads the
 * log again. Only those that say which types they fold, and whose states may be stored.
 */
export class Folding {
  readonly #folds: readonly Fold[]
  readonly #byType = new Map<string, Fold[]>()

  constructor({ seedLength = 0 }: SessionHeader, wanted: Wanted) {
    this.#folds = wanted().flatMap(projection =>
      projection.types === undefined || projection.stored === undefined ? [] : [begun(projection, seedLength)],
    )
    for (const fold of this.#folds) {
      for (const type of fold.projection.types ?? []) {
        this.#byType.set(type, [...(this.#byType.get(type) ?? []), fold])
      }
    }
  }

  /** The next event, in today's shape. */
  take(event: StoredEvent): void {
    for (const fold of this.#byType.get(String(event.type)) ?? []) {
      if (event.seq < fold.from || fold.broken) continue
      try {
        // Judged just now: this is where a stored line becomes an event.
        fold.state = fold.projection.apply(fold.state, event as unknown as SessionEvent)
      } catch {
        fold.broken = true
      }
    }
  }

  /** The states over the first `next` events, all of which were taken. */
  checkpoints(next: number): readonly Checkpoint[] {
    return this.#folds.flatMap(({ projection: { key, version }, from, state, broken }) =>
      broken || next < from ? [] : [{ key, version, next, state }],
    )
  }
}

function begun(projection: Projection<unknown>, seedLength: number): Fold {
  const from = projection.folds === 'own-events' ? seedLength : 0
  return { projection, from, state: projection.initial, broken: false }
}
