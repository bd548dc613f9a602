// The built-in "Demo (offline, scripted)" model: no network, no intelligence, the same answer to the same prompt.
import { setTimeout as delay } from 'node:timers/promises'
import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider'
import { isExplorerText } from '../agent/children/words.ts'
import { SUMMARY_SYSTEM } from '../agent/compaction/words.ts'
import type { ModelRoute } from '../agent/model.ts'
import { type Entry, readEntries } from './demo/conversation.ts'
import { explorerReply } from './demo/errand.ts'
import { nextReply, summaryReply, wantsSlow } from './demo/script.ts'
import type { Reply } from './demo/task.ts'

export interface DemoOptions {
  /** Milliseconds between pieces of an answer. */
  readonly pause?: number
  /** The same for a prompt that contains the word "slow", which leaves time to act while an answer streams. */
  readonly slowPause?: number
}

/** The demo as a model. It explores with the tools it is offered, presents a plan, revises it, and makes one edit. */
export function demoModel({ pause = 15, slowPause = 300 }: DemoOptions = {}): ModelRoute {
  const stream = (options: LanguageModelV4CallOptions) => {
    const entries = readEntries(options.prompt)
    const reply = replyTo(entries, options)
    return paced(partsOf(reply, entries, options), wantsSlow(entries) ? slowPause : pause, options.abortSignal)
  }
  return {
    provider: 'demo',
    model: 'demo-scripted',
    contextWindow: 128_000,
    languageModel: {
      specificationVersion: 'v4',
      provider: 'demo',
      modelId: 'demo-scripted',
      supportedUrls: {},
      doStream: async options => ({ stream: ReadableStream.from(stream(options)) }),
      async doGenerate(options) {
        const entries = readEntries(options.prompt)
        const reply = replyTo(entries, options)
        const [text, ...calls] = contentOf(reply, entries)
        return {
          content: [...(text === undefined ? [] : [text]), ...calls],
          finishReason: finishOf(reply),
          usage: usageOf(reply, options),
          warnings: [],
        }
      },
    },
  }
}

function replyTo(entries: readonly Entry[], { prompt, tools }: LanguageModelV4CallOptions): Reply {
  const system = prompt.flatMap(({ role, content }) => (role === 'system' ? [content] : []))
  if (system.includes(SUMMARY_SYSTEM)) return summaryReply(entries)
  const names = new Set(tools?.map(tool => tool.name))
  return system.some(isExplorerText) ? explorerReply(entries, names) : nextReply(entries, names)
}

async function* paced(
  parts: Iterable<LanguageModelV4StreamPart>,
  pause: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<LanguageModelV4StreamPart, void> {
  for (const part of parts) {
    signal?.throwIfAborted()
    if (pause > 0 && part.type.endsWith('-delta')) await delay(pause, undefined, signal === undefined ? {} : { signal })
    yield part
  }
}

function* partsOf(
  reply: Reply,
  entries: readonly Entry[],
  options: LanguageModelV4CallOptions,
): Generator<LanguageModelV4StreamPart, void> {
  yield { type: 'stream-start', warnings: [] }
  for (const content of contentOf(reply, entries)) {
    if (content.type === 'text') {
      yield { type: 'text-start', id: 'text' }
      for (const delta of content.text.match(/\S+\s*/g) ?? []) yield { type: 'text-delta', id: 'text', delta }
      yield { type: 'text-end', id: 'text' }
    } else if (content.type === 'tool-call') {
      const { toolCallId: id, toolName, input } = content
      yield { type: 'tool-input-start', id, toolName }
      for (const delta of input.match(/.{1,200}/gsu) ?? []) yield { type: 'tool-input-delta', id, delta }
      yield { type: 'tool-input-end', id }
      yield content
    }
  }
  yield { type: 'finish', finishReason: finishOf(reply), usage: usageOf(reply, options) }
}

/** Call ids go on counting from those in the prompt, so that none is used twice in a conversation. */
function contentOf({ text, calls }: Reply, entries: readonly Entry[]): readonly LanguageModelV4Content[] {
  const used = entries.map(entry => (entry.kind === 'call' ? Number(/^demo-(\d+)$/.exec(entry.id)?.[1] ?? 0) : 0))
  const last = used.reduce((most, number) => Math.max(most, number), 0)
  return [
    { type: 'text', text },
    ...calls.map(({ tool, input }, index) => ({
      type: 'tool-call' as const,
      toolCallId: `demo-${last + index + 1}`,
      toolName: tool,
      input: JSON.stringify(input),
    })),
  ]
}

function finishOf({ calls }: Reply) {
  return { unified: calls.length > 0 ? ('tool-calls' as const) : ('stop' as const), raw: undefined }
}

/** Estimated at four characters a token, so that the surfaces have something honest in kind to show. */
function usageOf(reply: Reply, { prompt }: LanguageModelV4CallOptions): LanguageModelV4Usage {
  const input = Math.ceil(JSON.stringify(prompt, withoutFiles).length / 4)
  const output = Math.ceil(JSON.stringify(reply).length / 4)
  return {
    inputTokens: { total: input, noCache: input, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: output, text: output, reasoning: undefined },
  }
}

/** The bytes of an image are no text; its tokens are nobody's to guess. */
function withoutFiles(_key: string, value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'file' ? undefined : value
}
