import type { SessionEvent } from '../session/events.ts'
import type { Projection } from '../session/projections.ts'

/** The session's title: the last one that was logged wins; undefined while there is none. */
export const sessionTitle: Projection<string | undefined> = {
  key: 'session/title',
  version: 1,
  initial: undefined,
  types: ['session/title'],
  apply: (state: string | undefined, event: SessionEvent) =>
    event.type === 'session/title' ? event.data.title : state,
}
