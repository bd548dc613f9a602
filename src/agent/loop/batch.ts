import type { ToolCallBlock } from '../../session/messages.ts'
import type { Tool } from '../tool.ts'
import { carryOut, isParallel, type Resolved, resolve, type Settled } from './call.ts'
import { LoggedInnerCalls } from './inner-calls.ts'
import { logCall, logResult, skipped } from './tool-results.ts'
import type { StepAt, TurnWork } from './work.ts'

/** `concluded`: a tool ended the turn. `failed`: the log could not be saved before a call; that error. */
export type BatchEnd = { readonly kind: 'done' | 'concluded' } | { readonly kind: 'failed'; readonly error: unknown }

/** The tools of one step: those a model calls by name, and those a program calls. */
export interface StepTools {
  readonly direct: readonly Tool[]
  readonly inner: readonly Tool[]
}

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
  tools: StepTools,
): Promise<BatchEnd> {
  let end: BatchEnd = { kind: 'done' }
  for (const group of groupsOf(calls.map(call => ({ call, resolved: resolve(call, tools.direct) })))) {
    if (end.kind === 'done' && !work.signal.aborted) end = await runGroup(work, at, group, tools.inner)
    else for (const { call } of group) logResult(work, at, call, logCall(work, at, call), skipped)
  }
  return end
}

function groupsOf(entries: readonly Entry[]): Entry[][] {
  const groups: Entry[][] = []
  for (const entry of entries) {
    const last = groups.at(-1)
    if (last !== undefined && isParallel(entry.resolved) && last.every(each => isParallel(each.resolved))) {
      last.push(entry)
    } else groups.push([entry])
  }
  return groups
}

/** One call that runs alone, or several parallel ones. */
async function runGroup(
  work: TurnWork,
  at: StepAt,
  group: readonly Entry[],
  inner: readonly Tool[],
): Promise<BatchEnd> {
  const running = group.map(({ call, resolved }) => {
    const callSeq = logCall(work, at, call)
    const place = { agent: work.agent, callId: call.id, ...at, signal: work.signal }
    const calls = new LoggedInnerCalls(work, place, { root: call.id, parent: call.id }, inner)
    return { call, callSeq, settled: carryOut(work, place, resolved, calls) }
  })
  let end: BatchEnd = { kind: 'done' }
  try {
    for (const { call, callSeq, settled } of running) {
      const { outcome, concluded, failed } = await settled
      logResult(work, at, call, callSeq, outcome)
      if (failed !== undefined) end = { kind: 'failed', error: failed.error }
      else if (concluded && end.kind === 'done') end = { kind: 'concluded' }
    }
  } finally {
    await Promise.all(running.map(({ settled }): Promise<Settled> => settled)) // no body runs on behind a refused append
  }
  return end
}
