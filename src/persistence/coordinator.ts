import type { StoredEvent } from '../session/envelope.ts'
import { PlanModeError } from '../session/errors.ts'
import { EventArray } from '../session/event-log.ts'
import type { SessionEvent } from '../session/events.ts'
import type { SessionHeader } from '../session/header.ts'
import { interruptedClosers } from '../session/repair.ts'
import type { SessionOptions } from '../session/session.ts'
import { turnBoundary } from '../session/turns.ts'
import type { PersistenceBackend } from './backend.ts'
import { storageCodes } from './errors.ts'
import type { WritableLog } from './live/writable-log.ts'
import { type Claiming, WritableLogs } from './live/writable-logs.ts'
import type {
  FollowedLog,
  Listing,
  LiveLog,
  SessionInspection,
  SessionPersistence,
  SessionPersistenceSnapshot,
  SessionRawArtifact,
  SessionView,
} from './persistence.ts'
import { SessionPreparation } from './prepared/preparation.ts'
import { viewOf } from './prepared/prepared-session.ts'
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

/** The durability seam over any backend: recovery, order and ownership, once for all of them. */
export class PersistenceCoordinator implements SessionPersistence {
  readonly #backend: PersistenceBackend
  readonly #prepared: PreparedSessions
  readonly #writables: WritableLogs
  readonly #inFlight = new Set<Promise<unknown>>()
  #disposed = false

  constructor(backend: PersistenceBackend, { keep = {}, ...session }: CoordinatorOptions = {}) {
    this.#backend = backend
    this.#prepared = new PreparedSessions(backend, session, keep)
    this.#writables = new WritableLogs(backend, this.#prepared)
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
      if ((await this.#backend.exists(id)) || this.#writables.get(id) !== undefined) {
        throw new PlanModeError(storageCodes.alreadyExists, `There is a conversation "${id}" already.`)
      }
      this.#writables.add(header)
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
      // Not awaited when nobody opens it: nothing may come between this look and the act.
      while (this.#writables.opening(id) !== undefined) await this.#writables.opening(id)
      if (this.#writables.get(id) !== undefined) throw this.#writables.taken(id)
      const { writable, prepared } = await this.#writables.open(id, claiming, signal)
      writable.holder = { kind: 'reserved', prepared }
      const release = () => this.#writables.unreserve(id, prepared)
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
      throw this.#writables.taken(session.id)
    }
    if (holder.kind === 'reserved') holder.prepared.publish()
    this.#prepared.forget(session.id)
    writable.holder = { kind: 'live', log: live }
  }

  load(id: string): Promise<SessionInspection> {
    return this.#run(async () => {
      // Not awaited when nobody opens it: nothing may come between this look and the act.
      while (this.#writables.opening(id) !== undefined) await this.#writables.opening(id)
      const writable = this.#writables.get(id)
      if (writable !== undefined) return this.#loadOpen(id, writable)
      const { prepared, closers } = await this.#writables.open(id, 'when-free')
      return { ...prepared.inspection, closers }
    })
  }

  inspect(id: string, signal?: AbortSignal): Promise<SessionInspection> {
    return this.#run(async () => {
      const writable = this.#writables.get(id)
      return writable === undefined ? (await this.#prepared.read(id)).inspection : writable.view()
    }, signal)
  }

  view(id: string, signal?: AbortSignal): Promise<SessionView> {
    return this.#run(async () => {
      const writable = this.#writables.get(id)
      if (writable === undefined) return (await this.#prepared.read(id)).view()
      const { header, events } = await writable.view()
      return { header, events: new EventArray([...events]) }
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

  release(id: string): Promise<void> {
    return this.#writables.release(id)
  }

  async dispose(): Promise<void> {
    this.#disposed = true
    await Promise.allSettled(this.#inFlight)
    await this.#writables.dispose()
    await this.#backend.dispose?.()
  }

  #run<T>(act: () => Promise<T>, signal?: AbortSignal, abandon?: (late: T) => void): Promise<T> {
    if (this.#disposed) return Promise.reject(new PlanModeError(storageCodes.disposed, 'The session store was closed.'))
    if (signal?.aborted) return Promise.reject(signal.reason)
    const work = act().finally(() => this.#inFlight.delete(work))
    this.#inFlight.add(work)
    return abortable(work, signal, abandon)
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
}

function notOpen(id: string): PlanModeError {
  return new PlanModeError(storageCodes.notFound, `The conversation "${id}" is not open for writing here.`)
}

function turnRunning(id: string): PlanModeError {
  return new PlanModeError(storageCodes.live, `A turn of the conversation "${id}" is running; it cannot be loaded now.`)
}
