import type { FileChange } from './file-changes.ts'

/** Between two stretches of a file whose lines in between are not in the log. */
const GAP = '⋯'

/** Both sides of some changes of one file, as far as the log keeps them: the changed lines with those around them. */
export interface ChangeSides {
  readonly before: string
  readonly after: string
  /** Something is missing: a diff that was cut, or none at all. */
  readonly partial: boolean
}

export function changeSides(changes: readonly FileChange[]): ChangeSides {
  const before: string[] = []
  const after: string[] = []
  for (const { diff = '' } of changes) {
    for (const line of diff === '' ? [] : diff.split('\n')) {
      const [sign, text] = [line.charAt(0), line.slice(1)]
      if (sign === '@') {
        if (before.length + after.length > 0) for (const side of [before, after]) side.push(GAP)
      } else if (sign === '-') before.push(text)
      else if (sign === '+') after.push(text)
      else if (sign === ' ') for (const side of [before, after]) side.push(text)
    }
  }
  const partial = changes.some(({ diff, cut }) => diff === undefined || cut === true)
  return { before: joined(before), after: joined(after), partial }
}

function joined(lines: readonly string[]): string {
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`
}
