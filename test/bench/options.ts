// How the benchmark was called.
import { parseArgs } from 'node:util'

/** `cpu`: milliseconds that the process itself computed, for a machine whose other work blurs the wall clock. */
export type Clock = 'wall' | 'cpu'

export interface Options {
  /** The groups to measure; all when there are none. */
  readonly only: readonly string[]
  /** Appends wait for a disk and are always measured by the wall. */
  readonly clock: Clock
}

/** @throws for an option there is not. */
export function options(): Options {
  const { values } = parseArgs({
    options: { only: { type: 'string', multiple: true, default: [] }, clock: { type: 'string', default: 'wall' } },
  })
  const { only, clock } = values
  if (clock !== 'wall' && clock !== 'cpu') throw new Error(`There is no clock "${clock}"; there are wall and cpu.`)
  return { only, clock }
}
