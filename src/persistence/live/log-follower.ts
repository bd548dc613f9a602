import type { SessionEvent } from '../../session/events.ts'
import type { FollowedLog } from '../persistence.ts'
import type { Timers } from '../timers.ts'

/** How a follower tells what it finds. */
export interface FollowerOptions {
  readonly timers: Timers
  /** Between two looks where nothing tells of a change. */
  readonly pollMs: number
  /** What was stored since; what it throws means that it does not fit. */
  readonly onEvents: (events: readonly SessionEvent[]) => void
  /** Called once: the log is another now and has to be followed anew. */
  readonly onChanged: () => void
  /** Called when a look fails, and with undefined when one works again. */
  readonly onProblem: (error: unknown) => void
}

/** Changes come in bursts; between two looks there is at least this. */
const PAUSE_MS = 30

/** Looks at a followed log whenever the system tells of a change, and now and then. One look at a time. */
export class LogFollower implements Disposable {
  readonly #log: FollowedLog
  readonly #options: FollowerOptions
  readonly #watching: Disposable
  #looking = false
  /** Something changed while a look was under way. */
  #again = false
  #failed = false
  #timer: Disposable | undefined
  #disposed = false

  /** Takes the log over. */
  constructor(log: FollowedLog, options: FollowerOptions) {
    this.#log = log
    this.#options = options
    this.#watching = log.onChange(() => this.#changed())
    this.#wait()
  }

  [Symbol.dispose](): void {
    if (this.#disposed) return
    this.#disposed = true
    this.#timer?.[Symbol.dispose]()
    this.#watching[Symbol.dispose]()
    this.#log[Symbol.dispose]()
  }

  #changed(): void {
    if (this.#again || this.#disposed) return
    this.#again = true
    if (!this.#looking) this.#wait()
  }

  #wait(): void {
    this.#timer?.[Symbol.dispose]()
    const { timers, pollMs } = this.#options
    this.#timer = timers.after(this.#again ? PAUSE_MS : pollMs, () => void this.#look(), 'background')
  }

  async #look(): Promise<void> {
    this.#looking = true
    this.#again = false
    try {
      const events = await this.#log.next()
      if (this.#disposed) return
      if (events === undefined || !this.#taken(events)) this.#options.onChanged()
      else if (this.#failed) this.#tell(undefined)
    } catch (error) {
      if (!this.#disposed) this.#tell(error)
    }
    this.#looking = false
    if (!this.#disposed) this.#wait()
  }

  #taken(events: readonly SessionEvent[]): boolean {
    try {
      this.#options.onEvents(events)
      return true
    } catch {
      // Read whole, the log says what is wrong with it, if anything is.
      return false
    }
  }

  #tell(error: unknown): void {
    const known = this.#failed
    this.#failed = error !== undefined
    if (!known || !this.#failed) this.#options.onProblem(error)
  }
}
