import type { SessionEvent } from '../../session/events.ts'
import type { Entries } from './entries.ts'

/** The commands a person ran: what was typed, and what came of it. */
export class CommandEntries {
  readonly #entries: Entries
  /** Entry ids of those that run, by the command's own id. */
  readonly #running = new Map<string, string>()

  constructor(entries: Entries) {
    this.#entries = entries
  }

  run({ seq, data }: SessionEvent<'command/run'>): void {
    const id = `command-${seq}`
    this.#running.set(data.commandId, id)
    const text = `/${data.name}${data.args ?? ''}`.trimEnd()
    this.#entries.put({ kind: 'command', id, text, status: 'running' })
  }

  done({ data: { commandId, kind, text } }: SessionEvent<'command/done'>): void {
    const item = this.#entries.get(this.#running.get(commandId) ?? '')
    this.#running.delete(commandId)
    if (item?.kind !== 'command') return
    this.#entries.put({ ...item, status: kind, ...(text === undefined ? {} : { result: text }) })
  }
}
