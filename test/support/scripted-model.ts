import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type { ModelRoute, Models } from '../../src/agent/model.ts'

/** One act of a scripted answer, played in order. A raw part goes into the stream as it is. */
export type Act =
  | { readonly text: string }
  | { readonly reasoning: string }
  | { readonly call: string; readonly args?: unknown; readonly id?: string }
  /** Waits until the test resolves it. */
  | { readonly gate: PromiseLike<unknown> }
  /** An `error` part. */
  | { readonly error: unknown }
  /** Breaks the stream itself. */
  | { readonly cut: unknown }
  /** Ends the stream without a finish. */
  | { readonly end: true }
  | { readonly finish: Finish['finishReason']['unified']; readonly usage?: Finish['usage'] }
  | { readonly part: LanguageModelV4StreamPart }

/** The answer to one request: acts, or what `doStream` throws. A missing finish is added. */
export type Reply = readonly Act[] | { readonly throws: unknown } | ((request: LanguageModelV4CallOptions) => Reply)

type Finish = Extract<LanguageModelV4StreamPart, { type: 'finish' }>

export const noUsage: Finish['usage'] = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
}

export const someUsage: Finish['usage'] = {
  inputTokens: { total: 30, noCache: undefined, cacheRead: 10, cacheWrite: undefined },
  outputTokens: { total: 12, text: undefined, reasoning: 2 },
}

/** A language model that plays replies in order and records every request it got. */
export class ScriptedModel implements LanguageModelV4 {
  readonly specificationVersion = 'v4'
  readonly provider = 'scripted'
  readonly modelId = 'model-a'
  readonly supportedUrls = {}
  /** Copies, without the abort signal. */
  readonly requests: Omit<LanguageModelV4CallOptions, 'abortSignal'>[] = []
  /** How long `log` was at each request. */
  readonly lengths: number[] = []
  log: { readonly length: number } | undefined
  /** Asked before the replies are: what answers this request, if anything special does. */
  intercept: ((request: LanguageModelV4CallOptions) => Reply | undefined) | undefined
  readonly #replies: Reply[]
  readonly #fallback: Reply
  readonly #waiting = new Set<() => void>()
  #calls = 0

  /** Plays `fallback` once the replies are used up. */
  constructor(replies: readonly Reply[] = [], fallback: Reply = [{ text: 'done' }]) {
    this.#replies = [...replies]
    this.#fallback = fallback
  }

  push(...replies: Reply[]): void {
    this.#replies.push(...replies)
  }

  /** Resolves when the n-th request (from 1) arrived. */
  async requested(n: number): Promise<void> {
    while (this.requests.length < n) {
      await new Promise<void>(resolve => this.#waiting.add(resolve))
    }
  }

  async doGenerate(): Promise<never> {
    throw new Error('The scripted model only streams.')
  }

  async doStream({ abortSignal, ...request }: LanguageModelV4CallOptions) {
    this.requests.push(structuredClone(request))
    this.lengths.push(this.log?.length ?? 0)
    for (const wake of this.#waiting) wake()
    this.#waiting.clear()
    const next = this.intercept?.(request) ?? this.#replies.shift() ?? this.#fallback
    const reply = this.#resolve(next, request)
    if ('throws' in reply) throw reply.throws
    const parts = play(reply, () => `call-${++this.#calls}`)
    return { stream: streamOf(parts, abortSignal) }
  }

  #resolve(reply: Reply, request: LanguageModelV4CallOptions): readonly Act[] | { readonly throws: unknown } {
    return typeof reply === 'function' ? this.#resolve(reply(request), request) : reply
  }
}

/** Models that always choose this one. */
export function modelsOf(model: LanguageModelV4, route: Partial<ModelRoute> = {}): Models {
  const chosen = {
    provider: model.provider,
    model: model.modelId,
    contextWindow: 64_000,
    languageModel: model,
    ...route,
  }
  return { choose: async () => chosen }
}

async function* play(acts: readonly Act[], nextId: () => string): AsyncGenerator<LanguageModelV4StreamPart> {
  yield { type: 'stream-start', warnings: [] }
  let calls = 0
  for (const [index, act] of acts.entries()) {
    const id = String(index)
    if ('text' in act) {
      yield { type: 'text-start', id }
      for (const delta of words(act.text)) yield { type: 'text-delta', id, delta }
      yield { type: 'text-end', id }
    } else if ('reasoning' in act) {
      yield { type: 'reasoning-start', id }
      for (const delta of words(act.reasoning)) yield { type: 'reasoning-delta', id, delta }
      yield { type: 'reasoning-end', id }
    } else if ('call' in act) {
      calls++
      yield* playCall(act.id ?? nextId(), act.call, act.args)
    } else if ('gate' in act) await act.gate
    else if ('error' in act) yield { type: 'error', error: act.error }
    else if ('cut' in act) throw act.cut
    else if ('end' in act) return
    else if ('part' in act) yield act.part
    else {
      yield { type: 'finish', finishReason: { unified: act.finish, raw: act.finish }, usage: act.usage ?? someUsage }
      return
    }
  }
  const unified = calls > 0 ? 'tool-calls' : 'stop'
  yield { type: 'finish', finishReason: { unified, raw: unified }, usage: someUsage }
}

/** Arguments that are a string go out as they are, so that a test can send invalid JSON. */
function* playCall(id: string, toolName: string, args: unknown): Generator<LanguageModelV4StreamPart> {
  const input = typeof args === 'string' ? args : JSON.stringify(args ?? {})
  yield { type: 'tool-input-start', id, toolName }
  for (const delta of words(input)) yield { type: 'tool-input-delta', id, delta }
  yield { type: 'tool-input-end', id }
  yield { type: 'tool-call', toolCallId: id, toolName, input }
}

function words(text: string): string[] {
  return text.match(/\S+\s*|\s+/g) ?? ['']
}

function streamOf(parts: AsyncGenerator<LanguageModelV4StreamPart>, signal: AbortSignal | undefined) {
  return new ReadableStream<LanguageModelV4StreamPart>(
    {
      async pull(controller) {
        if (signal?.aborted) {
          controller.error(signal.reason)
          return
        }
        const next = await parts.next()
        if (next.done) controller.close()
        else controller.enqueue(next.value)
      },
    },
    { highWaterMark: 0 },
  )
}
