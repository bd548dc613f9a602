export interface Bounds {
  /** Acts under way at a time. */
  readonly limit: number
  /** Once it aborts, no further act begins. */
  readonly signal: AbortSignal
}

/** Runs `act` on each item, begun in their order. Resolves when every act that began has settled. @throws the first failure. */
export async function eachBounded<T>(
  items: readonly T[],
  { limit, signal }: Bounds,
  act: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = items[Symbol.iterator]()
  const worker = async () => {
    for (let next = waiting.next(); !next.done; next = waiting.next()) {
      if (signal.aborted) return
      await act(next.value)
    }
  }
  const done = await Promise.allSettled(Array.from({ length: limit }, worker))
  for (const result of done) if (result.status === 'rejected') throw result.reason
}
