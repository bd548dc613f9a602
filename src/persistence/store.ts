import { PlanModeError } from '../session/errors.ts'
import { type NewSession, newHeader } from '../session/header.ts'
import { Session, type SessionOptions } from '../session/session.ts'
import { turnBoundary } from '../session/turns.ts'
import { PersistenceCoordinator } from './coordinator.ts'
import { storageCodes } from './errors.ts'
import { JsonlBackend, type JsonlOptions } from './jsonl/jsonl-backend.ts'
import { LiveSession, type ProblemListener } from './live-session.ts'
import type { LogProblem, SessionListing, SessionPersistence } from './persistence.ts'
import { realTimers, type Timers } from './timers.ts'
import { sessionTitle } from './title.ts'

/** A listed session: its header, its log and the log's last change. */
export type SessionSummary = SessionListing

/** What a picker shows of one session; `session` is for further folds and sealed unless it is open here. */
export interface SessionDescription {
  readonly title: string | undefined
  readonly turns: number
  readonly session: Session
}

/** One holder's hold on an open session. All holders in this process share the session, its queue and its lock. */
export interface OpenSession {
  readonly session: Session
  /** Where the log is or will be. */
  readonly location: string
  /** Why nothing can be written here; undefined while this is the session's writer. */
  readonly readOnly: { readonly message: string } | undefined
  /** Resolves when every event is durable. @throws PlanModeError with the storage's reason; the events stay queued. */
  flush(): Promise<void>
  /** Told of a write that failed (at once, if the last one did), and with undefined when one works again. */
  onProblem(listener: ProblemListener): Disposable
  /** Told once when a read-only session could be written from here: dispose of this one and open it anew. */
  onWritable(listener: () => void): Disposable
  /** The last holder's call seals the session, drains it and frees the lock. @throws what the last write gave. */
  dispose(): Promise<void>
}

export interface StoreOptions extends JsonlOptions {
  /** Working folder of new sessions, absolute. */
  readonly cwd?: string
  /** From the first waiting event to its durable batch; 200 ms. */
  readonly windowMs?: number
  /** How long `open` waits for a lock that is just being released; 3 s. */
  readonly lockWaitMs?: number
  /** How often a read-only session asks for the lock; 2 s. */
  readonly lockPollMs?: number
  /** Told of observers and listeners that threw. */
  readonly onObserverError?: (error: unknown) => void
  /** Instead of raw logs under `root`. */
  readonly persistence?: SessionPersistence
}

const LOCK_RETRY_MS = 100

interface Slot {
  readonly id: string
  holders: number
  readonly live: Promise<LiveSession>
}

/** The sessions of one root: made, opened, listed, each at most once per process and with one writer in all. */
export class SessionStore {
  readonly #options: StoreOptions
  readonly #persistence: SessionPersistence
  readonly #timers: Timers
  readonly #now: () => number
  readonly #current = new Map<string, Slot>()
  readonly #slots = new Set<Slot>()
  readonly #closing = new Map<string, Promise<void>>()
  #disposed = false

  constructor(options: StoreOptions) {
    this.#options = options
    this.#timers = options.timers ?? realTimers
    this.#now = options.now ?? Date.now
    this.#persistence = options.persistence ?? new PersistenceCoordinator(new JsonlBackend(options))
  }

  /** A new session. Nothing is stored before its first event. @throws `ALREADY_EXISTS`, `INVALID_HEADER`. */
  async create(given: NewSession = {}): Promise<OpenSession> {
    const { cwd } = this.#options
    const header = newHeader({ ...(cwd === undefined ? {} : { cwd }), ...given }, this.#now)
    const { id } = header
    if (this.#current.has(id)) throw new PlanModeError(storageCodes.alreadyExists, `The conversation "${id}" is open.`)
    return this.#hold(id, async slot => {
      await this.#persistence.create(header)
      return this.#live(slot, new Session(header, [], this.#sessionOptions), 0)
    })
  }

  /**
   * The stored session, recovered and writable; read-only when a live owner holds its lock, or when it cannot be
   * written. @throws `NOT_FOUND`, `FORMAT_UNSUPPORTED`, `CORRUPT`, `STORAGE`.
   */
  async open(id: string): Promise<OpenSession> {
    return this.#hold(id, slot => this.#open(slot, id))
  }

  /** Newest first. One bad log is one problem and hides nothing else. */
  async list(): Promise<{ sessions: readonly SessionSummary[]; problems: readonly LogProblem[] }> {
    const { sessions, problems } = await this.#persistence.list()
    const newestFirst = [...sessions].sort(
      (a, b) => b.mtimeMs - a.mtimeMs || b.header.createdAt - a.header.createdAt || (a.file < b.file ? -1 : 1),
    )
    return { sessions: newestFirst, problems }
  }

  /** Reads the whole log, unless the session is open here; writes nothing. @throws as `open`. */
  async describe(id: string): Promise<SessionDescription> {
    const live = await this.#current.get(id)?.live
    const session = live?.session ?? (await this.#snapshot(id, 'This is a snapshot; open the conversation to go on.'))
    return { title: session.state(sessionTitle), turns: session.state(turnBoundary).turn, session }
  }

  /** Closes every session, whoever holds it. @throws the first failure, after all are closed. */
  async dispose(): Promise<void> {
    this.#disposed = true
    const closed = await Promise.allSettled([...this.#slots].map(slot => this.#close(slot)))
    await Promise.allSettled(this.#closing.values())
    await this.#persistence.dispose()
    for (const result of closed) if (result.status === 'rejected') throw result.reason
  }

  get #sessionOptions(): SessionOptions {
    const { onObserverError } = this.#options
    return { now: this.#now, ...(onObserverError === undefined ? {} : { onObserverError }) }
  }

  async #hold(id: string, make: (slot: Slot) => Promise<LiveSession>): Promise<OpenSession> {
    if (this.#disposed) throw new PlanModeError(storageCodes.disposed, 'The session store was closed.')
    const slot = this.#current.get(id) ?? this.#addSlot(id, make)
    slot.holders++
    try {
      return this.#handle(slot, await slot.live)
    } catch (error) {
      this.#forget(slot)
      this.#slots.delete(slot)
      throw error
    }
  }

  #addSlot(id: string, make: (slot: Slot) => Promise<LiveSession>): Slot {
    const closed = this.#closing.get(id) ?? Promise.resolve()
    const slot: Slot = { id, holders: 0, live: closed.then(() => make(slot)) }
    this.#current.set(id, slot)
    this.#slots.add(slot)
    return slot
  }

  #forget(slot: Slot): void {
    if (this.#current.get(slot.id) === slot) this.#current.delete(slot.id)
  }

  #handle(slot: Slot, live: LiveSession): OpenSession {
    const { session } = live
    let held = true
    return {
      session,
      location: this.#persistence.locate(session.header) ?? '',
      get readOnly() {
        return live.readOnly
      },
      flush: () => live.flush(),
      onProblem: listener => live.onProblem(listener),
      onWritable: listener => live.onWritable(listener),
      dispose: async () => {
        if (!held) return
        held = false
        slot.holders--
        if (slot.holders === 0) await this.#close(slot)
      },
    }
  }

  /** The next open of the id waits until this is done; the failure itself is for whoever disposes. */
  #close(slot: Slot): Promise<void> {
    const { id } = slot
    this.#slots.delete(slot)
    this.#forget(slot)
    const closing = slot.live.then(
      live => live.dispose(),
      () => undefined,
    )
    const settled = Promise.allSettled([closing, this.#closing.get(id)]).then(() => {
      if (this.#closing.get(id) === settled) this.#closing.delete(id)
    })
    this.#closing.set(id, settled)
    return closing
  }

  async #open(slot: Slot, id: string): Promise<LiveSession> {
    try {
      const { header, events } = await this.#loadPatiently(id)
      const stored = events.length
      const session = new Session(header, events, this.#sessionOptions)
      const live = this.#live(slot, session, stored)
      if (stored > 0 && session.at(stored - 1).type !== 'session/end-seed') session.append('session/end-seed', {})
      return live
    } catch (error) {
      if (!(error instanceof PlanModeError) || !viewable.has(error.code)) throw error
      return this.#openReadOnly(slot, id, error)
    }
  }

  async #openReadOnly(slot: Slot, id: string, error: PlanModeError): Promise<LiveSession> {
    const session = await this.#snapshot(id, error.message)
    const live = this.#live(slot, session, session.length, error.message)
    if (error.code === storageCodes.writerBusy) live.watchWriter()
    // Nobody tells when a permission or the disk comes back, so the next open simply tries again.
    else this.#forget(slot)
    return live
  }

  /** A window reload opens the session before the old host has let go of it. */
  async #loadPatiently(id: string) {
    const tries = Math.ceil((this.#options.lockWaitMs ?? 3000) / LOCK_RETRY_MS)
    for (let tried = 0; ; tried++) {
      try {
        return await this.#persistence.load(id)
      } catch (error) {
        const busy = error instanceof PlanModeError && error.code === storageCodes.writerBusy
        if (!busy || tried >= tries || this.#disposed) throw error
      }
      await new Promise<void>(resolve => this.#timers.after(LOCK_RETRY_MS, resolve))
    }
  }

  async #snapshot(id: string, reason: string): Promise<Session> {
    const { header, events } = await this.#persistence.inspect(id)
    const session = new Session(header, events, this.#sessionOptions)
    session.seal(reason)
    return session
  }

  #live(slot: Slot, session: Session, durable: number, readOnly?: string): LiveSession {
    const { windowMs = 200, lockPollMs: pollMs = 2000 } = this.#options
    return new LiveSession({
      session,
      persistence: this.#persistence,
      timers: this.#timers,
      durable,
      windowMs,
      pollMs,
      ...(readOnly === undefined ? {} : { readOnly }),
      onStale: () => this.#forget(slot),
      onListenerError: this.#options.onObserverError ?? (() => {}),
    })
  }
}

/** Reasons to show a session without being its writer. */
const viewable: ReadonlySet<string> = new Set([storageCodes.writerBusy, storageCodes.notWritable, storageCodes.storage])
