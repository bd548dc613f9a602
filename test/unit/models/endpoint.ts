// Asking an endpoint, and what comes of it: parts, or a failure that keeps the key to itself.
import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { ModelError, type ModelRoute } from '../../../src/agent/model.ts'
import { type EndpointOptions, endpointModel } from '../../../src/models/openai-compatible.ts'
import type { Failure } from '../../../src/session/messages.ts'
import { ChatServer, type ChatStep } from '../../support/chat-server.ts'

export const apiKey = 'sk-test-0123456789abcdef'
const prompt: LanguageModelV4CallOptions['prompt'] = [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }]

/** The parts of the answer to one fixed prompt. */
export async function partsOf(
  route: ModelRoute,
  signal?: AbortSignal,
  asked: LanguageModelV4CallOptions['prompt'] = prompt,
): Promise<LanguageModelV4StreamPart[]> {
  const { stream } = await route.languageModel.doStream({
    prompt: asked,
    ...(signal === undefined ? {} : { abortSignal: signal }),
  })
  const parts: LanguageModelV4StreamPart[] = []
  for await (const part of stream) parts.push(part)
  return parts
}

/** How a request against one scripted step fails, wherever the failure shows: thrown, as a part, or by a broken stream. */
export async function failureOf(
  step: ChatStep,
  options: Partial<EndpointOptions> = {},
  asked?: LanguageModelV4CallOptions['prompt'],
): Promise<Failure> {
  await using server = await ChatServer.start([step])
  return await failureAt({ baseUrl: server.baseUrl, id: 'm-1', apiKey, ...options }, asked)
}

export async function failureAt(
  options: EndpointOptions,
  asked?: LanguageModelV4CallOptions['prompt'],
): Promise<Failure> {
  try {
    const parts = await partsOf(endpointModel(options), undefined, asked)
    const error = parts.find(part => part.type === 'error')?.error
    assert.ok(error instanceof ModelError, `no failure: ${inspect(parts)}`)
    assertKeyless(error, options.apiKey)
    return error.failure
  } catch (error) {
    assert.ok(error instanceof ModelError, inspect(error))
    assertKeyless(error, options.apiKey)
    return error.failure
  }
}

/** The key must be nowhere in an error, not even in what a console shows of it. */
export function assertKeyless(error: unknown, key: string | undefined): void {
  if (key !== undefined) assert.ok(!inspect(error, { depth: 20, showHidden: true }).includes(key))
}
