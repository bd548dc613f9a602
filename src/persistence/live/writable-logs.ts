import { PlanModeError } from '../../session/errors.ts'
import type { SessionEvent } from '../../session/events.ts'
import type { SessionHeader } from '../../session/header.ts'
import type { PersistenceBackend } from '../backend.ts'
import { storageCodes } from '../errors.ts'
import type { PreparedSession } from '../prepared/prepared-session.ts'
import type { PreparedSessions } from '../prepared/prepared-sessions.ts'
import { WritableLog } from './writable-log.ts'

export type Claiming = 'when-free' | 'by-force'

export interface Opened {
  readonly writable: WritableLog
  readonly prepared: PreparedSession
  readonly closers: readonly SessionEvent[]
}

/** The sessions whose writer's place is held here, or is being taken or given back. */
export class WritableLogs {
  readonly #backend: PersistenceBackend
  readonly #prepared: PreparedSessions
  readonly #writables = new Map<string, WritableLog>()
  /** Ids whose writer's place is being taken, and given back. Nothing may be awaited between a look here and the act. */
  readonly #opening = new Map<string, Promise<unknown>>()
  readonly #closing = new Map<string, Promise<void>>()

  constructor(backend: PersistenceBackend, prepared: PreparedSessions) {
    this.#backend = backend
    this.#prepared = prepared
  }

  get(id: string): WritableLog | undefined {
    return this.#writables.get(id)
  }

  /** A session that is not stored yet. */
  add(header: SessionHeader): void {
    this.#writables.set(header.id, new WritableLog(this.#backend, header))
  }

  /** Resolves, whatever comes of it, when the one is through who is just opening the id. */
  opening(id: string): Promise<unknown> | undefined {
    return this.#opening.get(id)?.catch(() => undefined)
  }

  /** Takes the writer's place of a cold session and commits what recovery owes. */
  open(id: string, claiming: Claiming, signal?: AbortSignal): Promise<Opened> {
    const opening = this.#open(id, claiming, signal).finally(() => this.#opening.delete(id))
    this.#opening.set(id, opening)
    return opening
  }

  /** Gives back what was reserved for a preparation that was not published. */
  unreserve(id: string, prepared: PreparedSession): void {
    const holder = this.#writables.get(id)?.holder
    if (holder?.kind !== 'reserved' || holder.prepared !== prepared) return
    this.#prepared.keep(prepared)
    void this.release(id)
  }

  async release(id: string): Promise<void> {
    const writable = this.#writables.get(id)
    if (writable === undefined) return this.#closing.get(id)
    this.#writables.delete(id)
    const closing: Promise<void> = writable.release().finally(() => {
      if (this.#closing.get(id) === closing) this.#closing.delete(id)
    })
    this.#closing.set(id, closing)
    return closing
  }

  /** Makes what is live durable where possible and frees every place. */
  async dispose(): Promise<void> {
    const writables = [...this.#writables.values()]
    await Promise.allSettled(writables.map(({ holder }) => (holder.kind === 'live' ? holder.log.flush() : undefined)))
    await Promise.all([...this.#writables.keys()].map(id => this.release(id)))
    await Promise.all(this.#closing.values())
  }

  /** Why the id cannot be opened now. */
  taken(id: string): PlanModeError {
    const holder = this.#writables.get(id)?.holder
    return holder?.kind === 'live' || holder?.kind === 'none'
      ? new PlanModeError(storageCodes.live, `The conversation "${id}" is open for writing here already.`)
      : new PlanModeError(storageCodes.reserved, `The conversation "${id}" is being opened already.`)
  }

  async #open(id: string, claiming: Claiming, signal?: AbortSignal): Promise<Opened> {
    await this.#closing.get(id)
    const kept = this.#prepared.peek(id)
    const { writer, log } = await this.#backend.openWriter(id, kept?.log, claiming)
    try {
      signal?.throwIfAborted()
      const prepared = kept?.readFrom(log) ? kept : this.#prepared.make(log)
      const { closers } = prepared
      if (log.torn || closers.length > 0) {
        await writer.cut()
        await writer.append(closers)
        // Without the new revision the session is only not kept.
        prepared.commit(await this.#backend.revision?.(id).catch(() => undefined))
      }
      this.#prepared.keep(prepared)
      signal?.throwIfAborted()
      const writable = new WritableLog(this.#backend, prepared.session.header, writer)
      this.#writables.set(id, writable)
      return { writable, prepared, closers }
    } catch (error) {
      await writer.release()
      throw error
    }
  }
}
