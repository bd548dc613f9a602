import { z } from 'zod'
import { eventSchemas } from '../events.ts'
import type { Invariant, Problem } from './invariant.ts'
import { read } from './invariant.ts'

const item = z.looseObject(eventSchemas['todo/write'].shape.todos.element.shape)
const write = z.looseObject({ todos: z.array(item) })

/** Each entry is said once, without space around it, in a known state. */
export const todoList: Invariant = {
  types: ['todo/write'],
  begin: () =>
    function* (event): Generator<Problem> {
      const data = read(write, event)
      if (data === undefined) return yield ['todo/shape', 'an entry has no content or no known state']
      const contents = data.todos.map(({ content }) => content)
      const odd = contents.find(content => content === '' || content !== content.trim())
      if (odd !== undefined) yield ['todo/content', `an entry is empty or has space around it: "${odd}"`]
      if (new Set(contents).size < contents.length) yield ['todo/unique', 'an entry is there twice']
    },
}
