import { type EventData, eventSchemas, type SessionEvent } from './events.ts'
import type { Projection } from './projections.ts'

export type Todos = EventData<'todo/write'>['todos']

/** The projection `todo`: the list that was written last, as a whole; empty while there is none. */
export const todo: Projection<Todos> = {
  key: 'todo',
  version: 1,
  owner: 'The agent runtime (agentProjections)',
  initial: [],
  stored: eventSchemas['todo/write'].shape.todos,
  types: ['todo/write'],
  apply: (state: Todos, event: SessionEvent) => (event.type === 'todo/write' ? event.data.todos : state),
}
