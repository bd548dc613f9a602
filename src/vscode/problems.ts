import { PlanModeError } from '../session/errors.ts'
import { Signal } from './signal.ts'

/** What is wrong in the window, by where it comes from; `setting` is the key to open, when a setting is to blame. */
export interface Problem {
  readonly error: PlanModeError
  readonly setting?: string
}

/** The problems in force. The first one, in the order of their sources' first appearance, is the one that is shown. */
export class Problems {
  readonly changed = new Signal()
  readonly #bySource = new Map<string, Problem>()

  get first(): Problem | undefined {
    return this.#bySource.values().next().value
  }

  /** Sets or clears what `source` reports. Tells only of a change. */
  report(source: string, problem: Problem | undefined): void {
    const known = this.#bySource.get(source)
    if (known?.error.message === problem?.error.message) return
    if (problem === undefined) this.#bySource.delete(source)
    else this.#bySource.set(source, problem)
    this.changed.fire()
  }

  /** Clears what the other sources report: those of a folder that left, say. */
  retain(isKept: (source: string) => boolean): void {
    for (const source of [...this.#bySource.keys()]) if (!isKept(source)) this.report(source, undefined)
  }

  /** Runs a check; what it throws is the source's problem until a later run succeeds. */
  check(source: string, setting: string, run: () => unknown): void {
    try {
      run()
      this.report(source, undefined)
    } catch (error) {
      if (!(error instanceof PlanModeError)) throw error
      this.report(source, { error, setting })
    }
  }
}
