import { z } from 'zod'
import { canonical } from '../json.ts'
import type { Invariant, Problem } from './invariant.ts'
import { read } from './invariant.ts'

const config = z.looseObject({ provider: z.string().min(1), model: z.string().min(1) })
const header = z.looseObject({ header: z.looseObject({ config }), reason: z.enum(['initial', 'resume', 'change']) })
const answer = z.looseObject({ message: z.looseObject({ source: config }) })

/**
 * What a model was asked can be read from the log: a header says rightly why it was logged and names the model that
 * answers under it.
 */
export const requests: Invariant = {
  types: ['request/header', 'assistant/message'],
  begin() {
    let last: { readonly text: string; readonly config: z.infer<typeof config> } | undefined
    return function* (event): Generator<Problem> {
      if (event.type === 'request/header') {
        const data = read(header, event)
        if (data === undefined) return yield ['requests/shape', 'it names no model, or no known reason']
        const text = canonical(data.header)
        if ((data.reason === 'initial') !== (last === undefined)) {
          yield ['requests/reason', last === undefined ? 'it is the first header' : 'it is not the first header']
        } else if (data.reason === 'change' && text === last?.text) yield ['requests/reason', 'nothing has changed']
        last = { text, config: data.header.config }
      } else if (last !== undefined) {
        const from = read(answer, event)?.message.source
        if (from !== undefined && (from.provider !== last.config.provider || from.model !== last.config.model)) {
          yield ['requests/model', `${last.config.provider}/${last.config.model} was asked`]
        }
      }
    }
  },
}
