import { PlanModeError } from '../../session/errors.ts'
import type { SessionEvent } from '../../session/events.ts'
import type { SessionHeader } from '../../session/header.ts'
import type { UserMessage } from '../../session/messages.ts'
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

const projections = new WeakMap<SessionHeader, Projection<Inbox>>()

/** The projection `inbox` of the log under this header: entries inherited by a fork do not count. */
export function inboxProjection(header: SessionHeader): Projection<Inbox> {
  const known = projections.get(header)
  if (known !== undefined) return known
  const seedLength = header.seedLength ?? 0
  const projection: Projection<Inbox> = {
    key: 'inbox',
    version: 1,
    initial: { nextTurn: [], nextStep: [] },
    types: ['agent/inbox/spliced'],
    apply: (state, event) => (event.seq < seedLength ? state : applySplice(state, event)),
  }
  projections.set(header, projection)
  return projection
}

/** @throws PlanModeError `BAD_INBOX` when the log holds a splice that does not fit. */
export function inboxOf(session: Session): Inbox {
  return session.state(inboxProjection(session.header))
}

export function listOf(inbox: Inbox, target: InboxTarget): readonly UserMessage[] {
  return target === 'next-turn' ? inbox.nextTurn : inbox.nextStep
}

/** Where a message is pending, by its id. */
export function findPending(inbox: Inbox, id: string): { target: InboxTarget; index: number } | undefined {
  for (const target of ['next-turn', 'next-step'] as const) {
    const index = listOf(inbox, target).findIndex(message => message.id === id)
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
  const inbox = target === 'next-turn' ? { ...state, nextTurn: next } : { ...state, nextStep: next }
  const ids = [...inbox.nextTurn, ...inbox.nextStep].map(message => message.id)
  if (new Set(ids).size < ids.length) refuse(event.seq, 'queues one message twice')
  return inbox
}

function refuse(seq: number, problem: string): never {
  throw new PlanModeError('BAD_INBOX', `The pending-input change at event ${seq} ${problem}; the log is damaged.`)
}
