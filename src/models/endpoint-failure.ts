// Every way in which an endpoint fails, in the words a person reads and the codes a program routes on.
import { APICallError, InvalidResponseDataError } from '@ai-sdk/provider'
import { z } from 'zod'
import { ModelError } from '../agent/model.ts'
import type { Failure } from '../session/messages.ts'

/** What a failure is told about: never more than the host is named, and the key is removed from everything. */
export interface EndpointFacts {
  readonly host: string
  readonly model: string
  readonly apiKey?: string
  /** Whether the request carried images. */
  readonly images?: boolean
  /** Epoch milliseconds, for a retry-after that is a date. */
  now(): number
}

const maxExcerpt = 200
const maxRequestId = 100

/** What endpoints say about an error, in the shapes that are common; anything else counts as having said nothing. */
const named = z.object({
  message: z.string().optional().catch(undefined),
  type: z.string().nullish().catch(undefined),
  code: z.union([z.string(), z.number()]).nullish().catch(undefined),
})
const errorBody = z.union([
  z.object({ error: named }).transform(body => body.error),
  z.object({ error: z.string() }).transform(body => ({ message: body.error })),
  z.object({ detail: z.string() }).transform(body => ({ message: body.detail })),
  named,
])
type Said = {
  message?: string | undefined
  type?: string | null | undefined
  code?: string | number | null | undefined
}

/**
 * Turns anything that a request or its stream threw into a ModelError. Codes: those of session-log format 4.2, and
 * UNREACHABLE, STREAM_CUT, NOT_FOUND, BAD_REQUEST, BAD_RESPONSE. The original error is not kept as a cause: it may
 * hold the request and the whole answer.
 */
export function endpointError(error: unknown, facts: EndpointFacts, streaming: boolean): ModelError {
  return error instanceof ModelError ? error : new ModelError(failureOf(error, facts, streaming))
}

function failureOf(error: unknown, facts: EndpointFacts, streaming: boolean): Failure {
  if (APICallError.isInstance(error)) {
    const status = error.statusCode
    if (status !== undefined && status >= 400) return statusFailure(status, saidIn(error.responseBody), error, facts)
    return streaming || status !== undefined ? cut(facts) : unreachable(error.cause, facts)
  }
  if (InvalidResponseDataError.isInstance(error)) {
    // The only such error that a stream gives at its end is the missing finish; the others are malformed calls.
    return error.data === undefined ? cut(facts) : badResponse(facts)
  }
  if (error instanceof Error)
    return networkCode(error) === undefined ? badResponse(facts) : networkFailure(error, facts, streaming)
  return reported(said(error), facts)
}

function statusFailure(status: number, told: Said, error: APICallError, facts: EndpointFacts): Failure {
  const { code, message } = byStatus(status, told, facts)
  const headers = error.responseHeaders ?? {}
  const wait = retryAfter(headers, facts.now())
  const id = headers['x-request-id'] ?? headers['request-id']
  const withExcerpt = code === 'AUTH' ? message : message + excerpt(told.message, facts)
  return {
    message: withExcerpt,
    code,
    status,
    ...(wait === undefined ? {} : { providerRetryAfterMs: wait }),
    ...(id === undefined ? {} : { requestId: scrub(id, facts).slice(0, maxRequestId) }),
  }
}

function byStatus(status: number, told: Said, facts: EndpointFacts): { code: string; message: string } {
  const { host, model } = facts
  if (status === 401 || status === 403) {
    const what = status === 401 ? 'did not accept the API key' : 'does not allow this request with the API key in use'
    return {
      code: 'AUTH',
      message: `${host} ${what} (status ${status}). Run "Plan: Set API Key" to store another one.`,
    }
  }
  if (status === 402 || isQuota(told)) {
    return {
      code: 'QUOTA',
      message: `The account at ${host} has no quota left (status ${status}). Check its plan and billing.`,
    }
  }
  if (facts.images === true && refusesImages(status, told)) return unsupportedImages(facts)
  if (isContextWindow(told) || status === 413) return contextWindow(host, model)
  if (status === 429) {
    return {
      code: 'RATE_LIMIT',
      message: `${host} is receiving too many requests (status 429). Wait a moment and try again.`,
    }
  }
  if (status >= 500 || status === 408) {
    return {
      code: 'SERVER',
      message: `${host} failed to answer (status ${status}). Try again; if it stays so, see its status page.`,
    }
  }
  if (status === 404) {
    const message = `${host} does not know this address or the model ${model} (status 404). Check the settings planMode.model.baseUrl and planMode.model.id.`
    return { code: 'NOT_FOUND', message }
  }
  return { code: 'BAD_REQUEST', message: `${host} refused the request for the model ${model} (status ${status}).` }
}

/** An error that the endpoint reported inside its stream. */
function reported(told: Said, facts: EndpointFacts): Failure {
  const { host, model } = facts
  const status = Number(told.code)
  const words = excerpt(told.message, facts)
  if (Number.isInteger(status) && status >= 400 && status < 600) {
    const { code, message } = byStatus(status, told, facts)
    return { code, status, message: code === 'AUTH' ? message : message + words }
  }
  if (isQuota(told))
    return { code: 'QUOTA', message: `The account at ${host} has no quota left. Check its plan and billing.${words}` }
  if (facts.images === true && refusesImages(undefined, told)) {
    const { code, message } = unsupportedImages(facts)
    return { code, message: message + words }
  }
  if (isContextWindow(told)) return contextWindow(host, model)
  if (/rate.?limit|too.?many/i.test(`${told.type} ${told.code}`)) {
    return {
      code: 'RATE_LIMIT',
      message: `${host} is receiving too many requests. Wait a moment and try again.${words}`,
    }
  }
  return { code: 'SERVER', message: `${host} reported an error while it answered. Try again.${words}` }
}

function contextWindow(host: string, model: string): { code: string; message: string } {
  const message = `The conversation is longer than the context window of ${model} at ${host}. Start a new conversation or choose a model with a larger window.`
  return { code: 'CONTEXT_WINDOW_EXCEEDED', message }
}

function unsupportedImages({ host, model }: EndpointFacts): { code: string; message: string } {
  const message = `The model ${model} at ${host} takes no images. Choose a model that does, or turn the setting planMode.model.images off to go on: images are then named to the model in words.`
  return { code: 'UNSUPPORTED_CONTENT', message }
}

/** Endpoints have no common word for it: some name the image, some only that the content should have been a string. */
function refusesImages(status: number | undefined, { type, code, message }: Said): boolean {
  if (status !== undefined && ![400, 404, 415, 422, 500, 501].includes(status)) return false
  const words = `${type} ${code} ${message}`
  if (/image|vision|multi-?modal/i.test(words)) return true
  return (
    status !== 500 && /content.{0,40}(string|type|part|format)|unknown variant|expected a? ?(string|text)/i.test(words)
  )
}

function isQuota({ type, code }: Said): boolean {
  return /insufficient.?(quota|balance|credit)|billing|quota.?exceeded/i.test(`${type} ${code}`)
}

function isContextWindow({ type, code, message }: Said): boolean {
  return (
    /context.?(length|window)/i.test(`${type} ${code}`) ||
    /(maximum|max|exceed\w*).{0,40}context (length|window|size)|context (length|window|size).{0,40}exceed|prompt is too long/i.test(
      message ?? '',
    )
  )
}

function networkFailure(error: Error, facts: EndpointFacts, streaming: boolean): Failure {
  return streaming ? cut(facts) : unreachable(error, facts)
}

function unreachable(cause: unknown, { host }: EndpointFacts): Failure {
  const code = networkCode(cause)
  const advice = 'Check the setting planMode.model.baseUrl, that the endpoint is running, and the network.'
  const reason = code === undefined ? '' : ` (${code})`
  const what = /CERT|SSL|TLS|SIGNATURE/.test(code ?? '')
    ? 'its certificate is not trusted'
    : 'no connection could be made'
  return { code: 'UNREACHABLE', message: `${host} cannot be reached: ${what}${reason}. ${advice}` }
}

function cut({ host }: EndpointFacts): Failure {
  return { code: 'STREAM_CUT', message: `The answer from ${host} ended before it was complete. Try again.` }
}

function badResponse({ host }: EndpointFacts): Failure {
  const message = `${host} sent an answer that is not a chat completion. Check that planMode.model.baseUrl is the address of an OpenAI-compatible API (it often ends in /v1).`
  return { code: 'BAD_RESPONSE', message }
}

/** The system's code of a network error, found along the causes; never its message, which may hold addresses. */
function networkCode(error: unknown): string | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth++) {
    if ('code' in at && typeof at.code === 'string' && /^[A-Z][A-Z0-9_]{2,40}$/.test(at.code)) return at.code
  }
  return undefined
}

function saidIn(body: string | undefined): Said {
  try {
    return said(JSON.parse(body ?? ''))
  } catch {
    // Not JSON (a proxy's page, say): there is nothing in it that a person should read.
    return {}
  }
}

function said(value: unknown): Said {
  const parsed = errorBody.safeParse(value)
  return parsed.success ? parsed.data : {}
}

/** The endpoint's own words, short, on one line and without the key; empty when it said nothing. */
function excerpt(message: string | undefined, facts: EndpointFacts): string {
  const plain = scrub(message ?? '', facts)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
  if (plain === '') return ''
  const short = plain.length > maxExcerpt ? `${plain.slice(0, maxExcerpt).replace(/[\uD800-\uDBFF]$/, '')}…` : plain
  return ` It says: "${short}"`
}

/** Removes the key and whatever looks like one. */
function scrub(text: string, { apiKey }: EndpointFacts): string {
  const spellings =
    apiKey === undefined || apiKey === ''
      ? []
      : [apiKey, encodeURIComponent(apiKey), Buffer.from(apiKey).toString('base64')]
  const clean = spellings.reduce((rest, spelling) => rest.replaceAll(spelling, '[key]'), text)
  return clean.replace(/\b(sk|pk|rk|key)[-_][\w*.-]{6,}/gi, '[key]').replace(/\bBearer\s+\S+/gi, 'Bearer [key]')
}

/** Milliseconds to wait, from seconds, milliseconds or a date; undefined when the endpoint gave nothing usable. */
function retryAfter(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const exact = Number.parseFloat(headers['retry-after-ms'] ?? '')
  if (exact >= 0) return exact
  const value = headers['retry-after']?.trim() ?? ''
  if (/^\d+(\.\d+)?$/.test(value)) return Math.round(Number(value) * 1000)
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
