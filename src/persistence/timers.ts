/** Delayed acts, so that tests own the clock. */
export interface Timers {
  /** Runs `act` once after `ms`; dispose to call it off. `background` timers do not keep the process alive. */
  after(ms: number, act: () => void, kind?: 'background'): Disposable
}

export const realTimers: Timers = {
  after(ms, act, kind) {
    const timer = setTimeout(act, ms)
    if (kind === 'background') timer.unref()
    return { [Symbol.dispose]: () => clearTimeout(timer) }
  },
}
