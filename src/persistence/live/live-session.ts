import { messageOf, PlanModeError } from '../../session/errors.ts'
import type { Session } from '../../session/session.ts'
import { storageCodes } from '../errors.ts'
import type { SessionPersistence } from '../persistence.ts'
import type { Timers } from '../timers.ts'
import { WriteBehind } from './write-behind.ts'

export type ProblemListener = (error: PlanModeError | undefined) => void

export interface LiveSessionOptions {
  readonly session: Session
  readonly persistence: SessionPersistence
  readonly timers: Timers
  /** Events of the session that are stored already. */
  readonly durable: number
  readonly windowMs: number
  readonly pollMs: number
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
  readonly #writableListeners = new Set<() => void>()
  #problem: PlanModeError | undefined
  /** Set when the writer's place went to another; nothing is written any more. */
  #lost: PlanModeError | undefined
  #poll: Disposable | undefined
  #disposed: Promise<void> | undefined

  constructor(options: LiveSessionOptions) {
    const { session, persistence, durable, windowMs, timers, readOnly } = options
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
    this.#observing = session.observe(() => this.#queue.admit())
    if (readOnly !== undefined) session.seal(readOnly.message)
    else persistence.publish({ session, flush: () => this.flush() })
    if (session.length > durable) this.#queue.admit()
  }

  get readOnly(): { readonly message: string; readonly code: string } | undefined {
    const message = this.session.readOnly
    if (message === undefined) return undefined
    return { message, code: (this.#options.readOnly ?? this.#lost)?.code ?? storageCodes.disposed }
  }

  /** Resolves when all events are durable. */
  async flush(): Promise<void> {
    if (this.#queue.durable === this.session.length) return
    if (this.#lost !== undefined) throw this.#lost
    await this.#queue.flush()
  }

  onProblem(listener: ProblemListener): Disposable {
    this.#problemListeners.add(listener)
    if (this.#problem !== undefined) listener(this.#problem)
    return { [Symbol.dispose]: () => void this.#problemListeners.delete(listener) }
  }

  onWritable(listener: () => void): Disposable {
    this.#writableListeners.add(listener)
    return { [Symbol.dispose]: () => void this.#writableListeners.delete(listener) }
  }

  /** Asks again and again whether the writer's place is free, and tells once. */
  watchWriter(): void {
    const { timers, pollMs } = this.#options
    this.#poll = timers.after(pollMs, () => void this.#askWriter(), 'background')
  }

  /** Seals the session, drains the queue, frees the writer's place. @throws what the last write gave, after freeing. */
  dispose(): Promise<void> {
    this.#disposed ??= this.#close()
    return this.#disposed
  }

  async #close(): Promise<void> {
    this.#poll?.[Symbol.dispose]()
    if (this.session.readOnly === undefined) this.session.seal('This conversation was closed; open it again to go on.')
    try {
      if (this.#lost === undefined) await this.#queue.flush()
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
    const events = Array.from({ length: to - from }, (_, k) => session.at(from + k))
    try {
      await persistence.append(session.id, events)
    } catch (error) {
      if (error instanceof PlanModeError && error.code === storageCodes.writerLost) await this.#lose(error)
      throw error
    }
  }

  async #lose(error: PlanModeError): Promise<void> {
    this.#lost = error
    this.session.seal(error.message)
    await this.#options.persistence.release(this.session.id)
    this.#options.onStale()
    if (this.#disposed === undefined) this.watchWriter()
  }

  async #askWriter(): Promise<void> {
    // A folder that cannot be read now is asked again later.
    const free = await this.#options.persistence.writable(this.session.id).catch(() => false)
    if (this.#disposed !== undefined) return
    if (!free) return this.watchWriter()
    this.#options.onStale()
    this.#call([...this.#writableListeners], listener => listener())
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

function asPlanModeError(error: unknown): PlanModeError {
  if (error instanceof PlanModeError) return error
  return new PlanModeError(storageCodes.storage, messageOf(error), { cause: error })
}
