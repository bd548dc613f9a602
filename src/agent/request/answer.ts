import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type {
  AssistantMessage,
  Block,
  Chunk,
  Failure,
  FinishReason,
  ToolCallBlock,
  Usage,
} from '../../session/messages.ts'
import type { StepAt, TurnWork } from '../loop/work.ts'
import type { ModelRoute } from '../model.ts'
import { cutStream, emptyResponse, requestFailure, withheld } from './failures.ts'
import { replayState } from './prompt-messages.ts'
import { type AssembledBlock, BlockStream } from './stream.ts'
import { usageOf } from './usage.ts'

/** How one model request ended. The message of an `answered` one is in the log. */
export type Response =
  | { readonly kind: 'answered'; readonly calls: readonly ToolCallBlock[]; readonly maxTokens: boolean }
  | { readonly kind: 'failed'; readonly failure: Failure }

export type Finish = Extract<LanguageModelV4StreamPart, { type: 'finish' }>

/** The answer to one request as it arrives: logs the chunks, and at the end the message they add up to. */
export class Answer {
  readonly #work: TurnWork
  readonly #at: StepAt
  readonly #route: ModelRoute
  readonly #blocks = new BlockStream(chunk => this.#log(chunk))
  readonly #seqs: number[] = []

  constructor(work: TurnWork, at: StepAt, route: ModelRoute) {
    this.#work = work
    this.#at = at
    this.#route = route
  }

  /** True once anything came that a person could have seen. */
  get visible(): boolean {
    return this.#blocks.visible
  }

  accept(part: LanguageModelV4StreamPart): void {
    this.#blocks.accept(part)
  }

  /** A failed answer leaves its chunks and no message. */
  fail(failure: Failure): Response {
    this.#log({ type: 'finish', reason: { kind: 'error', failure } })
    return { kind: 'failed', failure }
  }

  /** Keeps the words that came before an abort, as an interrupted message; calls that never ran are left out. */
  interrupt(): void {
    const kept = this.#blocks.assembled().filter(({ block }) => hasWords(block))
    if (kept.length > 0) this.#logMessage(kept, undefined, true)
  }

  finish(finish: Finish): Response {
    this.#blocks.close()
    const maxTokens = finish.finishReason.unified === 'length'
    const assembled = this.#blocks.assembled()
    const failure = finishFailure(finish, assembled, this.#route)
    if (failure !== undefined) return this.fail(failure)
    const kept = maxTokens ? assembled.filter(({ block }) => block.type !== 'tool-call') : assembled
    const calls = kept.flatMap(({ block }) => (block.type === 'tool-call' ? [block] : []))
    const usage = usageOf(finish.usage)
    if (usage !== undefined) this.#log({ type: 'usage', usage })
    this.#log({ type: 'finish', reason: reasonOf(maxTokens, calls) })
    this.#logMessage(kept, usage, false)
    return { kind: 'answered', calls, maxTokens }
  }

  #log(chunk: Chunk): void {
    this.#seqs.push(this.#work.append('assistant/chunk', { ...this.#at, chunk }).seq)
  }

  #logMessage(kept: readonly AssembledBlock[], usage: Usage | undefined, interrupted: boolean): void {
    const { provider, model } = this.#route
    const message: AssistantMessage = {
      id: crypto.randomUUID(),
      role: 'assistant',
      content: kept.map(({ block }) => block),
      source: { kind: 'model', provider, model, ...replayOf(kept) },
    }
    const data = {
      ...this.#at,
      message,
      ...(usage === undefined ? {} : { usage }),
      ...(interrupted ? { interrupted: true as const } : {}),
    }
    this.#work.append('assistant/message', data, { sourceEventSeqs: this.#seqs })
  }
}

function hasWords(block: Block): boolean {
  return (block.type === 'text' || block.type === 'reasoning') && block.text.trim() !== ''
}

function finishFailure(finish: Finish, blocks: readonly AssembledBlock[], route: ModelRoute): Failure | undefined {
  const { unified } = finish.finishReason
  if (unified === 'interrupted') return cutStream(route)
  if (unified === 'error') return requestFailure(undefined, route)
  const answered = blocks.some(({ block }) => block.type === 'tool-call' || (block.type === 'text' && hasWords(block)))
  if (answered || unified === 'length') return undefined
  return unified === 'content-filter' ? withheld(route) : emptyResponse(route)
}

function reasonOf(maxTokens: boolean, calls: readonly ToolCallBlock[]): FinishReason {
  if (maxTokens) return { kind: 'max-tokens' }
  return calls.length > 0 ? { kind: 'tool-calls' } : { kind: 'stop' }
}

/** What a provider wants back with its blocks (signatures, say); nothing unless a block has some that JSON can keep. */
function replayOf(kept: readonly AssembledBlock[]) {
  if (kept.every(({ metadata }) => metadata === null)) return {}
  const parsed = replayState.safeParse({ blocks: kept.map(({ metadata }) => metadata) })
  return parsed.success ? { replayState: JSON.parse(JSON.stringify(parsed.data)) as typeof parsed.data } : {}
}
