import { z } from 'zod'
import { eventSchemas } from '../events.ts'
import type { Invariant, Problem } from './invariant.ts'
import { read } from './invariant.ts'

const asked = z.looseObject({ id: z.string().min(1), toolName: z.string().min(1) })
const decided = z.looseObject(eventSchemas['approval/decided'].shape)
const policy = z.looseObject(eventSchemas['approval/policy'].shape)
const end = z.looseObject({ reason: z.looseObject({ kind: z.string() }) })

/** Asked and decided in an open turn, once each, with known words; only a turn that a crash cut leaves one undecided. */
export const approvals: Invariant = {
  types: ['turn/end', 'approval/asked', 'approval/decided', 'approval/policy'],
  begin() {
    const ids = new Set<string>()
    const open = new Set<string>()
    return function* (event, at): Generator<Problem> {
      switch (event.type) {
        case 'turn/end':
          if (open.size > 0 && read(end, event)?.reason.kind !== 'interrupted') {
            yield ['approvals/undecided', `undecided: ${[...open].join(', ')}`]
          }
          open.clear()
          return
        case 'approval/policy':
          if (!read(policy, event)) yield ['approvals/shape', 'that policy is not known']
          return
        case 'approval/asked': {
          const data = read(asked, event)
          if (data === undefined) return yield ['approvals/shape', 'the id or the name of the tool is missing']
          if (!at.turnOpen) yield ['approvals/turn', 'no turn is open']
          if (ids.has(data.id)) yield ['approvals/pair', `${data.id} was asked before`]
          ids.add(data.id)
          open.add(data.id)
          return
        }
        default: {
          const data = read(decided, event)
          if (data === undefined) return yield ['approvals/shape', 'that outcome is not known']
          if (!at.turnOpen) yield ['approvals/turn', 'no turn is open']
          else if (!open.delete(data.id)) yield ['approvals/pair', `${data.id} does not wait for a decision`]
        }
      }
    }
  },
}
