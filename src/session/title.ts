import { z } from 'zod'
import type { SessionEvent } from './events.ts'
import type { Projection } from './projections.ts'

/** The projection `title`: the last logged title, undefined while there is none. */
export const title: Projection<string | undefined> = {
  key: 'title',
  version: 1,
  owner: 'The agent runtime (agentProjections)',
  initial: undefined,
  stored: z
    .string()
    .nullable()
    .transform(text => text ?? undefined),
  types: ['session/title'],
  apply: (state: string | undefined, event: SessionEvent) =>
    event.type === 'session/title' ? event.data.title : state,
}
