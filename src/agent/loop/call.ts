import { messageOf, PlanModeError } from '../../session/errors.ts'
import type { InnerCalls, Tool, ToolCall, ToolOutcome } from '../tool.ts'
import { parseArguments } from './arguments.ts'
import { failure, skipped, stopped, unsaved } from './tool-results.ts'
import { type TurnWork, untilAborted } from './work.ts'

/** How long a stopped tool may take to wind down before its result is given up, in milliseconds. */
export const ABORT_GRACE_MS = 5_000

/** A call as it was asked for; `arguments` is JSON text that may be invalid. */
export interface Asked {
  readonly name: string
  readonly arguments: string
}

export type Resolved =
  | { readonly kind: 'ready'; readonly tool: Tool; readonly args: unknown }
  | { readonly kind: 'refused'; readonly outcome: ToolOutcome }

/** `concluded`: the call ends the turn. `failed`: why the log could not be saved or written for it. */
export interface Settled {
  readonly outcome: ToolOutcome
  readonly concluded: boolean
  readonly failed?: { readonly error: unknown }
}

/** The calls that one call makes, for as long as it runs. */
export interface OpenInnerCalls extends InnerCalls {
  /** Starts nothing more, stops what runs; resolves when it is over, with what it means for the outer call. */
  close(): Promise<Omit<Settled, 'outcome'>>
}

/** Finds the tool among the admitted ones and parses the arguments. */
export function resolve(call: Asked, admitted: readonly Tool[]): Resolved {
  const tool = admitted.find(each => each.name === call.name)
  if (tool === undefined) return refused('ToolNotFoundError', 'UNKNOWN_TOOL', unknownText(call.name, admitted))
  const input = parseArguments(call.arguments)
  if (input.kind === 'invalid') return refusedArguments(call, input.problem)
  const parsed = tool.parameters.safeParse(input.value)
  if (parsed.success) return { kind: 'ready', tool, args: parsed.data }
  const problems = parsed.error.issues.map(issue => [...issue.path.map(String), issue.message].join(': '))
  return refusedArguments(call, problems.join('; '))
}

/** Whether calls like this one may run side by side; any other runs alone. */
export function isParallel(resolved: Resolved): boolean {
  return resolved.kind === 'ready' && resolved.tool.parallel === true
}

/**
 * Runs a resolved call to its outcome. One that runs alone is durable in the log before it acts; one that is stopped and
 * goes on past the grace counts as stopped. The calls it makes of others are over when this resolves.
 */
export async function carryOut(
  work: TurnWork,
  place: Omit<ToolCall, 'inner'>,
  resolved: Resolved,
  inner: OpenInnerCalls,
): Promise<Settled> {
  if (resolved.kind === 'refused') return { outcome: resolved.outcome, concluded: false }
  if (!isParallel(resolved)) {
    try {
      await untilAborted(place.signal, work.runtime.flush(work.session))
    } catch (error) {
      if (!place.signal.aborted) return { outcome: unsaved, concluded: false, failed: { error } }
    }
    if (place.signal.aborted) return { outcome: skipped, concluded: false }
  }
  const settled = new AbortController()
  const body = (async () => resolved.tool.run(resolved.args, { ...place, inner }))().catch(thrown)
  const outcome = await Promise.race([body, graceOver(work, place.signal, settled.signal)])
  settled.abort()
  const end = await inner.close()
  return {
    ...end,
    outcome: place.signal.aborted && outcome.kind === 'failure' ? stopped : outcome,
    concluded: end.concluded || (outcome.kind === 'success' && outcome.endsTurn === true),
  }
}

function thrown(error: unknown): ToolOutcome {
  const coded = error instanceof PlanModeError ? { name: error.name, code: error.code } : undefined
  return failure(messageOf(error), coded)
}

function graceOver(work: TurnWork, signal: AbortSignal, settled: AbortSignal): Promise<ToolOutcome> {
  const { promise, resolve } = Promise.withResolvers<ToolOutcome>()
  const begin = () => {
    const over = () => resolve(stopped)
    work.runtime.sleep(ABORT_GRACE_MS, settled).then(over, () => {}) // rejected: the body settled in time
  }
  if (signal.aborted) begin()
  else signal.addEventListener('abort', begin, { once: true, signal: settled })
  return promise
}

function unknownText(name: string, admitted: readonly Tool[]): string {
  const names = admitted.map(tool => tool.name).join(', ')
  return `There is no tool named "${name}" in this step.${names === '' ? '' : ` Available: ${names}.`}`
}

function refusedArguments({ name }: Asked, problem: string): Resolved {
  const text = `The arguments of ${name} were refused: ${problem}. Send the call again with arguments that fit its schema.`
  return refused('ToolArgsError', 'INVALID_ARGS', text)
}

function refused(name: string, code: string, text: string): Resolved {
  return { kind: 'refused', outcome: failure(text, { name, code }) }
}
