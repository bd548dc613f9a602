import type { EventData, SessionEvent } from '../../session/events.ts'
import type { Entries } from './entries.ts'

/** The approvals of the open turn: each waits until it is decided, or until the turn is over. */
export class ApprovalEntries {
  readonly #entries: Entries
  /** The ids of those that wait; an entry has the approval's own id, by which it is answered. */
  readonly #waiting = new Set<string>()

  constructor(entries: Entries) {
    this.#entries = entries
  }

  asked({ data }: SessionEvent<'approval/asked'>): void {
    const { id, reason, toolName } = data
    this.#waiting.add(id)
    this.#entries.put({ kind: 'approval', id, title: reason ?? `Allow ${toolName}?`, state: 'waiting' })
  }

  decided({ data }: SessionEvent<'approval/decided'>): void {
    this.#settle(data.id, data.outcome)
  }

  /** The turn is over: nobody waits for an answer any more. */
  close(): void {
    for (const id of [...this.#waiting]) this.#settle(id, 'cancelled')
  }

  #settle(id: string, state: EventData<'approval/decided'>['outcome']): void {
    const item = this.#waiting.delete(id) ? this.#entries.get(id) : undefined
    if (item?.kind === 'approval') this.#entries.put({ ...item, state })
  }
}
