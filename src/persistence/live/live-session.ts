import { messageOf, PlanModeError } from '../../session/errors.ts'
import type { SessionEvent } from '../../session/events.ts'
import type { Session } from '../../session/session.ts'
import { storageCodes } from '../errors.ts'
import type { FollowedLog, SessionPersistence } from '../persistence.ts'
import type { Timers } from '../timers.ts'
import { LogFollower } from './log-follower.ts'
import { WriteBehind } from './write-behind.ts'

export type ProblemListener = (error: PlanModeError | undefined) => void

export interface LiveSessionOptions {
  readonly session: Session
  readonly persistence: SessionPersistence
  readonly timers: Timers
  /** Events of the session that are stored already. */
  readonly durable: number
  readonly windowMs: number
  /** How often is asked who writes the session, and what was stored of one that is followed. */
  readonly pollMs: number
  readonly followMs: number
  /** What another process writes of this session; it grows with it. */
  readonly followed?: FollowedLog
  /** Why this session may not be written; it is sealed with this sentence. */
  readonly readOnly?: PlanModeError
  /** Called once when this object no longer stands for its session: the next open has to make a new one. */
  readonly onStale: () => void
  /** Told of a listener that threw; the write stands as it went. */
  readonly onListenerError: (error: unknown) => void
}

/** One session that is open in this process, shared by everyone who opened it: its queue, its listeners, its end. */
export class LiveSession {
  readonly session: Session
  readonly #options: LiveSessionOptions
  readonly #queue: WriteBehind
  readonly #observing: Disposable
  readonly #problemListeners = new Set<ProblemListener>()
  readonly #staleListeners = new Set<() => void>()
  readonly #follower: LogFollower | undefined
  #problem: PlanModeError | undefined
  /** Set when the writer's place went to another; nothing is written any more. */
  #lost: PlanModeError | undefined
  #poll: Disposable | undefined
  #stale = false
  #disposed: Promise<void> | undefined

  constructor(options: LiveSessionOptions) {
    const { session, persistence, durable, windowMs, timers, readOnly, followed } = options
    this.session = session
    this.#options = options
    this.#queue = new WriteBehind({
      length: () => session.length,
      write: (from, to) => this.#write(from, to),
      durable,
      windowMs,
      timers,
      onProblem: error => this.#tell(error === undefined ? undefined : asPlanModeError(error)),
    })
    this.#observing = session.observe(() => {
      if (this.#writes) this.#queue.admit()
    })
    if (readOnly !== undefined) session.seal(readOnly.message)
    else persistence.publish({ session, flush: () => this.flush() })
    if (session.length > durable) this.#queue.admit()
    this.#follower = followed && this.#follow(followed)
  }

  get readOnly(): { readonly message: string; readonly code: string } | undefined {
    const message = this.session.readOnly
    if (message === undefined) return undefined
    return { message, code: (this.#options.readOnly ?? this.#lost)?.code ?? storageCodes.disposed }
  }

  /** Resolves when all events are durable; what is only read here is. */
  async flush(): Promise<void> {
    if (this.#options.readOnly !== undefined || this.#queue.durable === this.session.length) return
    if (this.#lost !== undefined) throw this.#lost
    await this.#queue.flush()
  }

  /** As `flush`, and first puts the log back where something else deleted it or cut it short. */
  async save(): Promise<void> {
    try {
      await this.flush()
    } catch (error) {
      if (!(error instanceof PlanModeError) || error.code !== storageCodes.logGone) throw error
      const { session, persistence } = this.#options
      await persistence.rewrite(session.id, eventsOf(session, 0, this.#queue.durable))
      await this.flush()
    }
  }

  onProblem(listener: ProblemListener): Disposable {
    this.#problemListeners.add(listener)
    if (this.#problem !== undefined) listener(this.#problem)
    return { [Symbol.dispose]: () => void this.#problemListeners.delete(listener) }
  }

  onStale(listener: () => void): Disposable {
    this.#staleListeners.add(listener)
    if (this.#stale)
      queueMicrotask(() =>
        this.#call(
          [listener].filter(each => this.#staleListeners.has(each)),
          tell,
        ),
      )
    return { [Symbol.dispose]: () => void this.#staleListeners.delete(listener) }
  }

  /** Asks again and again who has the writer's place: whether another took it, or whether it is free. */
  watchWriter(): void {
    const { timers, pollMs } = this.#options
    this.#poll = timers.after(pollMs, () => void this.#askWriter(), 'background')
  }

  /** Says that another session object took this one's place. */
  supersede(): void {
    this.#goStale()
  }

  /** Seals the session, drains the queue, frees the writer's place. @throws what the last write gave, after freeing. */
  dispose(): Promise<void> {
    this.#disposed ??= this.#close()
    return this.#disposed
  }

  async #close(): Promise<void> {
    this.#poll?.[Symbol.dispose]()
    this.#follower?.[Symbol.dispose]()
    if (this.session.readOnly === undefined) this.session.seal('This conversation was closed; open it again to go on.')
    try {
      if (this.#writes) await this.#queue.flush()
    } finally {
      this.#queue.stop()
      this.#observing[Symbol.dispose]()
      if (this.#writes) await this.#options.persistence.release(this.session.id)
    }
  }

  get #writes(): boolean {
    return this.#options.readOnly === undefined && this.#lost === undefined
  }

  async #write(from: number, to: number): Promise<void> {
    const { session, persistence } = this.#options
    try {
      await persistence.append(session.id, eventsOf(session, from, to))
    } catch (error) {
      if (error instanceof PlanModeError && (error.code === storageCodes.writerLost || isMadeElsewhere(error, from)))
        await this.#lose(error)
      throw error
    }
  }

  #follow(followed: FollowedLog): LogFollower {
    const { session, timers, followMs } = this.#options
    return new LogFollower(followed, {
      timers,
      pollMs: followMs,
      onEvents: events => session.admit(events),
      onChanged: () => this.#goStale(),
      onProblem: error => this.#tell(error === undefined ? undefined : asPlanModeError(error)),
    })
  }

  /** Nothing more is written here, and nothing more of this is true. */
  async #lose(error: PlanModeError): Promise<void> {
    if (this.#lost !== undefined) return
    this.#lost = error
    this.session.seal(error.message)
    await this.#options.persistence.release(this.session.id)
    this.#goStale()
  }

  #goStale(): void {
    if (this.#stale || this.#disposed !== undefined) return
    this.#stale = true
    this.#poll?.[Symbol.dispose]()
    this.#follower?.[Symbol.dispose]()
    this.#options.onStale()
    this.#call([...this.#staleListeners], tell)
  }

  async #askWriter(): Promise<void> {
    const { persistence, session } = this.#options
    if (this.#writes) await this.#confirmPlace()
    // A folder that cannot be read now is asked again later.
    else if (await persistence.writable(session.id).catch(() => false)) this.#goStale()
    if (!this.#stale && this.#disposed === undefined) this.watchWriter()
  }

  async #confirmPlace(): Promise<void> {
    const { persistence, session } = this.#options
    try {
      await persistence.confirm(session.id)
    } catch (error) {
      // Anything else shows at the next append, which may go well.
      if (error instanceof PlanModeError && error.code === storageCodes.writerLost) {
        await this.#lose(error)
        if (this.#queue.durable < session.length) this.#tell(error)
      }
    }
  }

  #tell(problem: PlanModeError | undefined): void {
    this.#problem = problem
    this.#call([...this.#problemListeners], listener => listener(problem))
  }

  #call<L>(listeners: readonly L[], tell: (listener: L) => void): void {
    for (const listener of listeners) {
      try {
        tell(listener)
      } catch (error) {
        this.#options.onListenerError(error)
      }
    }
  }
}

/** Whether another process made the log of this new session in the same moment. */
function isMadeElsewhere({ code }: PlanModeError, from: number): boolean {
  return from === 0 && (code === storageCodes.alreadyExists || code === storageCodes.writerBusy)
}

const tell = (listener: () => void) => listener()

function eventsOf(session: Session, from: number, to: number): SessionEvent[] {
  return Array.from({ length: to - from }, (_, k) => session.at(from + k))
}

function asPlanModeError(error: unknown): PlanModeError {
  if (error instanceof PlanModeError) return error
  return new PlanModeError(storageCodes.storage, messageOf(error), { cause: error })
}
