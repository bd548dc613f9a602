import { z } from 'zod'
import { PlanModeError } from '../../session/errors.ts'
import type { SessionEvent } from '../../session/events.ts'
import { type UserMessage, userMessage } from '../../session/messages.ts'
import type { Projection } from '../../session/projections.ts'
import type { Session } from '../../session/session.ts'

/** Pending input, folded from `agent/inbox/spliced` (session-log format, section 9.2). */
export interface Inbox {
  /** One message per turn, oldest first. */
  readonly nextTurn: readonly UserMessage[]
  /** All of it goes into the next step. */
  readonly nextStep: readonly UserMessage[]
}

export type InboxTarget = 'next-turn' | 'next-step'

/** The projection `inbox`: entries that a fork inherited do not count. */
export const inbox: Projection<Inbox> = {
  key: 'inbox',
  version: 1,
  owner: 'The agent runtime (agentProjections)',
  folds: 'own-events',
  initial: { nextTurn: [], nextStep: [] },
  stored: z.strictObject({ nextTurn: z.array(userMessage), nextStep: z.array(userMessage) }),
  types: ['agent/inbox/spliced'],
  apply: applySplice,
}

/** @throws PlanModeError `BAD_INBOX` when the log holds a splice that does not fit. */
export function inboxOf(session: Session): Inbox {
  return session.state(inbox)
}

export function listOf({ nextTurn, nextStep }: Inbox, target: InboxTarget): readonly UserMessage[] {
  return target === 'next-turn' ? nextTurn : nextStep
}

/** Where a message is pending, by its id. */
export function findPending(pending: Inbox, id: string): { target: InboxTarget; index: number } | undefined {
  for (const target of ['next-turn', 'next-step'] as const) {
    const index = listOf(pending, target).findIndex(message => message.id === id)
    if (index >= 0) return { target, index }
  }
  return undefined
}

function applySplice(state: Inbox, event: SessionEvent): Inbox {
  if (event.type !== 'agent/inbox/spliced') return state
  const { target, start, removedCount = 0, inserted } = event.data
  const list = listOf(state, target)
  if (start + removedCount > list.length) refuse(event.seq, `does not fit a list of ${list.length}`)
  const next = list.toSpliced(start, removedCount, ...inserted)
  const changed = target === 'next-turn' ? { ...state, nextTurn: next } : { ...state, nextStep: next }
  const ids = [...changed.nextTurn, ...changed.nextStep].map(message => message.id)
  if (new Set(ids).size < ids.length) refuse(event.seq, 'queues one message twice')
  return changed
}

function refuse(seq: number, problem: string): never {
  throw new PlanModeError('BAD_INBOX', `The pending-input change at event ${seq} ${problem}; the log is damaged.`)
}
