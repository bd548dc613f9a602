import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type { Failure } from '../../session/messages.ts'
import { type StepAt, type TurnWork, untilAborted } from '../loop/work.ts'
import type { ModelRoute } from '../model.ts'
import { Answer, type Finish, type Response } from './answer.ts'
import { cutStream, requestFailure } from './failures.ts'
import { MAX_RETRIES, retryDelay } from './retry.ts'

/**
 * Sends the request and logs the answer. A transient failure before anything visible came is repeated with the same
 * frozen request. Rejects with the signal's reason on abort; the words that came so far are kept as interrupted.
 */
export async function respond(
  work: TurnWork,
  at: StepAt,
  route: ModelRoute,
  request: LanguageModelV4CallOptions,
): Promise<Response> {
  for (let retry = 1; ; retry++) {
    const answer = new Answer(work, at, route)
    const response = await attempt(work, route, request, answer)
    if (response.kind === 'answered' || answer.visible) return response
    const delayMs = retryDelay(response.failure, retry)
    if (delayMs === undefined) return response
    await waitForRetry(work, at, route, response.failure, retry, delayMs)
  }
}

async function waitForRetry(
  work: TurnWork,
  { turn, step }: StepAt,
  { provider }: ModelRoute,
  failure: Failure,
  retry: number,
  delayMs: number,
): Promise<void> {
  const retryId = crypto.randomUUID()
  const record = { retryId, turn, step, provider, policyKey: failure.code, retry }
  work.append('llm/retry', { ...record, mode: 'normal', maxRetries: MAX_RETRIES, delayMs, failure })
  await untilAborted(work.signal, work.runtime.sleep(delayMs, work.signal))
  work.append('llm/retry-started', { retryId, turn, step, retry })
}

async function attempt(
  work: TurnWork,
  route: ModelRoute,
  request: LanguageModelV4CallOptions,
  answer: Answer,
): Promise<Response> {
  try {
    const opened = await tried(work, route, async () => {
      const options = { ...request, abortSignal: work.signal }
      return (await untilAborted(work.signal, route.languageModel.doStream(options))).stream.getReader()
    })
    return opened.kind === 'failed' ? answer.fail(opened.failure) : await read(work, route, opened.value, answer)
  } catch (error) {
    if (work.signal.aborted) answer.interrupt()
    throw error
  }
}

async function read(
  work: TurnWork,
  route: ModelRoute,
  reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart>,
  answer: Answer,
): Promise<Response> {
  try {
    for (;;) {
      const next = await tried(work, route, () => untilAborted(work.signal, reader.read()))
      if (next.kind === 'failed') return answer.fail(next.failure)
      if (next.value.done) return answer.fail(cutStream(route))
      const part = next.value.value
      if (part.type === 'error') return answer.fail(requestFailure(part.error, route))
      if (part.type === 'finish') return answer.finish(part satisfies Finish)
      answer.accept(part)
    }
  } finally {
    reader.cancel().catch(() => {}) // the stream may be broken already; nobody waits for its end
  }
}

type Tried<T> = { readonly kind: 'value'; readonly value: T } | { readonly kind: 'failed'; readonly failure: Failure }

/** What the provider throws becomes a value here; an abort goes on as a rejection. */
async function tried<T>(work: TurnWork, route: ModelRoute, act: () => Promise<T>): Promise<Tried<T>> {
  try {
    return { kind: 'value', value: await act() }
  } catch (error) {
    if (work.signal.aborted) throw error
    return { kind: 'failed', failure: requestFailure(error, route) }
  }
}
