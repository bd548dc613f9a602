import type { SessionEvent } from '../../session/events.ts'
import { textOf, type UserMessage } from '../../session/messages.ts'
import type { Projection } from '../../session/projections.ts'

/** The longest fallback title, in characters. */
export const MAX_TITLE = 60

/** The projection `title`: the last logged title, undefined while there is none. */
export const title: Projection<string | undefined> = {
  key: 'title',
  version: 1,
  initial: undefined,
  types: ['session/title'],
  apply: (state: string | undefined, event: SessionEvent) =>
    event.type === 'session/title' ? event.data.title : state,
}

/** A one-line title from a message's own words, without a leading slash command; undefined when it has no words. */
export function titleFrom(message: UserMessage): string | undefined {
  const words = textOf(message)
    .trim()
    .replace(/^\/[a-z][a-z0-9_-]*(?=\s|$)/, '')
  const line = words
    .split(/[\r\n]+/)
    .map(each => each.replace(/\s+/g, ' ').trim())
    .find(each => each !== '')
  if (line === undefined) return undefined
  const characters = [...line]
  if (characters.length <= MAX_TITLE) return line
  return `${characters
    .slice(0, MAX_TITLE - 1)
    .join('')
    .trimEnd()}…`
}
