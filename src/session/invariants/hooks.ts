import { z } from 'zod'
import type { Invariant, Problem } from './invariant.ts'
import { read } from './invariant.ts'

const id = z.string().min(1)
const hook = z.looseObject({ turn: z.int().positive(), point: id, handlerId: id })
const invoked = z.looseObject({ ...hook.shape, dialect: z.enum(['claude-code', 'codex']) })

/** Hooks run in the open turn, speak a known dialect, and each result answers an invocation. */
export const hooks: Invariant = {
  types: ['turn/start', 'hook/invoked', 'hook/result'],
  begin() {
    const waiting = new Map<string, number>()
    return function* (event, at): Generator<Problem> {
      if (event.type === 'turn/start') return waiting.clear()
      const data = read(event.type === 'hook/invoked' ? invoked : hook, event)
      if (data === undefined) return yield ['hooks/shape', 'the point, the handler or its dialect is not known']
      if (!at.turnOpen || data.turn !== at.turn) yield ['hooks/turn', `turn ${data.turn} is not open`]
      const key = JSON.stringify([data.point, data.handlerId])
      const open = waiting.get(key) ?? 0
      if (event.type === 'hook/invoked') waiting.set(key, open + 1)
      else if (open === 0) yield ['hooks/pair', `${data.handlerId} was not invoked at ${data.point}`]
      else waiting.set(key, open - 1)
    }
  },
}
