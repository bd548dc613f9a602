import { PlanModeError } from './errors.ts'
import type { Projection } from './projections.ts'

/** Whose log is folded; a `Session` is one. */
interface Folds {
  state<S>(projection: Projection<S>): S
}

/**
 * The projections of one composition, each under its key. Whoever brings one in registers it; whoever depends on one
 * reads it here, so that a part that was left out shows at the first access, by name, and not as a state that never
 * changes. The states themselves belong to the sessions.
 */
export class ProjectionRegistry {
  readonly #byKey = new Map<string, Projection<unknown>>()

  /** Disposing takes it out again. @throws PlanModeError `PROJECTION_CLASH` while the key is taken. */
  register<S>(projection: Projection<S>): Disposable {
    const { key } = projection
    if (this.#byKey.has(key)) {
      throw new PlanModeError('PROJECTION_CLASH', `The projection "${key}" is registered already; rename one.`)
    }
    // The map forgets S; who reads brings the definition along.
    const known = projection as Projection<unknown>
    this.#byKey.set(key, known)
    return {
      [Symbol.dispose]: () => {
        if (this.#byKey.get(key) === known) this.#byKey.delete(key)
      },
    }
  }

  get all(): readonly Projection<unknown>[] {
    return [...this.#byKey.values()]
  }

  /** The state over the session's whole log; folds only what came since the last read. @throws as `require`. */
  state<S>(session: Folds, projection: Projection<S>): S {
    this.require(projection)
    return session.state(projection)
  }

  /**
   * @throws PlanModeError `UNKNOWN_PROJECTION` when nothing has the key, `PROJECTION_CLASH` when another definition has.
   */
  require<S>(projection: Projection<S>): void {
    const { key, owner = 'Whoever reads it' } = projection
    const found: unknown = this.#byKey.get(key)
    if (found === projection) return
    if (found !== undefined) {
      throw new PlanModeError('PROJECTION_CLASH', `The projection "${key}" is registered with another definition.`)
    }
    throw new PlanModeError(
      'UNKNOWN_PROJECTION',
      `The projection "${key}" is not part of this composition. ${owner} has to register it before it is read.`,
    )
  }
}
