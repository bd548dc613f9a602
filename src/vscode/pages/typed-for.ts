import { PlanModeError } from '../../session/errors.ts'
import { title } from '../../session/title.ts'
import type { Conversation } from '../conversations/conversation.ts'

/** Where the draft of a conversation's composer is kept; null: of one that has not begun. */
export function composerPlace(sessionId: string | null): string {
  return `composer:${sessionId ?? 'new'}`
}

/**
 * Words go to the conversation they were typed for, or nowhere. Those typed before any conversation was there belong to
 * the one that has just begun.
 * @throws PlanModeError `CONVERSATION_CHANGED` when another one is shown by now.
 */
export function assertTypedFor(sessionId: string | null, shown: Conversation | undefined): void {
  const begins = sessionId === null && (shown === undefined || shown.session.state(title) === undefined)
  if (begins || sessionId === shown?.id) return
  throw new PlanModeError(
    'CONVERSATION_CHANGED',
    'Another conversation came into view as you sent. Nothing was sent; your words are back in the message box of the conversation you wrote them for.',
  )
}
