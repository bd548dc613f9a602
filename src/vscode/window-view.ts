import type { PlanView } from '../plan/projection.ts'
import { assertNever } from '../session/errors.ts'
import type { CommandId } from './ids.ts'

/** What the window knows of the conversation shown last; undefined parts do not apply. */
export interface WindowState {
  /** A sentence: what is wrong and what to do. */
  readonly problem: string | undefined
  /** Title of the plan whose review waits. */
  readonly reviewWaiting: string | undefined
  /** How many calls of the agent wait for an answer: it goes on only then, where a review may also be answered late. */
  readonly questionWaiting?: number | undefined
  readonly mode: PlanView
  /** Another window writes the conversation, and this one could go on with it. */
  readonly readOnly?: boolean
}

export type WindowPhase = 'problem' | 'question' | 'review' | 'onNext' | 'offNext' | 'on' | 'off'

/** The one fact the status bar tells, in order of precedence. */
export function phaseOf({ problem, reviewWaiting, questionWaiting = 0, mode }: WindowState): WindowPhase {
  if (problem !== undefined) return 'problem'
  if (questionWaiting > 0) return 'question'
  if (reviewWaiting !== undefined) return 'review'
  if (mode.pending) return mode.active ? 'offNext' : 'onNext'
  return mode.active ? 'on' : 'off'
}

export interface StatusBarView {
  readonly text: string
  readonly background: 'error' | 'warning' | undefined
  readonly command: CommandId
  /** For the hover and the screen reader: what it means and what a click does. */
  readonly description: string
}

export function statusBarView(state: WindowState): StatusBarView {
  const phase = phaseOf(state)
  switch (phase) {
    case 'problem':
      return view('$(error) Plan', 'error', 'planMode.showProblem', state.problem ?? '')
    case 'review':
      return view(
        '$(comment-unresolved) Plan: review waiting',
        'warning',
        'planMode.openReview',
        `"${state.reviewWaiting}" waits for your review. Click to open it.`,
      )
    case 'question':
      return view(
        '$(question) Plan: question for you',
        'warning',
        'planMode.showConversation',
        `The agent waits for your answer. Plan mode is ${state.mode.active ? 'on' : 'off'}. Click to go to the question.`,
      )
    case 'onNext':
      return view(
        '$(sync) Plan: on at next step',
        undefined,
        'planMode.toggle',
        'Plan mode begins with the next step. Click to take that back.',
      )
    case 'offNext':
      return view(
        '$(sync) Plan: off at next step',
        undefined,
        'planMode.toggle',
        'Plan mode ends with the next step. Click to take that back.',
      )
    case 'on':
      return view(
        '$(pass-filled) Plan: on',
        undefined,
        'planMode.toggle',
        'The agent explores and designs first. Click to turn plan mode off.',
      )
    case 'off':
      return view(
        '$(checklist) Plan: off',
        undefined,
        'planMode.toggle',
        'Click to make the agent explore and design first.',
      )
    default:
      return assertNever(phase)
  }
}

function view(
  text: string,
  background: StatusBarView['background'],
  command: CommandId,
  description: string,
): StatusBarView {
  return { text, background, command, description }
}
