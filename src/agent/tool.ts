import type { z } from 'zod'
import { PlanModeError } from '../session/errors.ts'
import type { Json } from '../session/json.ts'
import type { ImageBlock } from '../session/messages.ts'
import type { Agent } from './agent.ts'

/** Where a call runs. `signal` aborts when the turn is stopped; `callId` is the model's own id of the call. */
export interface ToolCall {
  readonly agent: Agent
  readonly callId: string
  readonly turn: number
  readonly step: number
  readonly signal: AbortSignal
  /** Calls that this one makes of other tools. */
  readonly inner: InnerCalls
}

/**
 * The way a tool calls other tools of its step: under the step's own rules (admission, argument checks, exclusive or
 * side by side, checkpoints), each call logged inside the outer one. Once the outer call is over, nothing starts any more
 * and what still runs is stopped.
 */
export interface InnerCalls {
  /** Names of the tools that can be called. */
  readonly names: readonly string[]
  /** Queues a call; `args` is JSON text. The outcome never rejects, unless the log refuses the call's records. */
  call(name: string, args: string): { readonly callId: string; readonly outcome: Promise<ToolOutcome> }
  /** Resolves when every call that was queued has settled. */
  drain(): Promise<void>
}

/**
 * What a tool did, as a value. `text` reaches the model, and so do `images` (stored already) unless a program called; a
 * failure's text is prefixed with "Error: " by the loop. `meta` is for surfaces (a diff, a path) and never reaches the
 * model. `endsTurn` skips the rest of the batch and ends the turn.
 */
export type ToolOutcome =
  | {
      readonly kind: 'success'
      readonly text: string
      readonly images?: readonly ImageBlock[]
      readonly meta?: Json
      readonly endsTurn?: true
    }
  | { readonly kind: 'failure'; readonly text: string; readonly error?: ToolFailure; readonly meta?: Json }

/** Identity of a coded failure in the log (session-log format, section 9), such as AbortError / ABORTED. */
export interface ToolFailure {
  readonly name: string
  readonly code: string
}

/**
 * A tool the model may call. Arguments are parsed by `parameters` before `run` sees them; the JSON schema the model
 * sees is derived from it. A throw becomes a failure; an abort of `signal` becomes ABORTED.
 */
export interface Tool<A = unknown> {
  readonly name: string
  readonly description: string
  readonly parameters: z.ZodType<A>
  /** True when calls of one batch may run side by side (reads); anything else runs alone, in model order. */
  readonly parallel?: boolean
  /** Sorts the declarations a model sees; equal orders keep the order of registration. 0 unless given. */
  readonly order?: number
  /** It runs programs that call other tools: offered as the mode says, and never to a program. */
  readonly runsTools?: true
  /** Asked once per step, after the step boundary; a tool that is not available does not exist for that step. */
  available?(agent: Agent): boolean
  run(args: A, call: ToolCall): Promise<ToolOutcome>
}

/** How tools are offered: each as itself, only through programs, or both ways. */
export type ToolsMode = 'native' | 'code' | 'both'

/** The tools of a runtime, by unique name. */
export class Tools {
  readonly #tools: Tool[] = []
  readonly #mode: () => ToolsMode

  /** `mode` is read anew for each step. */
  constructor(mode: () => ToolsMode = () => 'native') {
    this.#mode = mode
  }

  /** @throws PlanModeError `DUPLICATE_TOOL` for a name that is taken. */
  register<A>(tool: Tool<A>): Disposable {
    if (this.#tools.some(known => known.name === tool.name)) {
      throw new PlanModeError('DUPLICATE_TOOL', `A tool named ${tool.name} is registered already.`)
    }
    // Safe: the loop hands `run` only what this tool's own `parameters` parsed.
    const entry = tool as unknown as Tool
    this.#tools.push(entry)
    return { [Symbol.dispose]: () => void this.#tools.splice(this.#tools.indexOf(entry), 1) }
  }

  /** The tools admitted to one step that a model calls by name, in the order it sees them. */
  admitted(agent: Agent): readonly Tool[] {
    const mode = this.#mode()
    return this.#available(agent).filter(tool => mode === 'both' || (mode === 'code') === (tool.runsTools ?? false))
  }

  /** The tools admitted to one step that a program calls; none while programs are not offered. */
  inner(agent: Agent): readonly Tool[] {
    return this.#mode() === 'native' ? [] : this.#available(agent).filter(tool => tool.runsTools !== true)
  }

  /** The tools that a program may call in every step, in order: those that do not come and go. */
  permanent(): readonly Tool[] {
    return sorted(this.#tools.filter(tool => tool.available === undefined && tool.runsTools !== true))
  }

  #available(agent: Agent): readonly Tool[] {
    return sorted(this.#tools.filter(tool => tool.available?.(agent) ?? true))
  }
}

function sorted(tools: readonly Tool[]): readonly Tool[] {
  return [...tools].sort((one, other) => (one.order ?? 0) - (other.order ?? 0))
}
