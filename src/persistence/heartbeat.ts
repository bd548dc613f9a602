import { realTimers, type Timers } from './timers.ts'

/** How often an owner says that it is still there. */
const HEARTBEAT_MS = 15_000

/** Says again and again that the owner of a writer's place is still there, until it is disposed of. */
export class Heartbeat implements Disposable {
  readonly #say: () => Promise<unknown>
  readonly #timers: Timers
  #next: Disposable | undefined
  #stopped = false

  /** A failed word is left at that: what is wrong shows at the next append. */
  constructor(say: () => Promise<unknown>, timers: Timers = realTimers) {
    this.#say = say
    this.#timers = timers
    this.#wait()
  }

  [Symbol.dispose](): void {
    this.#stopped = true
    this.#next?.[Symbol.dispose]()
    this.#next = undefined
  }

  #wait(): void {
    this.#next = this.#timers.after(HEARTBEAT_MS, () => void this.#beat(), 'background')
  }

  async #beat(): Promise<void> {
    await this.#say().catch(() => undefined)
    if (!this.#stopped) this.#wait()
  }
}
