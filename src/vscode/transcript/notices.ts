import { PLUGIN } from '../../plan/words.ts'
import { assertNever } from '../../session/errors.ts'
import type { ReviewDecision } from '../../session/events.ts'
import { textOf, type UserMessage } from '../../session/messages.ts'
import type { AbortReason, TurnEndReason } from '../../session/turn-end.ts'
import type { Item } from '../../webview/transcript-messages.ts'
import { shortText } from './bounded-text.ts'

/** The sentences that the conversation says in its own voice. */
export type Notice = Pick<Extract<Item, { kind: 'notice' }>, 'level' | 'text'>

/** What a turn's end tells a person; undefined for a plain one and for reasons of other programs. */
export function turnEndNotice(reason: TurnEndReason): Notice | undefined {
  switch (reason.kind) {
    case 'error':
      return { level: 'error', text: reason.error.message }
    case 'interrupted':
      return info('This turn was cut: the window closed or reloaded while it was running.')
    case 'aborted':
      return info(stopped(reason.reason))
    case 'blocked':
      return info('This turn was refused before its next step began.')
    case 'max-tokens':
      return info('The answer reached the length limit of the model and ends here.')
    default:
      return undefined
  }
}

function stopped(reason: AbortReason): string {
  return reason.kind === 'hook' ? `Stopped by a hook: ${reason.reason}` : 'Stopped.'
}

export interface DecidedReview {
  readonly title: string
  readonly decision: ReviewDecision
}

/**
 * What a message of a plugin tells a person. Plan mode's own notice says nothing more than the `mode` entry before it;
 * `reviewOf` finds the review that a relayed verdict is about.
 */
export function pluginNotice(
  { source, ...message }: UserMessage,
  reviewOf: (reviewId: string) => DecidedReview | undefined,
): Notice | undefined {
  if (source.kind !== 'plugin') return undefined
  if (source.form === 'relay') {
    const review = typeof source.reviewId === 'string' ? reviewOf(source.reviewId) : undefined
    return info(review === undefined ? shortText(textOf(message), 300) : relayed(review))
  }
  const said = source.plugin !== PLUGIN && source.form === 'notice' ? source.summary : undefined
  return said === undefined || said === '' ? undefined : info(said)
}

function relayed({ title, decision }: DecidedReview): string {
  switch (decision) {
    case 'approved':
      return `The agent was told that you approved the plan "${title}".`
    case 'kept':
      return `The agent was told to go on planning "${title}".`
    case 'dismissed':
      return `The agent was told that you closed the review of the plan "${title}" to talk first.`
    case 'withdrawn':
    case 'superseded':
      return `The review of the plan "${title}" is over.`
    default:
      return assertNever(decision)
  }
}

function info(text: string): Notice {
  return { level: 'info', text }
}
