import assert from 'node:assert/strict'
import { inboxOf } from '../../src/agent/live/inbox.ts'
import type { SessionEvent } from '../../src/session/events.ts'
import { violationsOf } from '../../src/session/invariants/invariants.ts'
import type { Session } from '../../src/session/session.ts'
import { deriveMessages } from '../../src/session/surface.ts'
import { turnBoundary } from '../../src/session/turns.ts'

export interface InvariantOptions {
  /** False while a turn may still be running. */
  readonly balanced?: boolean
  /** True when the log refused appends: an inner call may then lack its end. */
  readonly refusing?: boolean
}

/** Asserts the rules of section 17 of the session-log format over a whole log, in words of what is broken. */
export function assertInvariants(session: Session, { balanced = true, refusing = false }: InvariantOptions = {}): void {
  const broken = [...violationsOf(session.header, session.from())]
  const told = refusing ? broken.filter(({ rule }) => rule !== 'code-dispatch/unsettled') : broken
  const problems = told.map(({ rule, message }) => `${rule}: ${message}`)
  const { turn, turnOpen } = session.state(turnBoundary)
  if (balanced && turnOpen) problems.push(`the log ends inside turn ${turn}`)
  if (problems.length > 0) assert.fail(`${problems.join('\n')}\n\n${outline(session.from(0))}`)
  inboxOf(session)
  for (const message of deriveMessages(session)) assert.ok(message.id !== '')
}

/** One line per event, for a message a person reads. */
export function outline(events: Iterable<SessionEvent>): string {
  return [...events].map(event => `${event.seq} ${event.type} ${JSON.stringify(event.data).slice(0, 160)}`).join('\n')
}
