// Waiting for a condition, never for a time.
import { setTimeout as delay } from 'node:timers/promises'

/** Resolves with the first value of `probe` that is not undefined; after `timeout` ms throws, naming `what`. */
export async function until<T>(what: string, probe: () => Promise<T | undefined>, timeout = 20_000): Promise<T> {
  const deadline = Date.now() + timeout
  for (;;) {
    const value = await probe()
    if (value !== undefined) return value
    if (Date.now() > deadline) throw new Error(`Waited ${timeout / 1000} s for ${what}`)
    await delay(50)
  }
}
