import { realTimers, type Timers } from '../timers.ts'

/** How a write-behind queue reaches the log and tells how it goes. */
export interface WriteBehindOptions {
  /** How many entries exist by now; grows before `admit` is called. */
  readonly length: () => number
  /** Makes the entries `from` (inclusive) to `to` (exclusive) durable, all or none. */
  readonly write: (from: number, to: number) => Promise<void>
  /** Entries that are durable already. */
  readonly durable: number
  /** Milliseconds from the first waiting entry to its batch. */
  readonly windowMs: number
  readonly timers?: Timers
  /** Called when a write fails, and with undefined when one works again. */
  readonly onProblem: (error: unknown) => void
}

/**
 * Writes what is admitted in batches: one fixed window from the first waiting entry, then one durable write. The log
 * itself is the queue, so order and completeness are its own. After a failure nothing is lost and nothing is retried
 * until the next `admit` or `flush`.
 */
export class WriteBehind {
  readonly #options: WriteBehindOptions
  readonly #timers: Timers
  #durable: number
  #window: Disposable | undefined
  #writing: Promise<void> | undefined
  #failed = false
  #due = false

  constructor(options: WriteBehindOptions) {
    this.#options = options
    this.#timers = options.timers ?? realTimers
    this.#durable = options.durable
  }

  get durable(): number {
    return this.#durable
  }

  /** Says that the log has grown. */
  admit(): void {
    if (this.#window !== undefined || this.#due) return
    this.#window = this.#timers.after(this.#options.windowMs, () => {
      this.#window = undefined
      this.#due = true
      if (this.#writing === undefined) this.#writeInBackground()
    })
  }

  /** Resolves when everything that exists now is durable. @throws what the write gave; the entries stay queued. */
  async flush(): Promise<void> {
    const goal = this.#options.length()
    this.#stopWaiting()
    // A write under way may have begun with less, and its failure is not this call's answer.
    if (this.#writing !== undefined) await this.#writing.catch(() => undefined)
    while (this.#durable < goal) await (this.#writing ?? this.#write())
  }

  /** Calls off the waiting batch. What is not durable stays so. */
  stop(): void {
    this.#stopWaiting()
  }

  #stopWaiting(): void {
    this.#window?.[Symbol.dispose]()
    this.#window = undefined
    this.#due = false
  }

  #writeInBackground(): void {
    // `onProblem` has told of the failure; the next admit or flush tries again.
    void this.#write().catch(() => undefined)
  }

  #write(): Promise<void> {
    this.#stopWaiting()
    const writing = this.#writeOnce(this.#durable, this.#options.length()).finally(() => {
      this.#writing = undefined
      const due = this.#due && !this.#failed
      this.#due = false
      if (due) this.#writeInBackground()
    })
    this.#writing = writing
    return writing
  }

  async #writeOnce(from: number, to: number): Promise<void> {
    try {
      if (to > from) await this.#options.write(from, to)
    } catch (error) {
      this.#failed = true
      this.#options.onProblem(error)
      throw error
    }
    this.#durable = to
    if (!this.#failed) return
    this.#failed = false
    this.#options.onProblem(undefined)
  }
}
