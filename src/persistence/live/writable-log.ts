import type { SessionEvent } from '../../session/events.ts'
import type { SessionHeader } from '../../session/header.ts'
import { assertLossless } from '../../session/json.ts'
import type { Checkpoint } from '../../session/projections.ts'
import type { LogWriter, PersistenceBackend } from '../backend.ts'
import type { LiveLog, SessionInspection } from '../persistence.ts'
import { type PreparedSession, viewOf } from '../prepared/prepared-session.ts'
import { stored } from '../reading/recovery.ts'

/**
 * A session that may be appended to here. Its writer's place is taken at the first append at the latest, and its acts
 * run one after the other; a failed one does not hold up the next.
 */
export class WritableLog {
  readonly header: SessionHeader
  /** Who has the session: nobody, a preparation, or whoever works on it. */
  holder: { readonly kind: 'none' } | Reserved | Live = { kind: 'none' }
  readonly #backend: PersistenceBackend
  #writer: LogWriter | undefined
  #idle: Promise<unknown> = Promise.resolve()

  constructor(backend: PersistenceBackend, header: SessionHeader, writer?: LogWriter) {
    this.#backend = backend
    this.header = header
    this.#writer = writer
    writer?.remember?.(() => this.#checkpoints())
  }

  append(events: readonly SessionEvent[]): Promise<void> {
    return this.inTurn(async () => {
      for (const event of events) {
        // A frozen event comes from a session, which has checked its data already.
        if (!Object.isFrozen(event)) assertLossless(event.data, event.type)
      }
      if (events.length === 0) return
      const writer = await this.#placed()
      await writer.append(events)
    })
  }

  /** @throws `WRITER_LOST`. A session that was never appended to has no place to lose. */
  confirm(): Promise<void> {
    return this.inTurn(async () => this.#writer?.confirm())
  }

  rewrite(events: readonly SessionEvent[]): Promise<void> {
    return this.inTurn(async () => {
      const writer = await this.#placed()
      await writer.rewrite(this.header, events)
    })
  }

  /** The session as it stands, never repaired: of the live one its snapshot, else what is stored. */
  async view(): Promise<SessionInspection> {
    switch (this.holder.kind) {
      case 'live':
        return viewOf(this.holder.log.session)
      case 'reserved':
        return this.holder.prepared.inspection
      case 'none':
        return this.inTurn(async () => {
          const log = await this.#backend.read(this.header.id)
          return { header: log.header, events: stored(log), closers: [] }
        })
    }
  }

  inTurn<T>(act: () => Promise<T>): Promise<T> {
    const result = this.#idle.then(act)
    this.#idle = result.catch(() => undefined)
    return result
  }

  /** Takes the writer's place of a session that was not stored yet. */
  async #placed(): Promise<LogWriter> {
    if (this.#writer !== undefined) return this.#writer
    this.#writer = await this.#backend.createWriter(this.header)
    this.#writer.remember?.(() => this.#checkpoints())
    return this.#writer
  }

  #checkpoints(): readonly Checkpoint[] {
    switch (this.holder.kind) {
      case 'live':
        return this.holder.log.session.checkpoints()
      case 'reserved':
        return this.holder.prepared.session.checkpoints()
      case 'none':
        return []
    }
  }

  release(): Promise<void> {
    return this.inTurn(async () => this.#writer?.release())
  }
}

export interface Reserved {
  readonly kind: 'reserved'
  readonly prepared: PreparedSession
}

export interface Live {
  readonly kind: 'live'
  readonly log: LiveLog
}
