import { structuredPatch } from 'diff'

/** Characters of a diff that go into the log with an edit. */
export const LONGEST_DIFF = 30_000
/** Lines that may differ before the smallest change is no longer looked for. */
const MOST_CHANGED = 2_000

/** A change as a unified diff without file names; `cut`: it goes on, or was too large to be told at all. */
export interface ChangeDiff {
  readonly diff: string
  readonly cut?: true
}

/** The bounded diff of one edit with three lines of context; whole lines only. `before` undefined: a new file. */
export function changeDiff(before: string | undefined, after: string): ChangeDiff {
  const patch = structuredPatch('', '', before ?? '', after, undefined, undefined, {
    context: 3,
    maxEditLength: MOST_CHANGED,
  })
  if (patch === undefined) return { diff: '', cut: true }
  const lines: string[] = []
  let length = 0
  for (const { oldStart, oldLines, newStart, newLines, lines: changed } of patch.hunks) {
    for (const line of [`@@ -${place(oldStart, oldLines)} +${place(newStart, newLines)} @@`, ...changed]) {
      length += line.length + 1
      if (length > LONGEST_DIFF) return { diff: lines.join('\n'), cut: true }
      lines.push(line)
    }
  }
  return { diff: lines.join('\n') }
}

/** An empty side is named by the line before it. */
function place(start: number, count: number): string {
  return `${count === 0 ? Math.max(0, start - 1) : start},${count}`
}
