import { z } from 'zod'
import type { Invariant, Problem } from './invariant.ts'
import { read } from './invariant.ts'

const title = z.looseObject({
  title: z.string().min(1),
  messageSeqs: z.array(z.int().nonnegative()),
  source: z.looseObject({ kind: z.string() }),
})

/** A title cites the messages it was made of; one that a user chose cites none. */
export const titles: Invariant = {
  types: ['session/title', 'user/message'],
  begin() {
    const messages = new Set<number>()
    return function* (event): Generator<Problem> {
      if (event.type === 'user/message') return void messages.add(event.seq)
      const data = read(title, event)
      if (data === undefined) return yield ['titles/shape', 'the title or its citation is missing']
      const { messageSeqs, source } = data
      if ((source.kind === 'user') !== (messageSeqs.length === 0)) {
        yield ['titles/citation', source.kind === 'user' ? 'a chosen title cites messages' : 'it cites no message']
      } else if (new Set(messageSeqs).size < messageSeqs.length || messageSeqs.some(seq => !messages.has(seq))) {
        yield ['titles/citation', 'what it cites is not one earlier message each']
      }
    }
  },
}
