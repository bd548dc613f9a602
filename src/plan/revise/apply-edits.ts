import { applyPatch, parsePatch } from 'diff'

/** One exact replacement: `old` stands exactly once in the text. */
export interface Replacement {
  readonly old: string
  readonly new: string
}

/** The whole revised text, or why it could not be made: which edit does not apply, and what is wrong with it. */
export type Revised =
  | { readonly kind: 'revised'; readonly text: string }
  | { readonly kind: 'refused'; readonly why: string }

/** Applies the replacements in order, each to the result of the ones before. All of them apply, or none. */
export function applyReplacements(text: string, edits: readonly Replacement[]): Revised {
  let revised = text
  for (const [index, edit] of edits.entries()) {
    const problem = replacementProblem(revised, edit)
    if (problem !== undefined) return { kind: 'refused', why: `Edit ${index + 1} of ${edits.length}: ${problem}` }
    revised = revised.replace(edit.old, () => edit.new)
  }
  return revised === text ? unchanged : { kind: 'revised', text: revised }
}

/** Applies a unified diff whose context lines fit exactly; line numbers may be off. */
export function applyDiff(text: string, patch: string): Revised {
  let hunks: number
  try {
    const files = parsePatch(patch)
    if (files.length > 1) return { kind: 'refused', why: 'The diff names more than one file; the plan is one text.' }
    hunks = files[0]?.hunks.length ?? 0
  } catch (error) {
    return {
      kind: 'refused',
      why: `The diff cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    }
  }
  if (hunks === 0)
    return { kind: 'refused', why: 'The diff has no hunk: a hunk begins with a line such as "@@ -3,4 +3,5 @@".' }
  const revised = applyPatch(text, patch)
  if (revised === false) return { kind: 'refused', why: misfit(text, patch) }
  return revised === text ? unchanged : { kind: 'revised', text: revised }
}

const unchanged: Revised = { kind: 'refused', why: 'The edits change nothing.' }

function replacementProblem(text: string, { old }: Replacement): string | undefined {
  if (old === '') return '"old" is empty. Give the exact words to replace.'
  const first = text.indexOf(old)
  if (first < 0) return `the words ${shown(old)} are not in the plan. Copy them exactly, with their white space.`
  if (text.indexOf(old, first + 1) < 0) return undefined
  return `the words ${shown(old)} stand in the plan more than once. Give more of what is around them.`
}

/** The first hunk that does not fit after the ones before it. */
function misfit(text: string, patch: string): string {
  const [file] = parsePatch(patch)
  let applied = text
  for (const [index, hunk] of file?.hunks.entries() ?? []) {
    const next = applyPatch(applied, { ...file, hunks: [hunk] } as Parameters<typeof applyPatch>[1])
    if (next === false) {
      const context = hunk.lines.find(line => line.startsWith(' ') || line.startsWith('-'))?.slice(1) ?? ''
      return `Hunk ${index + 1} of ${file?.hunks.length ?? 0}, which begins at ${shown(context)}, does not fit the plan. Its context lines must be exactly those of the plan.`
    }
    applied = next
  }
  return 'The diff does not fit the plan.'
}

function shown(text: string): string {
  const line = JSON.stringify(text)
  return line.length <= 80 ? line : `${line.slice(0, 79)}…"`
}
