import { type Inbox, inbox, listOf } from '../../agent/live/inbox.ts'
import type { SessionEvent } from '../../session/events.ts'
import type { UserMessage } from '../../session/messages.ts'
import type { Session } from '../../session/session.ts'

/** What a turn took out of the queue and no step logged yet: a turn that is stopped or refused that early drops it. */
export class ClaimedInput {
  readonly #seedLength: number
  readonly #claimed = new Map<string, UserMessage>()
  #inbox: Inbox = inbox.initial

  constructor({ header }: Session) {
    this.#seedLength = header.seedLength ?? 0
  }

  spliced(event: SessionEvent<'agent/inbox/spliced'>): void {
    if (event.seq < this.#seedLength) return
    const { target, start, removedCount = 0, outcome } = event.data
    const removed = listOf(this.#inbox, target).slice(start, start + removedCount)
    this.#inbox = inbox.apply(this.#inbox, event)
    if (outcome === undefined) for (const message of removed) this.#claimed.set(message.id, message)
  }

  logged({ id }: UserMessage): void {
    this.#claimed.delete(id)
  }

  /** The turn is over: the person's own words that went nowhere, each told once. */
  takeDropped(): UserMessage[] {
    const dropped = [...this.#claimed.values()].filter(({ source }) => source.kind === 'user')
    this.#claimed.clear()
    return dropped
  }
}
