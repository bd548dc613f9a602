import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider'
import { ModelError, type ModelRoute } from '../agent/model.ts'
import { type BaseUrl, parseBaseUrl } from './base-url.ts'
import { type EndpointFacts, endpointError } from './endpoint-failure.ts'
import { isSendable } from './keys.ts'
import { withImagesApart } from './tool-images.ts'

export interface EndpointOptions {
  readonly baseUrl: string
  readonly id: string
  /** Tokens. */
  readonly contextWindow?: number
  /** False when the model takes no images. */
  readonly images?: false
  /** Must belong to the origin of `baseUrl`; it is sent to no other. */
  readonly apiKey?: string
  readonly fetch?: typeof globalThis.fetch
  /** Epoch milliseconds; the wall clock unless given. */
  readonly now?: () => number
}

/**
 * A model behind any endpoint that speaks OpenAI's chat completions. It never retries and follows no redirect. Every
 * failure, thrown or inside the stream, is a ModelError; only an abort stays what it is.
 * @throws ModelError `BAD_BASE_URL`, `BAD_MODEL`, `INVALID_CREDENTIAL` or `INSECURE_ENDPOINT` (a key would travel in clear).
 */
export function endpointModel(options: EndpointOptions): ModelRoute {
  const base = parseBaseUrl(options.baseUrl)
  const model = options.id.trim()
  assertUsable(base, model, options.apiKey)
  const facts: EndpointFacts = {
    host: base.host,
    model,
    now: options.now ?? Date.now,
    ...(options.apiKey === undefined ? {} : { apiKey: options.apiKey }),
  }
  const provider = createOpenAICompatible({
    name: base.host.replace(/[^a-z0-9]+/gi, '-'),
    baseURL: base.url,
    queryParams: base.query,
    includeUsage: true,
    fetch: confinedFetch(base, options.fetch ?? globalThis.fetch),
    ...(options.apiKey === undefined ? {} : { apiKey: options.apiKey }),
  })
  return {
    provider: base.host,
    model,
    ...(options.contextWindow === undefined ? {} : { contextWindow: options.contextWindow }),
    ...(options.images === false ? { images: false as const } : {}),
    languageModel: withPlainFailures(provider.chatModel(model), facts),
  }
}

function assertUsable(base: BaseUrl, model: string, apiKey: string | undefined): void {
  if (model === '') {
    throw new ModelError({ code: 'BAD_MODEL', message: 'No model is named. Set planMode.model.id.' })
  }
  if (apiKey === undefined) return
  if (!isSendable(apiKey)) {
    const message = `The API key stored for ${base.host} cannot be sent. Run "Plan: Set API Key" to store it again.`
    throw new ModelError({ code: 'INVALID_CREDENTIAL', message })
  }
  if (!base.confidential) {
    const message = `The API key would travel unencrypted to ${base.host}. Use an https address in planMode.model.baseUrl, or remove the key.`
    throw new ModelError({ code: 'INSECURE_ENDPOINT', message })
  }
}

/** Sends to the endpoint's own origin only: a redirect is an error, so that no header ever follows it elsewhere. */
function confinedFetch(base: BaseUrl, fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    if (url.origin !== base.origin) throw new Error('A request left its origin.')
    const response = await fetch(input, { ...init, redirect: 'manual' })
    if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)) {
      await response.body?.cancel()
      throw redirected(base, response)
    }
    if (response.ok && /^text\/html\b/i.test(response.headers.get('content-type') ?? '')) {
      await response.body?.cancel()
      throw new ModelError({
        code: 'BAD_RESPONSE',
        status: response.status,
        message: `${base.host} answered with a web page. Check that planMode.model.baseUrl is the address of the API (it often ends in /v1).`,
      })
    }
    return response
  }
}

function redirected(base: BaseUrl, response: Response): ModelError {
  const location = response.headers.get('location')
  const target = location === null ? undefined : URL.parse(location, base.url)?.origin
  const where = target === undefined || target === base.origin ? 'another address' : target
  return new ModelError({
    code: 'REDIRECTED',
    ...(response.status >= 300 ? { status: response.status } : {}),
    message: `${base.host} redirects to ${where}, which is not followed. Set planMode.model.baseUrl to the final address.`,
  })
}

function withPlainFailures(inner: LanguageModelV4, facts: EndpointFacts): LanguageModelV4 {
  const failure = (error: unknown, { abortSignal, prompt }: LanguageModelV4CallOptions, streaming: boolean) =>
    abortSignal?.aborted ? error : endpointError(error, { ...facts, images: hasImages(prompt) }, streaming)
  const asSent = (options: LanguageModelV4CallOptions) => ({ ...options, prompt: withImagesApart(options.prompt) })
  return {
    specificationVersion: 'v4',
    provider: facts.host,
    modelId: facts.model,
    supportedUrls: inner.supportedUrls,
    async doGenerate(given) {
      const options = asSent(given)
      try {
        return await inner.doGenerate(options)
      } catch (error) {
        throw failure(error, options, false)
      }
    },
    async doStream(given) {
      const options = asSent(given)
      try {
        const result = await inner.doStream(options)
        return { ...result, stream: checked(result.stream, error => failure(error, options, true)) }
      } catch (error) {
        throw failure(error, options, false)
      }
    },
  }
}

function hasImages(prompt: LanguageModelV4Prompt): boolean {
  return prompt.some(message => message.role === 'user' && message.content.some(part => part.type === 'file'))
}

/** The stream with its errors in our words, whether they came as parts or broke it. */
function checked(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  failure: (error: unknown) => unknown,
): ReadableStream<LanguageModelV4StreamPart> {
  const reader = stream.getReader()
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (done) controller.close()
        else controller.enqueue(value.type === 'error' ? { type: 'error', error: failure(value.error) } : value)
      } catch (error) {
        controller.error(failure(error))
      }
    },
    async cancel(reason) {
      await reader.cancel(reason)
    },
  })
}
