// Every sentence about the approved plan in the conversation view.
import type { PinnedPlan } from '../messages.ts'

type Outcome = NonNullable<PinnedPlan['check']>['outcomes'][number]

const states: Readonly<Record<PinnedPlan['steps'][number]['state'], string>> = {
  open: 'not started',
  running: 'running',
  done: 'done',
  skipped: 'skipped',
}

const outcomes: Readonly<Record<Outcome, string>> = {
  done: 'done',
  skipped: 'skipped',
  partly: 'partly done',
  untouched: 'untouched',
}

export const planWords = {
  pinned: 'Approved plan',
  steps: 'Steps of the approved plan',
  states,
  outcomes,
  progress: (over: number, all: number): string => `${over} of ${all} ${all === 1 ? 'step' : 'steps'}`,
  elsewhere: 'Changed while no step was running',
  openDiff: 'Open the diff',
  check: 'Plan check',
  unplanned: 'Changed, though the plan does not name it:',
  close: 'Close plan',
  closeHint: 'The plan is done; it is not pinned any more',
  drop: 'Drop plan',
  dropHint: 'The plan is not carried out any further',
  outcome(all: readonly Outcome[]): string {
    const counted = (['done', 'partly', 'untouched', 'skipped'] as const)
      .map(each => ({ each, count: all.filter(outcome => outcome === each).length }))
      .filter(({ count }) => count > 0)
    return `The agent says: ${counted.map(({ each, count }) => `${count} ${outcomes[each]}`).join(', ')}.`
  },
} as const
