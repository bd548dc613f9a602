import { PlanModeError } from '../session/errors.ts'
import type { NewSession } from '../session/header.ts'
import type { Session, SessionOptions } from '../session/session.ts'
import { title } from '../session/title.ts'
import { turnBoundary } from '../session/turns.ts'
import { PersistenceCoordinator } from './coordinator.ts'
import { storageCodes } from './errors.ts'
import { childOf, type ForkPoint, forkCodes, refusedAsFork, seedLengthAt } from './fork.ts'
import { JsonlBackend, type JsonlOptions } from './jsonl/jsonl-backend.ts'
import type { OpenSession } from './live/open-session.ts'
import { OpenSessions, type Slot } from './live/open-sessions.ts'
import { SessionOpener } from './live/session-opener.ts'
import type { LogProblem, SessionInspection, SessionListing, SessionPersistence } from './persistence.ts'
import { SessionPreparation } from './prepared/preparation.ts'
import { viewOf } from './prepared/prepared-session.ts'
import { type CreateSessionOptions, makeSession, type PrepareSessionOptions } from './prepared/session-options.ts'
import { realTimers } from './timers.ts'

export type { CreateSessionOptions, ForkPoint, OpenSession, PrepareSessionOptions }

/** A listed session: its header, its log and the log's last change. */
export type SessionSummary = SessionListing

/** What a picker shows of one session; `session` is for further folds and sealed unless it is open here. */
export interface SessionDescription {
  readonly title: string | undefined
  readonly turns: number
  readonly session: Session
}

export interface StoreOptions extends JsonlOptions {
  /** Working folder of new sessions, absolute. */
  readonly cwd?: string
  /** From the first waiting event to its durable batch; 200 ms. */
  readonly windowMs?: number
  /** How long `open` waits for a lock that is just being released; 3 s. */
  readonly lockWaitMs?: number
  /** How often is asked who writes a session: by its writer, and by who reads it only; 2 s. */
  readonly lockPollMs?: number
  /** How often a session that another window writes is looked at where the system doesn't tell of changes; 500 ms. */
  readonly followMs?: number
  /** Told of observers and listeners that threw. */
  readonly onObserverError?: (error: unknown) => void
  /** Instead of raw logs under `root`. */
  readonly persistence?: SessionPersistence
}

export interface OpenOptions {
  /** False for a session of which another window is known to be the writer. */
  readonly patient?: boolean
}

const SNAPSHOT = 'This is a snapshot; open the conversation to go on.'

/** The sessions of one root: made, opened, forked, listed, each at most once per process and with one writer in all. */
export class SessionStore {
  readonly #options: StoreOptions
  readonly #sessionOptions: SessionOptions
  readonly #persistence: SessionPersistence
  readonly #open: OpenSessions
  readonly #opener: SessionOpener

  constructor(options: StoreOptions) {
    const { now = Date.now, onObserverError, timers = realTimers, persistence } = options
    const { windowMs = 200, lockWaitMs = 3000, lockPollMs: pollMs = 2000, followMs = 500 } = options
    this.#options = options
    this.#sessionOptions = { now, ...(onObserverError === undefined ? {} : { onObserverError }) }
    this.#persistence = persistence ?? new PersistenceCoordinator(new JsonlBackend(options), this.#sessionOptions)
    this.#open = new OpenSessions(({ session }) => this.#persistence.locate(session.header) ?? '')
    this.#opener = new SessionOpener({
      persistence: this.#persistence,
      session: this.#sessionOptions,
      timers,
      windowMs,
      lockWaitMs,
      pollMs,
      followMs,
      onListenerError: onObserverError ?? (() => {}),
      ended: () => this.#open.disposed,
    })
  }

  /**
   * A new session; with a seed, one that goes on from it. Nothing is stored before its first event.
   * @throws `ALREADY_EXISTS`, `INVALID_HEADER`, `INVALID_SEED`, `NOT_JSON`.
   */
  async create(given: PrepareSessionOptions = {}): Promise<OpenSession> {
    return this.publish(this.#make(given))
  }

  /**
   * One exact unpublished session: of these options, or the stored one of this id, recovered, its writer's place taken.
   * Publish it or dispose of it. @throws as `create`, or as `resume`.
   */
  async prepare(given: PrepareSessionOptions | string, signal?: AbortSignal): Promise<SessionPreparation> {
    return typeof given === 'string' ? this.#persistence.prepare(given, signal) : this.#make(given)
  }

  /** Opens what was prepared, for its one holder; a history ends with one mark. @throws `ALREADY_EXISTS`. */
  async publish(preparation: SessionPreparation): Promise<OpenSession> {
    using _unlessPublished = preparation
    const { session } = preparation
    const { id } = session
    if (this.#open.has(id)) throw new PlanModeError(storageCodes.alreadyExists, `The conversation "${id}" is open.`)
    return await this.#open.hold(id, slot => this.#opener.publish(preparation, this.#forgetting(slot)))
  }

  /**
   * The stored session, recovered and writable; read-only when it cannot be written, or when a live owner holds its
   * lock: it then follows what that one stores. `patient` waits a moment for an owner who is just letting go.
   * @throws `NOT_FOUND`, `FORMAT_UNSUPPORTED`, `CORRUPT`, `STORAGE`.
   */
  open(id: string, { patient = true }: OpenOptions = {}): Promise<OpenSession> {
    return this.#open.hold(id, slot => this.#opener.open(id, patient, this.#forgetting(slot)))
  }

  /**
   * Opens a stored session for writing, also when another window writes it: that one turns read-only, at once or when
   * it looks next. Whoever has the session open here read-only is told that it is stale. @throws as `resume`;
   * `WRITER_BUSY` only while somebody else is just taking it over.
   */
  async takeOver(id: string): Promise<OpenSession> {
    const current = await this.#open.get(id)?.catch(() => undefined)
    if (current?.readOnly !== undefined) await this.#open.forgetSession(id, current)
    const taken = await this.#open.hold(id, slot => this.#opener.takeOver(id, this.#forgetting(slot)))
    if (current?.readOnly !== undefined) current.supersede()
    return taken
  }

  /** As `open`, for going on only. @throws also `WRITER_BUSY`, `WRITER_LOST` or `NOT_WRITABLE` instead of read-only. */
  async resume(id: string): Promise<OpenSession> {
    const open = await this.open(id)
    if (open.readOnly === undefined) return open
    const { code, message } = open.readOnly
    await open.dispose()
    throw new PlanModeError(code, message)
  }

  /**
   * A new session that starts with a copy of another's events, up to a point outside any turn; durable when it
   * resolves. `parent` is an id, open or stored, or a session that is open here. @throws `forkCodes`, and as `create`.
   */
  async fork(parent: string | Session, at?: ForkPoint, given: NewSession = {}): Promise<OpenSession> {
    const { header, events } = await this.#parent(parent)
    const seedLength = seedLengthAt(events, at)
    const seed = events.slice(0, seedLength)
    const child = await refusedAsFork(this.create({ ...childOf(header, seedLength, given), seed }))
    try {
      await child.flush()
    } catch (error) {
      await child.dispose().catch(() => undefined)
      throw error
    }
    return child
  }

  /** Newest first. One bad log is one problem and hides nothing else. */
  async list(): Promise<{ sessions: readonly SessionSummary[]; problems: readonly LogProblem[] }> {
    const { sessions, problems } = await this.#persistence.list()
    const newestFirst = [...sessions].sort(
      (a, b) => b.mtimeMs - a.mtimeMs || b.header.createdAt - a.header.createdAt || (a.file < b.file ? -1 : 1),
    )
    return { sessions: newestFirst, problems }
  }

  /** Its events are made when a fold asks for them; writes nothing. @throws as `open`. */
  async describe(id: string, signal?: AbortSignal): Promise<SessionDescription> {
    const live = await this.#open.get(id)
    const session = live?.session ?? (await this.#opener.snapshot(id, SNAPSHOT, signal))
    return { title: session.state(title), turns: session.state(turnBoundary).turn, session }
  }

  /** Closes every session, whoever holds it. @throws the first failure, after all are closed. */
  async dispose(): Promise<void> {
    try {
      await this.#open.dispose()
    } finally {
      await this.#persistence.dispose()
    }
  }

  #make(given: PrepareSessionOptions): SessionPreparation {
    const session = makeSession(given, this.#options.cwd, this.#sessionOptions)
    return new SessionPreparation(session, { seeded: given.seed !== undefined })
  }

  /** What makes the next open of the id begin anew. */
  #forgetting(slot: Slot): () => void {
    return () => this.#open.forget(slot)
  }

  async #parent(parent: string | Session): Promise<SessionInspection> {
    if (typeof parent === 'string') {
      const live = await this.#open.get(parent)
      return live === undefined ? refusedAsFork(this.#persistence.inspect(parent)) : viewOf(live.session)
    }
    if ((await this.#open.get(parent.id))?.session === parent) return viewOf(parent)
    throw new PlanModeError(forkCodes.notLive, `The conversation "${parent.id}" is not open here in this form.`)
  }
}
