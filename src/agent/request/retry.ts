import type { Failure } from '../../session/messages.ts'

/** How often one step repeats a request that failed before anything of an answer was seen. */
export const MAX_RETRIES = 2

/** The longest wait a provider may ask for, in milliseconds; a longer one is told to the person instead. */
export const MAX_RETRY_AFTER_MS = 10_000

const transient: ReadonlySet<string> = new Set(['RATE_LIMIT', 'SERVER', 'UNREACHABLE'])
const delaysMs = [500, 2_000]

/** Milliseconds to wait before retry number `retry` (from 1); undefined when the request is not to be repeated. */
export function retryDelay(failure: Failure, retry: number): number | undefined {
  if (!transient.has(failure.code) || retry > MAX_RETRIES) return undefined
  const asked = failure.providerRetryAfterMs
  if (asked !== undefined) return asked <= MAX_RETRY_AFTER_MS ? asked : undefined
  return delaysMs[retry - 1]
}
