import type { ListedPlan } from '../../review/plan-list.ts'
import { assertNever } from '../../session/errors.ts'

/** How a plan looks in the list; `context` says what may be done with it (`viewItem` in package.json). */
export interface PlanParts {
  readonly state: string
  readonly icon: string
  /** Id of a theme colour. */
  readonly colour?: string
  readonly context: string
}

export function planParts({ state, start, done, steps }: ListedPlan): PlanParts {
  switch (state) {
    case 'waiting':
      return {
        state: 'waiting for your review',
        icon: 'comment-unresolved',
        colour: 'list.warningForeground',
        context: 'plan review',
      }
    case 'revising':
      return { state: 'waiting for the agent', icon: 'edit', context: 'plan drop' }
    case 'progress':
      return { state: `in progress, ${done} of ${steps} steps`, icon: 'loading', context: 'plan drop' }
    case 'approved':
      return start
        ? { state: 'approved, not started', icon: 'pass', context: 'plan start drop' }
        : { state: 'approved', icon: 'pass', context: 'plan drop' }
    case 'saved':
      return { state: 'saved for later', icon: 'save', context: 'plan start saved drop' }
    case 'done':
      return { state: 'done', icon: 'pass-filled', context: 'plan' }
    case 'dropped':
      return { state: 'dropped', icon: 'circle-slash', context: 'plan' }
    default:
      return assertNever(state)
  }
}

/** State, age and conversation in one line; the conversation only where its name says more. */
export function planLine(plan: ListedPlan, age: string): string {
  const named = plan.conversation === plan.title ? [] : [plan.conversation]
  return [planParts(plan).state, age, ...named].join(' · ')
}
