// Where in a plan remarks are that still ask for something.
import type { RemarkView } from '../review-messages.ts'

/** The lines (0-based, ascending) on which remarks begin that are not dealt with, one for each. */
export function remarkedLines(remarks: readonly RemarkView[], lines: readonly string[]): readonly number[] {
  const starts = remarks.flatMap(({ range, state }) => (range && state !== 'resolved' ? [range.start] : []))
  const found: number[] = []
  let [line, end] = [0, lines[0]?.length ?? 0]
  for (const start of starts.sort((one, other) => one - other)) {
    while (end < start && line < lines.length - 1) end += 1 + (lines[++line]?.length ?? 0)
    found.push(line)
  }
  return found
}
