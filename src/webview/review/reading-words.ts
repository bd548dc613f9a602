// What the reading side of the review panel says.
import type { ChangesView, NamedFile, ReachView } from '../review-messages.ts'

const files = (count: number): string => (count === 1 ? '1 file' : `${count} files`)
const lines = (count: number): string => (count === 1 ? '1 line' : `${count} lines`)

export const readingWords = {
  outline: 'Outline',
  showOutline: 'Show the outline',
  fold: (title: string): string => `Fold ${title}`,
  unfold: (title: string): string => `Unfold ${title}`,
  untitled: 'Untitled section',
  remarks: (count: number): string => (count === 1 ? 'remark' : 'remarks'),
  moreSections: (count: number): string => `Show ${count} more sections`,
  reach: 'Reach',
  named: (count: number): string => `${files(count)} named`,
  exist: (count: number): string => `${count} exist`,
  tests: (count: number): string => (count === 1 ? '1 is a test' : `${count} are tests`),
  missing: (count: number): string => `${count} not found`,
  missingTitle: (path: string): string => `${path} was not found in the workspace`,
  missingSymbol: (name: string): string => `No symbol named ${name} was found in the workspace`,
  tracked: (count: number, changed: number): string =>
    changed === 0 ? `${count} in version control, none changed` : `${count} in version control, ${changed} changed`,
  state: ({ test, tree }: NamedFile): string =>
    [
      test ? 'test' : '',
      tree === 'changed' ? 'changed, not committed' : tree === 'untracked' ? 'not in version control' : '',
    ]
      .filter(part => part !== '')
      .join(' · '),
  diagram: 'Diagram',
  diagramText: 'Its text',
  undrawn: 'A Mermaid diagram that cannot be drawn here; this is its text.',
  search: 'Search the plan',
  searchHint: 'Search the plan (Ctrl+F)',
  searchLabel: 'Words to find',
  previous: 'Previous match (Shift+Enter)',
  next: 'Next match (Enter)',
  close: 'Close the search (Escape)',
  found: (at: number, count: number, capped: boolean): string => `${at} of ${count}${capped ? '+' : ''}`,
  foundNone: 'Nothing found',
  foundSoFar: 'Nothing found yet',
  since: ({ base, decided }: ChangesView): string =>
    decided ? `since your decision on revision ${base}` : `since revision ${base}`,
  sinceShort: ({ decided }: ChangesView): string => (decided ? 'since your remarks' : 'since the last revision'),
  compareWith: 'Changes since',
  sinceName: (revision: number, state: string): string =>
    `since revision ${revision}${state === '' ? '' : ` · ${state}`}`,
  size: ({ added, removed }: ChangesView): string => `${lines(added)} added, ${removed} removed`,
  nextChange: 'Go to the next change',
  added: (base: number): string => `Added since revision ${base}`,
  changed: (base: number): string => `Changed since revision ${base}`,
  removedHere: (base: number): string => `Text was removed here since revision ${base}`,
  showRemoved: (count: number): string => `Show what was here: ${lines(count)} removed`,
  hideRemoved: 'Hide what was here',
  removedLabel: 'Removed text',
  writing: 'The agent is writing this plan. You can read along; it can be decided once it is presented.',
  backToReview: 'Back to the review',
  writingTitle: 'A plan is being written',
} as const

export interface ReachCounts {
  readonly named: number
  readonly exist: number
  readonly tests: number
  readonly tracked: number
  readonly changed: number
  readonly missing: readonly string[]
}

export function countsOf({ files: all }: ReachView): ReachCounts {
  const there = all.filter(({ exists }) => exists)
  return {
    named: all.length,
    exist: there.length,
    tests: all.filter(({ test }) => test).length,
    tracked: there.filter(({ tree }) => tree === 'clean' || tree === 'changed').length,
    changed: there.filter(({ tree }) => tree === 'changed').length,
    missing: all.filter(({ exists }) => !exists).map(({ path }) => path),
  }
}
