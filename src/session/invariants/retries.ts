import { z } from 'zod'
import type { Invariant, Problem } from './invariant.ts'
import { read } from './invariant.ts'

const id = z.string().min(1)
const count = z.int().positive()
const base = { retryId: id, retry: count, delayMs: z.number().nonnegative() }
const announced = z.discriminatedUnion('mode', [
  z.looseObject({ ...base, mode: z.literal('normal'), maxRetries: count }),
  z.looseObject({ ...base, mode: z.literal('always') }),
])
const started = z.looseObject({ retryId: id, retry: count })

/** A retry is announced with its number within the limit, and then begins under the same number. */
export const retries: Invariant = {
  types: ['llm/retry', 'llm/retry-started'],
  begin() {
    const waiting = new Map<string, number>()
    return function* (event): Generator<Problem> {
      if (event.type === 'llm/retry') {
        const data = read(announced, event)
        if (data === undefined) return yield ['retries/shape', 'a number is missing or out of its range']
        if (data.mode === 'normal' && data.retry > data.maxRetries) {
          yield ['retries/limit', `retry ${data.retry} of at most ${data.maxRetries}`]
        }
        waiting.set(data.retryId, data.retry)
        return
      }
      const data = read(started, event)
      if (data === undefined) return yield ['retries/shape', 'a number is missing or out of its range']
      if (waiting.get(data.retryId) !== data.retry) yield ['retries/started', 'no such retry was announced']
      waiting.delete(data.retryId)
    }
  },
}
