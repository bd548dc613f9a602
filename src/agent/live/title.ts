import { textOf, type UserMessage } from '../../session/messages.ts'

/** The longest fallback title, in characters. */
export const MAX_TITLE = 60

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
