import { z } from 'zod'
import { messageOf, PlanModeError } from '../../session/errors.ts'
import type { Failure } from '../../session/messages.ts'
import { ModelError, type ModelRoute } from '../model.ts'

/** Turns whatever was thrown into the value a `turn/end` carries (session-log format, section 4.2). */
export function failureOf(error: unknown): Failure {
  if (error instanceof ModelError) return error.failure
  if (error instanceof PlanModeError) return { message: error.message, code: error.code }
  return { message: messageOf(error), code: 'UNKNOWN' }
}

/** The answer ended with neither words nor a call. */
export function emptyResponse(route: ModelRoute): Failure {
  return {
    code: 'EMPTY_RESPONSE',
    message: `The model ${labelOf(route)} gave an empty answer. Send the message again.`,
  }
}

/** The stream ended before the model said that it was finished. */
export function cutStream(route: ModelRoute): Failure {
  return { code: 'SERVER', message: `The answer of ${labelOf(route)} was cut off. Send the message again.` }
}

/** The provider ended the answer and gave no words. */
export function withheld(route: ModelRoute): Failure {
  return { code: 'CONTENT_FILTER', message: `The model ${labelOf(route)} withheld its answer. Say it in other words.` }
}

/** What a provider's HTTP errors carry; anything else has no status. */
const httpError = z.object({
  statusCode: z.int().optional(),
  responseHeaders: z.record(z.string(), z.string()).optional().catch(undefined),
  isRetryable: z.boolean().optional().catch(undefined),
})

/** A failed request as a value: a ModelError's own, else by HTTP status, else UNKNOWN. */
export function requestFailure(error: unknown, route: ModelRoute): Failure {
  if (error instanceof ModelError) return error.failure
  const { statusCode: status, responseHeaders, isRetryable } = parseHttpError(error)
  const why = reasonOf(error)
  if (status === undefined) {
    const code = isRetryable || isNetworkError(error) ? 'UNREACHABLE' : 'UNKNOWN'
    return { message: `The model ${labelOf(route)} could not answer: ${why}`, code }
  }
  const after = status === 429 ? retryAfterMs(responseHeaders ?? {}) : undefined
  return {
    message: `The model ${labelOf(route)} refused the request (HTTP ${status}): ${why}`,
    code: codeOf(status),
    status,
    ...(after === undefined ? {} : { providerRetryAfterMs: after }),
  }
}

function parseHttpError(error: unknown): z.infer<typeof httpError> {
  const parsed = httpError.safeParse(error)
  return parsed.success ? parsed.data : {}
}

function codeOf(status: number): string {
  if (status === 401 || status === 403) return 'AUTH'
  if (status === 402) return 'QUOTA'
  if (status === 429) return 'RATE_LIMIT'
  return status >= 500 ? 'SERVER' : 'UNKNOWN'
}

/** `retry-after-ms` in milliseconds, or `retry-after` in seconds; a date form is not read. */
function retryAfterMs(headers: Readonly<Record<string, string>>): number | undefined {
  const precise = Number(headers['retry-after-ms'] ?? Number.NaN)
  const value = Number.isFinite(precise) ? precise : Number(headers['retry-after'] ?? Number.NaN) * 1000
  return Number.isFinite(value) && value >= 0 ? value : undefined
}

/** `fetch` reports every network trouble as a TypeError with a cause. */
function isNetworkError(error: unknown): boolean {
  return error instanceof TypeError && error.cause !== undefined
}

function reasonOf(error: unknown): string {
  if (error instanceof Error || typeof error === 'string') return messageOf(error)
  const parsed = z.object({ message: z.string() }).safeParse(error)
  return parsed.success ? parsed.data.message : 'it gave no reason.'
}

function labelOf(route: ModelRoute): string {
  return `${route.model} (${route.provider})`
}
