import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { compactCommand } from '../../../src/agent/compaction/command.ts'
import { automaticCompaction } from '../../../src/agent/compaction/compactor.ts'
import { SUMMARY_SYSTEM } from '../../../src/agent/compaction/words.ts'
import { ModelError, type Models } from '../../../src/agent/model.ts'
import { type Message, textOf } from '../../../src/session/messages.ts'
import type { Session } from '../../../src/session/session.ts'
import { deriveMessages } from '../../../src/session/surface.ts'
import type { Reply, ScriptedModel } from '../../support/scripted-model.ts'
import { type Options, PlanningAgent } from '../plan/fixture.ts'

export const tooLong: Reply = {
  throws: new ModelError({ code: 'CONTEXT_WINDOW_EXCEEDED', message: 'Too long.', status: 400 }),
}

/** A planning agent whose conversation can be summarised; `summaries` answer those requests, the last one for good. */
export class Compacting extends PlanningAgent {
  readonly summaries: Reply[]
  /** Every request for a summary, as one text. */
  readonly records: string[] = []

  constructor(replies: readonly Reply[] = [], options: Options & { readonly contextWindow?: number | null } = {}) {
    super(replies, options)
    this.summaries = [[{ text: 'SUMMARY' }]]
    this.model.intercept = request => this.#summary(request)
    Object.assign(this.runtime, {
      compactor: automaticCompaction,
      models: routed(this.model, options.contextWindow),
    })
    this.runtime.commands.register(compactCommand)
  }

  compact(args = ''): ReturnType<typeof this.runtime.commands.run> {
    return this.runtime.commands.run(this.agent, 'compact', args)
  }

  #summary(request: LanguageModelV4CallOptions): Reply | undefined {
    if (!isSummaryRequest(request)) return undefined
    this.records.push(JSON.stringify(request.prompt[1]?.content))
    return this.summaries.length > 1 ? this.summaries.shift() : this.summaries[0]
  }
}

function routed(model: ScriptedModel, window: number | null = 64_000): Models {
  const route = { provider: model.provider, model: model.modelId, languageModel: model }
  return { choose: async () => (window === null ? route : { ...route, contextWindow: window }) }
}

export function isSummaryRequest({ prompt }: Pick<LanguageModelV4CallOptions, 'prompt'>): boolean {
  return prompt[0]?.role === 'system' && prompt[0].content === SUMMARY_SYSTEM
}

/** The requests of steps, without those for summaries. */
export function stepRequests({ model }: PlanningAgent): LanguageModelV4CallOptions[] {
  return model.requests.filter(request => !isSummaryRequest(request))
}

/** What the model would see now, as text. */
export function seen(session: Session): string[] {
  return deriveMessages(session).map(textOfAny)
}

export function textOfAny(message: Message): string {
  const inner = message.content.flatMap(block =>
    block.type === 'tool-result'
      ? block.content.map(part => (part.type === 'text' ? part.text : ''))
      : block.type === 'tool-call'
        ? [`${block.name} ${block.arguments}`]
        : [],
  )
  return [...inner, textOf(message)].filter(text => text !== '').join('\n')
}

/** A text of about so many measured tokens, in few words, so that few chunks stream. */
export function tokens(count: number, word = 'word'): string {
  const line = word.repeat(Math.max(1, Math.floor(400 / word.length)))
  return `${line} `.repeat(Math.max(1, Math.round((count * 4) / (line.length + 1))))
}

/** Usage as a provider counts it: input and output tokens. */
export function usage(input: number, output = 0) {
  return {
    inputTokens: { total: input, noCache: input, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: output, text: output, reasoning: undefined },
  }
}
