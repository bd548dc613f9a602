import type { EventData, SessionEvent } from '../../session/events.ts'
import type { Entries } from './entries.ts'

/** The approvals of the open turn: each waits until it is decided, or until the turn is over. */
export class ApprovalEntries {
  readonly #entries: Entries
  /** Entry ids of those that wait, by the approval's own id. */
  readonly #waiting = new Map<string, string>()

  constructor(entries: Entries) {
    this.#entries = entries
  }

  asked({ seq, data }: SessionEvent<'approval/asked'>): void {
    const id = `approval-${seq}`
    this.#waiting.set(data.id, id)
    this.#entries.put({ kind: 'approval', id, title: data.reason ?? `Allow ${data.toolName}?`, state: 'waiting' })
  }

  decided({ data }: SessionEvent<'approval/decided'>): void {
    this.#settle(data.id, data.outcome)
  }

  /** The turn is over: nobody waits for an answer any more. */
  close(): void {
    for (const id of [...this.#waiting.keys()]) this.#settle(id, 'cancelled')
  }

  #settle(id: string, state: EventData<'approval/decided'>['outcome']): void {
    const item = this.#entries.get(this.#waiting.get(id) ?? '')
    this.#waiting.delete(id)
    if (item?.kind === 'approval') this.#entries.put({ ...item, state })
  }
}
