import { z } from 'zod'
import type { Invariant, Problem } from './invariant.ts'
import { read } from './invariant.ts'

const count = z.int().nonnegative()
const splice = z.looseObject({
  target: z.enum(['next-turn', 'next-step']),
  start: count,
  removedCount: count.optional(),
  inserted: z.array(z.looseObject({ id: z.string().min(1) })),
})

/** Each change of the pending input fits the list it names, and no message is pending twice. Inherited ones are over. */
export const inboxLists: Invariant = {
  types: ['agent/inbox/spliced'],
  begin({ seedLength = 0 }) {
    const lists: Record<'next-turn' | 'next-step', string[]> = { 'next-turn': [], 'next-step': [] }
    return function* (event): Generator<Problem> {
      if (event.seq < seedLength) return
      const data = read(splice, event)
      if (data === undefined) return yield ['inbox/shape', 'it is no change of a pending list']
      const { target, start, removedCount = 0, inserted } = data
      const list = lists[target]
      if (start + removedCount > list.length) return yield ['inbox/fit', `it does not fit a list of ${list.length}`]
      list.splice(start, removedCount, ...inserted.map(({ id }) => id))
      const ids = [...lists['next-turn'], ...lists['next-step']]
      if (new Set(ids).size < ids.length) yield ['inbox/twice', 'a message is pending twice']
    }
  },
}
