import type { StoredEvent } from '../session/envelope.ts'
import { PlanModeError } from '../session/errors.ts'
import type { SessionEvent } from '../session/events.ts'
import type { SessionHeader } from '../session/header.ts'
import { interruptedClosers } from '../session/repair.ts'
import type { SessionOptions } from '../session/session.ts'
import { turnBoundary } from '../session/turns.ts'
import type { PersistenceBackend } from './backend.ts'
import { storageCodes } from './errors.ts'
import { WritableLog } from './live/writable-log.ts'
import type {
  FollowedLog,
  Listing,
  LiveLog,
  SessionInspection,
  SessionPersistence,
  SessionPersistenceSnapshot,
  SessionRawArtifact,
} from './persistence.ts'
import { SessionPreparation } from './prepared/preparation.ts'
import { type PreparedSession, viewOf } from './prepared/prepared-session.ts'
import { type KeepOptions, PreparedSessions } from './prepared/prepared-sessions.ts'
import { abortable } from './reading/abortable.ts'
import { followLog } from './reading/follow-log.ts'
import { snapshotsOf } from './reading/snapshots.ts'
import { readTail } from './reading/tail.ts'
import { checkHeader } from './stored-header.ts'

export interface CoordinatorOptions extends SessionOptions {
  /** What is kept of the sessions that were read. */
  readonly keep?: KeepOptions
}

type Claiming = 'when-free' | 'by-force'

interface Opened {
  readonly writable: WritableLog
  readonly prepared: PreparedSession
  readonly closers: readonly SessionEvent[]
}

/** The durability seam over any backend: recovery, order and ownership, once for all of them. */
export class PersistenceCoordinator implements SessionPersistence {
  readonly #backend: PersistenceBackend
  readonly #prepared: PreparedSessions
  readonly #writables = new Map<string, WritableLog>()
  /** Ids whose writer's place is being taken, and given back. Nothing may be awaited between a look here and the act. */
  readonly #opening = new Map<string, Promise<unknown>>()
  readonly #closing = new Map<string, Promise<void>>()
  readonly #inFlight = new Set<Promise<unknown>>()
  #disposed = false

  constructor(backend: PersistenceBackend, { keep = {}, ...session }: CoordinatorOptions = {}) {
    this.#backend = backend
    this.#prepared = new PreparedSessions(backend, session, keep)
  }

  locate(header: SessionHeader): string | undefined {
    return this.#backend.locate(header)
  }

  get supportsRawArtifacts(): boolean {
    return this.#backend.readText !== undefined
  }

  create(header: SessionHeader): Promise<void> {
    return this.#run(async () => {
      const { id } = header
      checkHeader(header)
      if ((await this.#backend.exists(id)) || this.#writables.has(id)) {
        throw new PlanModeError(storageCodes.alreadyExists, `There is a conversation "${id}" already.`)
      }
      this.#writables.set(id, new WritableLog(this.#backend, header))
    })
  }

  append(id: string, events: readonly SessionEvent[]): Promise<void> {
    const writable = this.#writables.get(id)
    return writable === undefined ? Promise.reject(notOpen(id)) : writable.append(events)
  }

  prepare(id: string, signal?: AbortSignal): Promise<SessionPreparation> {
    return this.#prepare(id, 'when-free', signal)
  }

  takeOver(id: string, signal?: AbortSignal): Promise<SessionPreparation> {
    return this.#prepare(id, 'by-force', signal)
  }

  follow(id: string, signal?: AbortSignal): Promise<FollowedLog> {
    return this.#run(
      () => followLog(this.#backend, id, signal),
      signal,
      late => late[Symbol.dispose](),
    )
  }

  confirm(id: string): Promise<void> {
    return this.#writables.get(id)?.confirm() ?? Promise.reject(notOpen(id))
  }

  rewrite(id: string, events: readonly SessionEvent[]): Promise<void> {
    return this.#writables.get(id)?.rewrite(events) ?? Promise.reject(notOpen(id))
  }

  #prepare(id: string, claiming: Claiming, signal?: AbortSignal): Promise<SessionPreparation> {
    const act = async () => {
      while (this.#opening.has(id)) await this.#opening.get(id)?.catch(() => undefined)
      if (this.#writables.has(id)) throw this.#taken(id)
      const { writable, prepared } = await this.#open(id, claiming, signal)
      writable.holder = { kind: 'reserved', prepared }
      const release = () => this.#unreserve(id, prepared)
      return new SessionPreparation(prepared.session, { stored: prepared.length, release })
    }
    return this.#run(act, signal, late => late[Symbol.dispose]())
  }

  publish(live: LiveLog): void {
    const { session } = live
    const writable = this.#writables.get(session.id)
    if (writable === undefined) throw notOpen(session.id)
    const { holder } = writable
    if (holder.kind === 'live' || (holder.kind === 'reserved' && holder.prepared.session !== session)) {
      throw this.#taken(session.id)
    }
    if (holder.kind === 'reserved') holder.prepared.publish()
    this.#prepared.forget(session.id)
    writable.holder = { kind: 'live', log: live }
  }

  load(id: string): Promise<SessionInspection> {
    return this.#run(async () => {
      while (this.#opening.has(id)) await this.#opening.get(id)?.catch(() => undefined)
      const writable = this.#writables.get(id)
      if (writable !== undefined) return this.#loadOpen(id, writable)
      const { prepared, closers } = await this.#open(id, 'when-free')
      return { ...prepared.inspection, closers }
    })
  }

  inspect(id: string, signal?: AbortSignal): Promise<SessionInspection> {
    return this.#run(async () => {
      const writable = this.#writables.get(id)
      return writable === undefined ? (await this.#prepared.read(id)).inspection : writable.view()
    }, signal)
  }

  readFrom(id: string, fromSeq: number, signal?: AbortSignal): Promise<readonly StoredEvent[]> {
    return this.#run(() => readTail(this.#backend, id, fromSeq, signal), signal)
  }

  readRaw(id: string, signal?: AbortSignal): Promise<SessionRawArtifact | undefined> {
    return this.#run(async () => {
      const read = async () => {
        if (this.#backend.readText !== undefined) return this.#backend.readText(id, signal)
        throw new PlanModeError(storageCodes.unsupported, 'Conversations have no text of their own in this store.')
      }
      const writable = this.#writables.get(id)
      return writable === undefined ? read() : writable.inTurn(read)
    }, signal)
  }

  list(signal?: AbortSignal): Promise<Listing> {
    return this.#run(() => this.#backend.list(signal), signal)
  }

  listSnapshots(signal?: AbortSignal): Promise<readonly SessionPersistenceSnapshot[]> {
    return this.#run(() => snapshotsOf(this.#backend, signal), signal)
  }

  writable(id: string): Promise<boolean> {
    return this.#run(() => this.#backend.writable(id))
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

  async dispose(): Promise<void> {
    this.#disposed = true
    await Promise.allSettled(this.#inFlight)
    const writables = [...this.#writables.values()]
    await Promise.allSettled(writables.map(({ holder }) => (holder.kind === 'live' ? holder.log.flush() : undefined)))
    await Promise.all([...this.#writables.keys()].map(id => this.release(id)))
    await Promise.all(this.#closing.values())
    await this.#backend.dispose?.()
  }

  #run<T>(act: () => Promise<T>, signal?: AbortSignal, abandon?: (late: T) => void): Promise<T> {
    if (this.#disposed) return Promise.reject(new PlanModeError(storageCodes.disposed, 'The session store was closed.'))
    if (signal?.aborted) return Promise.reject(signal.reason)
    const work = act().finally(() => this.#inFlight.delete(work))
    this.#inFlight.add(work)
    return abortable(work, signal, abandon)
  }

  /** Takes the writer's place of a cold session and commits what recovery owes. */
  #open(id: string, claiming: Claiming, signal?: AbortSignal): Promise<Opened> {
    const opening = this.#openCold(id, claiming, signal).finally(() => this.#opening.delete(id))
    this.#opening.set(id, opening)
    return opening
  }

  async #openCold(id: string, claiming: Claiming, signal?: AbortSignal): Promise<Opened> {
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

  async #loadOpen(id: string, writable: WritableLog): Promise<SessionInspection> {
    const { holder } = writable
    if (holder.kind !== 'live') {
      const view = await writable.view()
      return interruptedClosers(view.events).length === 0 ? view : Promise.reject(turnRunning(id))
    }
    if (holder.log.session.state(turnBoundary).turnOpen) throw turnRunning(id)
    const view = viewOf(holder.log.session)
    await holder.log.flush()
    return view
  }

  #unreserve(id: string, prepared: PreparedSession): void {
    const holder = this.#writables.get(id)?.holder
    if (holder?.kind !== 'reserved' || holder.prepared !== prepared) return
    this.#prepared.keep(prepared)
    void this.release(id)
  }

  #taken(id: string): PlanModeError {
    const holder = this.#writables.get(id)?.holder
    return holder?.kind === 'live' || holder?.kind === 'none'
      ? new PlanModeError(storageCodes.live, `The conversation "${id}" is open for writing here already.`)
      : new PlanModeError(storageCodes.reserved, `The conversation "${id}" is being opened already.`)
  }
}

function notOpen(id: string): PlanModeError {
  return new PlanModeError(storageCodes.notFound, `The conversation "${id}" is not open for writing here.`)
}

function turnRunning(id: string): PlanModeError {
  return new PlanModeError(storageCodes.live, `A turn of the conversation "${id}" is running; it cannot be loaded now.`)
}
