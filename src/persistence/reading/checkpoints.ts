import { z } from 'zod'
import type { Checkpoint } from '../../session/projections.ts'

/** Projection states as they are stored beside a log. What each of them is worth is asked when it is gone on from. */
export const checkpointList = z.array(
  z.strictObject({ key: z.string(), version: z.number(), next: z.int().nonnegative(), state: z.json() }),
)

/** The newer of two states of each projection, in the order of their keys. */
export function merged(old: readonly Checkpoint[], fresh: readonly Checkpoint[]): readonly Checkpoint[] {
  const keys = new Set(fresh.map(({ key }) => key))
  const all = [...old.filter(({ key }) => !keys.has(key)), ...fresh]
  return all.sort((a, b) => (a.key < b.key ? -1 : 1))
}
