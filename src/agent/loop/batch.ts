import { messageOf, PlanModeError } from '../../session/errors.ts'
import type { ToolCallBlock } from '../../session/messages.ts'
import type { Tool, ToolOutcome } from '../tool.ts'
import { parseArguments } from './arguments.ts'
import { failure, logCall, logResult, skipped, stopped, unsaved } from './tool-results.ts'
import { type StepAt, type TurnWork, untilAborted } from './work.ts'

/** How long a stopped tool may take to wind down before its result is given up, in milliseconds. */
export const ABORT_GRACE_MS = 5_000

/** `concluded`: a tool ended the turn. `failed`: the log could not be saved before a call; that error. */
export type BatchEnd = { readonly kind: 'done' | 'concluded' } | { readonly kind: 'failed'; readonly error: unknown }

type Resolved =
  | { readonly kind: 'ready'; readonly tool: Tool; readonly args: unknown }
  | { readonly kind: 'refused'; readonly outcome: ToolOutcome }

interface Entry {
  readonly call: ToolCallBlock
  readonly resolved: Resolved
}

/**
 * Runs the calls of one answer against the step's admitted tools. Neighbouring parallel calls run side by side, others
 * alone; each call logs a `tool/call` and a `tool/result`, results in model order, whatever happens.
 */
export async function runBatch(
  work: TurnWork,
  at: StepAt,
  calls: readonly ToolCallBlock[],
  admitted: readonly Tool[],
): Promise<BatchEnd> {
  let end: BatchEnd = { kind: 'done' }
  for (const group of groupsOf(calls.map(call => ({ call, resolved: resolve(call, admitted) })))) {
    if (end.kind === 'done' && !work.signal.aborted) end = await runGroup(work, at, group)
    else for (const { call } of group) logResult(work, at, call, logCall(work, at, call), skipped)
  }
  return end
}

function groupsOf(entries: readonly Entry[]): Entry[][] {
  const groups: Entry[][] = []
  for (const entry of entries) {
    const last = groups.at(-1)
    if (last !== undefined && isParallel(entry) && last.every(isParallel)) last.push(entry)
    else groups.push([entry])
  }
  return groups
}

function isParallel({ resolved }: Entry): boolean {
  return resolved.kind === 'ready' && resolved.tool.parallel === true
}

/** One call that runs alone, or several parallel ones. */
async function runGroup(work: TurnWork, at: StepAt, group: readonly Entry[]): Promise<BatchEnd> {
  const [first] = group
  if (first !== undefined && !isParallel(first)) return runAlone(work, at, first)
  const running = group.map(entry => {
    const callSeq = logCall(work, at, entry.call)
    return { call: entry.call, callSeq, outcome: run(work, at, entry) }
  })
  let concluded = false
  try {
    for (const { call, callSeq, outcome } of running) {
      const settled = await outcome
      logResult(work, at, call, callSeq, settled)
      concluded ||= concludes(settled)
    }
  } finally {
    await Promise.all(running.map(({ outcome }) => outcome)) // a refused append leaves no body running behind
  }
  return { kind: concluded ? 'concluded' : 'done' }
}

/** Checkpoints first: a call that may change something is durable before it acts. */
async function runAlone(work: TurnWork, at: StepAt, entry: Entry): Promise<BatchEnd> {
  const { call, resolved } = entry
  const callSeq = logCall(work, at, call)
  const settle = (outcome: ToolOutcome, end: BatchEnd): BatchEnd => {
    logResult(work, at, call, callSeq, outcome)
    return end
  }
  if (resolved.kind === 'refused') return settle(resolved.outcome, { kind: 'done' })
  try {
    await untilAborted(work.signal, work.runtime.flush(work.session))
  } catch (error) {
    if (!work.signal.aborted) return settle(unsaved, { kind: 'failed', error })
  }
  if (work.signal.aborted) return settle(skipped, { kind: 'done' })
  const outcome = await run(work, at, entry)
  return settle(outcome, { kind: concludes(outcome) ? 'concluded' : 'done' })
}

function concludes(outcome: ToolOutcome): boolean {
  return outcome.kind === 'success' && outcome.endsTurn === true
}

/** Settles with the tool's outcome; a body that is stopped and goes on past the grace counts as stopped. */
async function run(work: TurnWork, at: StepAt, { call, resolved }: Entry): Promise<ToolOutcome> {
  if (resolved.kind === 'refused') return resolved.outcome
  const settled = new AbortController()
  const context = { agent: work.agent, callId: call.id, ...at, signal: work.signal }
  const body = (async () => resolved.tool.run(resolved.args, context))().catch(thrown)
  const outcome = await Promise.race([body, graceOver(work, settled.signal)])
  settled.abort()
  return work.signal.aborted && outcome.kind === 'failure' ? stopped : outcome
}

function thrown(error: unknown): ToolOutcome {
  const coded = error instanceof PlanModeError ? { name: error.name, code: error.code } : undefined
  return failure(messageOf(error), coded)
}

function graceOver(work: TurnWork, settled: AbortSignal): Promise<ToolOutcome> {
  const { promise, resolve } = Promise.withResolvers<ToolOutcome>()
  const begin = () => {
    const over = () => resolve(stopped)
    work.runtime.sleep(ABORT_GRACE_MS, settled).then(over, () => {}) // rejected: the body settled in time
  }
  if (work.signal.aborted) begin()
  else work.signal.addEventListener('abort', begin, { once: true, signal: settled })
  return promise
}

function resolve(call: ToolCallBlock, admitted: readonly Tool[]): Resolved {
  const tool = admitted.find(each => each.name === call.name)
  if (tool === undefined) return refused('ToolNotFoundError', 'UNKNOWN_TOOL', unknownText(call.name, admitted))
  const input = parseArguments(call.arguments)
  if (input.kind === 'invalid') return refusedArguments(call, input.problem)
  const parsed = tool.parameters.safeParse(input.value)
  if (parsed.success) return { kind: 'ready', tool, args: parsed.data }
  const problems = parsed.error.issues.map(issue => [...issue.path.map(String), issue.message].join(': '))
  return refusedArguments(call, problems.join('; '))
}

function unknownText(name: string, admitted: readonly Tool[]): string {
  const names = admitted.map(tool => tool.name).join(', ')
  return `There is no tool named "${name}" in this step.${names === '' ? '' : ` Available: ${names}.`}`
}

function refusedArguments({ name }: ToolCallBlock, problem: string): Resolved {
  const text = `The arguments of ${name} were refused: ${problem}. Send the call again with arguments that fit its schema.`
  return refused('ToolArgsError', 'INVALID_ARGS', text)
}

function refused(name: string, code: string, text: string): Resolved {
  return { kind: 'refused', outcome: failure(text, { name, code }) }
}
