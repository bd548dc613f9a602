/**
 * The work's result, or a rejection with the signal's reason as soon as it aborts. The work itself may go on;
 * `abandon` then gets what it still gives.
 */
export async function abortable<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
  abandon: (late: T) => void = () => {},
): Promise<T> {
  if (signal === undefined) return work
  let stop = () => {}
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([aborted, work])
  } catch (error) {
    // Only an abort leaves work behind; its own failure has nothing to give, and nobody to tell.
    if (signal.aborted) void work.then(abandon, () => {})
    throw error
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
