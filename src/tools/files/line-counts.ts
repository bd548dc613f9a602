import { diffArrays } from 'diff'

/** How many lines a change adds and removes, counted as a diff shows them. */
export interface LineCounts {
  readonly added: number
  readonly removed: number
}

/** Lines that may differ before the comparison, whose work grows with their square, is given up. */
const maxEditLength = 2000

/**
 * Compares two texts by line; `before` undefined means that the file does not exist. Past `maxEditLength` every line
 * between the common ends counts as replaced.
 */
export function countLines(before: string | undefined, after: string): LineCounts {
  const old = linesOf(before ?? '')
  const fresh = linesOf(after)
  const shorter = Math.min(old.length, fresh.length)
  let head = 0
  while (head < shorter && old[head] === fresh[head]) head++
  let tail = 0
  while (tail < shorter - head && old.at(-1 - tail) === fresh.at(-1 - tail)) tail++
  const removed = old.slice(head, old.length - tail)
  const added = fresh.slice(head, fresh.length - tail)
  const changes = diffArrays(removed, added, { maxEditLength }) ?? []
  const common = changes.reduce((sum, change) => sum + (change.added || change.removed ? 0 : change.count), 0)
  return { added: added.length - common, removed: removed.length - common }
}

/** The lines of a text; a last line without a line end is one too. */
function linesOf(text: string): string[] {
  if (text === '') return []
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')
}
