import { z } from 'zod'
import type { Json } from '../../session/json.ts'
import type { PromptSection } from '../prompt.ts'
import type { AgentRuntime } from '../runtime.ts'
import type { Tool, ToolCall, ToolOutcome, Tools } from '../tool.ts'
import { declarations } from './declarations.ts'
import type { BridgeAnswer, CodeBounds, CodeEngine, ProgramEnd } from './engine.ts'
import * as words from './words.ts'

export const defaultBounds: CodeBounds = {
  computeMs: 10_000,
  memoryBytes: 64 * 1024 * 1024,
  stackBytes: 256 * 1024,
  outputChars: 30_000,
  calls: 500,
  argumentChars: 1_000_000,
}

const parameters = z.strictObject({
  code: z.string().min(1).max(100_000).describe(words.CODE_DESCRIPTION),
  description: z.string().describe(words.DESCRIPTION_DESCRIPTION),
})

/** How many inner calls leave what surfaces show of them (a diff, a path) in the outer result. */
const mostNotes = 100

/** Brings `run_code` and the section on tools that come and go into a runtime. Disposal takes both out again. */
export function installCode(
  runtime: Pick<AgentRuntime, 'tools' | 'prompt'>,
  engine: CodeEngine,
  bounds: CodeBounds = defaultBounds,
): Disposable {
  const parts = [
    runtime.tools.register(runCodeTool(runtime.tools, engine, bounds)),
    runtime.prompt.register(conditionalSection(runtime.tools)),
  ]
  return {
    [Symbol.dispose]() {
      for (const part of parts) part[Symbol.dispose]()
    },
  }
}

/**
 * `run_code`: its description declares the tools that always exist, so that it stays the same text while others come and
 * go. Its `meta.calls` holds what surfaces show of the calls it made, by their ids.
 */
export function runCodeTool(tools: Tools, engine: CodeEngine, bounds: CodeBounds): Tool<z.infer<typeof parameters>> {
  return {
    name: words.RUN_CODE,
    get description() {
      return words.toolDescription(declarations(tools.permanent()), bounds)
    },
    parameters,
    runsTools: true,
    run: ({ code }, call) => new Run(call).of(engine, { code, tools: call.inner.names, bounds }),
  }
}

function conditionalSection(tools: Tools): PromptSection {
  return {
    name: 'code:tools',
    order: 60,
    render(agent) {
      const some = tools.inner(agent).filter(tool => tool.available !== undefined)
      return some.length === 0 ? undefined : words.conditionalTools(declarations(some))
    },
  }
}

/** One program at work for one call. */
class Run {
  readonly #call: ToolCall
  readonly #over = new AbortController()
  readonly #notes = new Map<string, Json>()
  /** What a call that ended the turn said. */
  #last: string | undefined
  /** Why the log refused the records of a call. */
  #refused: { readonly error: unknown } | undefined

  constructor(call: ToolCall) {
    this.#call = call
  }

  async of(engine: CodeEngine, program: Parameters<CodeEngine['run']>[0]): Promise<ToolOutcome> {
    const { inner, signal } = this.#call
    const bridge = (name: string, args: string) => this.#dispatch(name, args)
    const end = await engine.run(program, bridge, AbortSignal.any([signal, this.#over.signal]))
    // What the program did not wait for ends all the same before its result is told.
    if (end.kind === 'returned') await inner.drain()
    if (this.#refused !== undefined) throw this.#refused.error
    const meta = this.#notes.size === 0 ? {} : { meta: { calls: Object.fromEntries(this.#notes) } }
    return { ...outcomeOf(end, this.#last), ...meta }
  }

  async #dispatch(name: string, args: string): Promise<BridgeAnswer> {
    const { callId, outcome } = this.#call.inner.call(name, args)
    try {
      const settled = await outcome
      if (settled.meta !== undefined && this.#notes.size < mostNotes) this.#notes.set(callId, settled.meta)
      if (settled.kind === 'success' && settled.endsTurn === true) {
        this.#last = settled.text
        this.#over.abort()
      }
      return answerOf(settled)
    } catch (error) {
      this.#refused ??= { error }
      this.#over.abort()
      throw error
    }
  }
}

function answerOf(outcome: ToolOutcome): BridgeAnswer {
  if (outcome.kind === 'success') return { ok: true, text: outcome.text }
  return { ok: false, text: outcome.text, ...(outcome.error === undefined ? {} : { code: outcome.error.code }) }
}

/** `last`: what the call said that ended the turn, and with it the program. */
function outcomeOf(end: ProgramEnd, last: string | undefined): ToolOutcome {
  if (last !== undefined) return { kind: 'success', text: joined(end.output, last), endsTurn: true }
  switch (end.kind) {
    case 'returned': {
      const text = joined(end.output, end.value)
      return { kind: 'success', text: text === '' ? words.nothingSaid : text }
    }
    case 'failed': {
      const text = joined(words.failed(end.problem, end.line), end.output)
      return { kind: 'failure', text, error: { name: 'CodeRunFailedError', code: 'CODE_RUN_FAILED' } }
    }
    case 'stopped':
      return { kind: 'failure', text: 'The program was stopped.', error: { name: 'AbortError', code: 'ABORTED' } }
  }
}

function joined(...texts: readonly (string | undefined)[]): string {
  return texts.filter(text => text !== undefined && text !== '').join('\n\n')
}
