import { PlanModeError } from '../../session/errors.ts'
import type { SessionOptions } from '../../session/session.ts'
import type { PersistenceBackend, StoredLog } from '../backend.ts'
import { storageCodes } from '../errors.ts'
import { PreparedSession } from './prepared-session.ts'

export interface KeepOptions {
  /** Sessions kept at most; 8. */
  readonly sessions?: number
  /** Events of kept sessions together; 500,000. The newest is kept however long it is. */
  readonly events?: number
}

const TRIES = 5

/** The sessions that were read lately, each good for as long as its log's revision stays the same. */
export class PreparedSessions {
  readonly #backend: PersistenceBackend
  readonly #sessionOptions: SessionOptions
  readonly #most: Required<KeepOptions>
  /** The least recently used first. */
  readonly #kept = new Map<string, PreparedSession>()
  readonly #reading = new Map<string, Promise<PreparedSession>>()

  constructor(
    backend: PersistenceBackend,
    sessionOptions: SessionOptions,
    { sessions = 8, events = 500_000 }: KeepOptions,
  ) {
    this.#backend = backend
    this.#sessionOptions = sessionOptions
    this.#most = { sessions, events }
  }

  /** The stored session; whoever asks while it is being read shares that read. @throws as the backend, `LOG_UNSETTLED`. */
  read(id: string): Promise<PreparedSession> {
    const under = this.#reading.get(id)
    if (under !== undefined) return under
    const reading = this.#read(id).finally(() => this.#reading.delete(id))
    this.#reading.set(id, reading)
    return reading
  }

  /** What is kept of an id; its revision has to be compared before it is used. */
  peek(id: string): PreparedSession | undefined {
    const kept = this.#kept.get(id)
    return kept?.reusable ? kept : undefined
  }

  /** @throws `CORRUPT` or `FORMAT_UNSUPPORTED`. */
  make(log: StoredLog): PreparedSession {
    return new PreparedSession(log, this.#sessionOptions)
  }

  keep(prepared: PreparedSession): void {
    const { id } = prepared.session
    this.#kept.delete(id)
    if (prepared.revision === undefined || !prepared.reusable) return
    this.#kept.set(id, prepared)
    let events = 0
    for (const { length } of this.#kept.values()) events += length
    for (const [oldest, { length }] of this.#kept) {
      if (this.#kept.size <= this.#most.sessions && events <= this.#most.events) break
      if (oldest === id) break
      this.#kept.delete(oldest)
      events -= length
    }
  }

  forget(id: string): void {
    this.#kept.delete(id)
  }

  async #read(id: string): Promise<PreparedSession> {
    const kept = this.peek(id)
    if (kept !== undefined && (await this.#backend.revision?.(id)) === kept.revision) {
      this.keep(kept)
      return kept
    }
    const prepared = this.make(await this.#readSettled(id))
    this.keep(prepared)
    return prepared
  }

  /** Of a log that others write, a read counts only when the revision held still meanwhile. */
  async #readSettled(id: string): Promise<StoredLog> {
    for (let tried = 1; ; tried++) {
      const log = await this.#backend.read(id)
      if (log.settled === true || log.revision === undefined) return log
      if (log.revision === (await this.#backend.revision?.(id))) return log
      if (tried === TRIES) throw unsettled(log.file)
    }
  }
}

function unsettled(file: string): PlanModeError {
  return new PlanModeError(
    storageCodes.unsettled,
    `${file} is being written without a pause: it changed during each of ${TRIES} reads. Try again when its writer rests.`,
  )
}
