/** How many lines a change adds and removes, counted as a diff shows them. */
export interface LineCounts {
  readonly added: number
  readonly removed: number
}

/** Cells of the comparison table; past that, every line between the common ends counts as replaced. */
const maxCells = 4_000_000

/** Compares two texts by line; `before` undefined means that the file does not exist. */
export function countLines(before: string | undefined, after: string): LineCounts {
  const old = linesOf(before ?? '')
  const fresh = linesOf(after)
  let head = 0
  while (head < old.length && head < fresh.length && old[head] === fresh[head]) head++
  let tail = 0
  const shorter = Math.min(old.length, fresh.length) - head
  while (tail < shorter && old[old.length - 1 - tail] === fresh[fresh.length - 1 - tail]) tail++
  const removed = old.slice(head, old.length - tail)
  const added = fresh.slice(head, fresh.length - tail)
  const common = removed.length * added.length > maxCells ? 0 : commonLength(removed, added)
  return { added: added.length - common, removed: removed.length - common }
}

/** The lines of a text; a last line without a line end is one too. */
function linesOf(text: string): string[] {
  if (text === '') return []
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')
}

/** The length of the longest common subsequence, in one row at a time. */
function commonLength(left: readonly string[], right: readonly string[]): number {
  let above = new Uint32Array(right.length + 1)
  for (const line of left) {
    const row = new Uint32Array(right.length + 1)
    for (const [column, other] of right.entries()) {
      row[column + 1] = line === other ? (above[column] ?? 0) + 1 : Math.max(above[column + 1] ?? 0, row[column] ?? 0)
    }
    above = row
  }
  return above[right.length] ?? 0
}
