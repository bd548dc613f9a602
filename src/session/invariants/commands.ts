import { z } from 'zod'
import type { Invariant, Problem } from './invariant.ts'
import { read } from './invariant.ts'

const id = z.string().min(1)
const run = z.looseObject({ commandId: id, name: id, args: z.string().optional() })
const done = z.looseObject({
  commandId: id,
  kind: z.enum(['success', 'error']),
  sourceEventSeq: z.int().nonnegative().optional(),
})

/**
 * Run ids are unique, and each run settles at most once. A success may name an earlier event that is no command record.
 * The ancestor's companion does not look at runs in a seed that is loaded later; a whole log is known here.
 */
export const commands: Invariant = {
  types: ['command/run', 'command/done'],
  begin() {
    const runs = new Map<string, 'running' | 'done'>()
    const records = new Set<number>()
    return function* (event): Generator<Problem> {
      records.add(event.seq)
      if (event.type === 'command/run') {
        const data = read(run, event)
        if (data === undefined) return yield ['commands/shape', 'an id or a name is missing']
        if (runs.has(data.commandId)) yield ['commands/run', `run ${data.commandId} is not the first of its id`]
        else runs.set(data.commandId, 'running')
        return
      }
      const data = read(done, event)
      if (data === undefined) return yield ['commands/shape', 'it is no outcome of a run']
      const known = runs.get(data.commandId)
      if (known !== 'running')
        yield ['commands/done', `run ${data.commandId} ${known ? 'settled before' : 'never began'}`]
      runs.set(data.commandId, 'done')
      const source = data.sourceEventSeq
      if (source === undefined) return
      if (data.kind === 'error') yield ['commands/source', 'only a success names what it led to']
      else if (source >= event.seq) yield ['commands/source', `event ${source} is not earlier`]
      else if (records.has(source)) yield ['commands/source', `event ${source} is a command record itself`]
    }
  },
}
