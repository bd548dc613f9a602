import type { Timers } from '../../../src/persistence/timers.ts'

/** Timers that run when a test says so. */
export class ManualTimers implements Timers {
  now = 0
  readonly #waiting = new Set<{ readonly due: number; readonly act: () => void }>()

  after(ms: number, act: () => void): Disposable {
    const timer = { due: this.now + ms, act }
    this.#waiting.add(timer)
    return { [Symbol.dispose]: () => void this.#waiting.delete(timer) }
  }

  get waiting(): number {
    return this.#waiting.size
  }

  /** Moves the clock and runs what falls due, in order, also what those acts add. */
  advance(ms: number): void {
    const end = this.now + ms
    for (;;) {
      const [next] = [...this.#waiting].filter(timer => timer.due <= end).sort((a, b) => a.due - b.due)
      if (next === undefined) break
      this.#waiting.delete(next)
      this.now = Math.max(this.now, next.due)
      next.act()
    }
    this.now = end
  }
}
