import type { LogWriter, PersistenceBackend, StoredLog } from '../../src/persistence/backend.ts'
import { storageCodes } from '../../src/persistence/errors.ts'
import type { Listing } from '../../src/persistence/persistence.ts'
import type { StoredEvent } from '../../src/session/envelope.ts'
import { PlanModeError } from '../../src/session/errors.ts'
import type { SessionEvent } from '../../src/session/events.ts'
import type { SessionHeader } from '../../src/session/header.ts'

interface Stored {
  readonly header: SessionHeader
  readonly events: string[]
  changes: number
}

/** The smallest backend, and the contract's reference: shows that the seam asks for nothing that only files can give. */
export class MemoryBackend implements PersistenceBackend {
  /** Whole reads of logs so far. */
  reads = 0
  readonly #store = crypto.randomUUID()
  readonly #logs = new Map<string, Stored>()
  /** Who has each session's place. */
  readonly #held = new Map<string, object>()

  locate(): undefined {
    return undefined
  }

  async exists(id: string): Promise<boolean> {
    return this.#logs.has(id)
  }

  async read(id: string): Promise<StoredLog> {
    const log = this.#log(id)
    this.reads++
    const events = log.events.map(text => JSON.parse(text) as StoredEvent)
    return { file: `memory:${id}`, header: log.header, events, torn: false, revision: this.#revision(id, log) }
  }

  async readFrom(id: string, fromSeq: number): Promise<StoredLog> {
    const { header, events } = this.#log(id)
    const tail = events.slice(fromSeq).map(text => JSON.parse(text) as StoredEvent)
    return { file: `memory:${id}`, header, events: tail, torn: false }
  }

  async revision(id: string): Promise<string> {
    return this.#revision(id, this.#log(id))
  }

  async createWriter(header: SessionHeader): Promise<LogWriter> {
    return this.#writer(header, 0)
  }

  async openWriter(
    id: string,
    known?: StoredLog,
    claiming?: 'when-free' | 'by-force',
  ): Promise<{ writer: LogWriter; log: StoredLog }> {
    this.#log(id)
    if (claiming === 'by-force') this.#held.delete(id)
    const unchanged = known !== undefined && known.revision === (await this.revision(id))
    const log = unchanged ? known : await this.read(id)
    return { writer: this.#writer(log.header, log.events.length), log }
  }

  async writable(id: string): Promise<boolean> {
    this.#log(id)
    return !this.#held.has(id)
  }

  async list(): Promise<Listing> {
    const sessions = [...this.#logs.values()].map(({ header }) => ({ header, file: header.id, mtimeMs: 0 }))
    return { sessions, problems: [] }
  }

  #revision(id: string, { changes }: Stored): string {
    return `${this.#store}:${id}:${changes}`
  }

  #log(id: string): Stored {
    const log = this.#logs.get(id)
    if (log === undefined) throw new PlanModeError(storageCodes.notFound, `There is no conversation "${id}".`)
    return log
  }

  #writer(header: SessionHeader, stored: number): LogWriter {
    const { id } = header
    if (this.#held.has(id)) throw new PlanModeError(storageCodes.writerBusy, `${id} is being written.`)
    const place = {}
    this.#held.set(id, place)
    let next = stored
    const confirm = async () => {
      if (this.#held.get(id) !== place) throw new PlanModeError(storageCodes.writerLost, `Another took ${id} over.`)
    }
    return {
      confirm,
      append: async (events: readonly SessionEvent[]) => {
        await confirm()
        const gap = events.find((event, k) => event.seq !== next + k)
        if (gap !== undefined) throw new PlanModeError(storageCodes.notContiguous, `${id} goes on with ${next}.`)
        if (events.length === 0) return
        const log = this.#logs.get(id) ?? { header, events: [], changes: 0 }
        this.#logs.set(id, log)
        for (const event of events) log.events.push(JSON.stringify(event))
        next += events.length
        log.changes++
      },
      cut: async () => {},
      rewrite: async (_, events) => {
        await confirm()
        const changes = (this.#logs.get(id)?.changes ?? 0) + 1
        this.#logs.set(id, { header, events: events.map(event => JSON.stringify(event)), changes })
        next = events.length
      },
      release: async () => {
        if (this.#held.get(id) === place) this.#held.delete(id)
      },
    }
  }
}
