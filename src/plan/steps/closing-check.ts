import type { ApprovedPlan, StepProgress } from './approved-plan.ts'
import type { ChangedFile } from './file-changes.ts'

/** What a plan came to, step by step: `partly` was begun or has changes and is not finished. */
export type StepOutcome = 'done' | 'skipped' | 'partly' | 'untouched'

export interface ClosingCheck {
  readonly steps: readonly { readonly id: string; readonly title: string; readonly outcome: StepOutcome }[]
  /** Changed, though neither the text of the plan nor a step at work names them. */
  readonly unplanned: readonly ChangedFile[]
  /** Every step is done or skipped. */
  readonly over: boolean
}

/** The files that were changed under each step (by its id), and while no step was at work. */
export interface ChangesOfPlan {
  readonly of: (step: StepProgress) => readonly ChangedFile[]
  readonly elsewhere: readonly ChangedFile[]
}

/**
 * Compares an approved plan with what was changed. A file counts as planned when `text` (the plan) names its path or a
 * step names it, also by its last parts; or when it was changed under a step that names no file at all.
 */
export function closingCheck(plan: ApprovedPlan, text: string, changes: ChangesOfPlan): ClosingCheck {
  const named = plan.steps.flatMap(({ files }) => files)
  const isPlanned = ({ path }: ChangedFile) => names(text, path) || named.some(name => isPath(path, name))
  const loose = plan.steps.filter(({ files }) => files.length > 0).flatMap(changes.of)
  const unplanned = new Map<string, ChangedFile>()
  for (const file of [...loose, ...changes.elsewhere]) {
    if (!isPlanned(file)) unplanned.set(file.path, merged(unplanned.get(file.path), file))
  }
  return {
    steps: plan.steps.map(step => ({ id: step.id, title: step.title, outcome: outcomeOf(step) })),
    unplanned: [...unplanned.values()],
    over: isOver(plan),
  }
}

/** Whether nothing of the plan is left to do; a plan without steps is never over by itself. */
export function isOver({ steps }: ApprovedPlan): boolean {
  return steps.length > 0 && steps.every(({ state }) => state === 'done' || state === 'skipped')
}

function outcomeOf({ state, changes }: StepProgress): StepOutcome {
  if (state === 'done' || state === 'skipped') return state
  return state === 'running' || changes.length > 0 ? 'partly' : 'untouched'
}

/** A path in a text, and not a part of a longer one. */
function names(text: string, path: string): boolean {
  for (let at = text.indexOf(path); at >= 0; at = text.indexOf(path, at + 1)) {
    const before = text[at - 1] ?? ' '
    const after = text.slice(at + path.length)
    if (!/[\w/.-]/.test(before) && !/^(?:[\w/-]|\.\w)/.test(after.slice(0, 2))) return true
  }
  return false
}

function isPath(path: string, name: string): boolean {
  const plain = name.replace(/^\.\//, '')
  return path === plain || path.endsWith(`/${plain}`)
}

function merged(known: ChangedFile | undefined, file: ChangedFile): ChangedFile {
  if (known === undefined) return file
  const { path } = file
  const [added, removed] = [known.added + file.added, known.removed + file.removed]
  return { path, added, removed, refs: [...known.refs, ...file.refs] }
}
