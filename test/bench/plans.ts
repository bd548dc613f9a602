// The plans that the figures on reading are taken of.

/** A plan of so many lines, a heading in every thirty, with paths, emphasis and task lists as plans have them. */
export function planOf(lines: number): string {
  const text = ['# A plan', '']
  for (let line = 2; line < lines; line++) {
    if (line % 30 === 0) text.push(`## Part ${line / 30}`)
    else if (line % 30 === 1 || line % 5 === 4) text.push('')
    else
      text.push(
        `- [ ] ${line}. Change \`src/part-${line}/file.ts\` so that **the limit** is read from the settings, then run ${'its '.repeat(7)}tests.`,
      )
  }
  return text.join('\n')
}

/** More than 5,000 lines and 1 MB. */
export function bigPlan(): string {
  return planOf(9_700)
}
