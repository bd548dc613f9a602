import { diffLines, structuredPatch } from 'diff'

/** Lines `start` to `end` (0-based, `end` exclusive) of a text. */
export interface Lines {
  readonly start: number
  readonly end: number
}

/** A stretch where two texts differ; `from` or `to` is empty where lines were only added or only removed. */
export interface Change {
  readonly from: Lines
  readonly to: Lines
}

/** Beyond this many changed lines the texts count as rewritten: finding the smallest change would take too long. */
const MOST_CHANGED = 4_000

/** Where two texts differ, by lines, in order. Equal texts differ nowhere. */
export function changesBetween(from: string, to: string): readonly Change[] {
  const parts = diffLines(from, to, { maxEditLength: MOST_CHANGED })
  if (parts === undefined) return [{ from: whole(from), to: whole(to) }]
  const changes: Change[] = []
  let [old, now] = [0, 0]
  let open: { readonly old: number; readonly now: number } | undefined
  const close = () => {
    if (open !== undefined) changes.push({ from: { start: open.old, end: old }, to: { start: open.now, end: now } })
    open = undefined
  }
  for (const { added, removed, count = 0 } of parts) {
    if (added || removed) open ??= { old, now }
    else close()
    if (!added) old += count
    if (!removed) now += count
  }
  close()
  return changes
}

/** Added and removed lines in all, as a badge shows them. */
export function sizeOf(changes: readonly Change[]): { readonly added: number; readonly removed: number } {
  const count = (side: 'from' | 'to') => changes.reduce((sum, change) => sum + change[side].end - change[side].start, 0)
  return { added: count('to'), removed: count('from') }
}

/** The change as a unified diff with three lines of context, without file names; empty when nothing changed. */
export function unifiedDiff(from: string, to: string): string {
  if (from === to) return ''
  const { hunks } = structuredPatch('', '', from, to, undefined, undefined, { context: 3 })
  return hunks
    .map(({ oldStart, oldLines, newStart, newLines, lines }) => {
      // An empty side is named by the line before it.
      const place = (start: number, count: number) => `${count === 0 ? start - 1 : start},${count}`
      return [`@@ -${place(oldStart, oldLines)} +${place(newStart, newLines)} @@`, ...lines].join('\n')
    })
    .join('\n')
}

function whole(text: string): Lines {
  const { length } = text.split('\n')
  return { start: 0, end: text.endsWith('\n') || text === '' ? length - 1 : length }
}
