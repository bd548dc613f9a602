import { newUserMessage, textOf } from '../../session/messages.ts'
import type { Session } from '../../session/session.ts'
import { abortReason, type TurnEndReason } from '../../session/turn-end.ts'
import type { Agent } from '../agent.ts'
import { openAgent } from '../live/live-agent.ts'
import type { ToolCall, ToolOutcome } from '../tool.ts'
import type { ChildSession, ExplorerHost, ExplorerLimits } from './explorer-host.ts'
import { explorerRuntime } from './explorer-runtime.ts'
import * as words from './words.ts'

export interface Errand {
  readonly task: string
  readonly label?: string | undefined
  /** What the explorer is told of itself, where it is not sent by another agent's call. */
  readonly base?: ((steps: number) => string) | undefined
}

/** On whose behalf an explorer goes out: with the agent's models and clock, until `signal` aborts. */
export interface Sender {
  readonly agent: Agent
  readonly signal: AbortSignal
  /** Told of the explorer's session before anything is asked. */
  readonly began: (childId: string) => Promise<void>
}

/** How an explorer came back. `text` of a report is what it said, cut to the limit; of a failure, why, for its sender. */
export type Explored =
  | { readonly kind: 'report'; readonly childId: string; readonly text: string; readonly cut: boolean }
  | { readonly kind: 'failure'; readonly code: ExplorerFailure; readonly text: string }

export type ExplorerFailure = 'EXPLORER_TIMEOUT' | 'EXPLORER_EMPTY' | 'EXPLORER_STEPS' | 'EXPLORER_FAILED'

/** Runs one explorer for a call; its report comes back as data. */
export async function explore(
  errand: Errand,
  { agent, signal, callId }: ToolCall,
  host: ExplorerHost,
  limits: ExplorerLimits,
): Promise<ToolOutcome> {
  const { session, runtime } = agent
  const began = async (childId: string) => {
    session.append('subagent/started', { callId, childId })
    await runtime.flush(session)
  }
  const explored = await sendOut(errand, { agent, signal, began }, host, limits)
  if (explored.kind === 'report') {
    return { kind: 'success', text: words.fenced(explored.text, explored.childId, explored.cut) }
  }
  return { kind: 'failure', text: explored.text, error: { name: 'ExplorerError', code: explored.code } }
}

/**
 * Runs one explorer from its first event to its report. It ends with its sender: a stop cancels it, a disposal disposes
 * of it, and when this resolves nothing of it is in flight. @throws the reason of the signal, and what the store says.
 */
export async function sendOut(
  errand: Errand,
  sender: Sender,
  host: ExplorerHost,
  limits: ExplorerLimits,
): Promise<Explored> {
  const child = await begin(errand, sender, host)
  try {
    return await work(errand, sender, child.session, host, limits)
  } finally {
    // What the explorer said is its sender's by then; its own log may lack the end.
    await child.close().catch((error: unknown) => sender.agent.runtime.onError(sender.agent, error))
  }
}

/** The child's log up to its task, and its sender's word of it, durable before anything is asked. */
async function begin({ label }: Errand, sender: Sender, host: ExplorerHost): Promise<ChildSession> {
  const { session, runtime } = sender.agent
  const { id: parentSession, cwd, delegationDepth } = session.header
  const child = await host.create({
    ...(cwd === undefined ? {} : { cwd }),
    parentSession,
    origin: 'subagent',
    delegationDepth: delegationDepth + 1,
  })
  try {
    sender.signal.throwIfAborted()
    child.session.append('subagent/descriptor', {
      version: 2,
      mode: 'one-shot',
      provider: words.EXPLORE,
      ...(label === undefined ? {} : { label }),
    })
    child.session.append('approval/policy', { policy: 'never', source: 'delegation' })
    child.session.append('sandbox/mode', { mode: 'read-only', source: 'delegation' })
    await sender.began(child.session.id)
    return child
  } catch (error) {
    await child.close().catch((failure: unknown) => runtime.onError(sender.agent, failure))
    throw error
  }
}

async function work(
  { task, base }: Errand,
  { agent: parent, signal }: Sender,
  session: Session,
  host: ExplorerHost,
  limits: ExplorerLimits,
): Promise<Explored> {
  signal.throwIfAborted()
  const agent = openAgent(session, explorerRuntime(parent, host, limits.steps, base), parent)
  const stop = () => stopWith(agent, signal)
  signal.addEventListener('abort', stop, { once: true })
  const timer = new AbortController()
  let late = false
  const overtime = () => {
    late = true
    agent.cancel({ kind: 'parent' })
  }
  parent.runtime.sleep(limits.ms, timer.signal).then(overtime, () => {}) // rejected: it came back in time
  try {
    const source = { kind: 'plugin' as const, plugin: words.EXPLORE, form: 'instructions' }
    agent.prompt(newUserMessage(task, source))
    await agent.whenIdle()
  } finally {
    timer.abort()
    signal.removeEventListener('abort', stop)
    await agent.dispose()
  }
  signal.throwIfAborted()
  return late ? failure('EXPLORER_TIMEOUT', words.outOfTime(limits.ms / 60_000)) : outcomeOf(session, limits)
}

/** A parent that is gone leaves the child's turn open, as its own; a stopped one ends it. */
function stopWith(agent: Agent, signal: AbortSignal): void {
  const reason = abortReason.safeParse(signal.reason).data
  if (reason?.kind === 'disposed') void agent.dispose()
  else agent.cancel({ kind: 'parent' })
}

function outcomeOf(session: Session, limits: ExplorerLimits): Explored {
  const { reason, report } = lastTurn(session)
  switch (reason?.kind) {
    case 'completed':
    case 'max-tokens': {
      if (report.trim() === '') return failure('EXPLORER_EMPTY', words.noReport)
      const cut = reason.kind === 'max-tokens' || report.length > limits.report
      return { kind: 'report', childId: session.id, text: report.slice(0, limits.report).trim(), cut }
    }
    case 'blocked':
      return failure('EXPLORER_STEPS', words.outOfSteps(limits.steps))
    case 'error':
      return failure('EXPLORER_FAILED', words.failed(reason.error.message))
    default:
      return failure('EXPLORER_FAILED', words.failed('its log could not be kept, or it was stopped.'))
  }
}

/** How the turn ended, and the text of its last answer. */
function lastTurn(session: Session): { readonly reason: TurnEndReason | undefined; readonly report: string } {
  let reason: TurnEndReason | undefined
  for (let seq = session.length - 1; seq >= 0; seq--) {
    const event = session.at(seq)
    if (event.type === 'turn/end') reason = event.data.reason
    else if (event.type === 'assistant/message') return { reason, report: textOf(event.data.message) }
    else if (event.type === 'turn/start') break
  }
  return { reason, report: '' }
}

function failure(code: ExplorerFailure, text: string): Explored {
  return { kind: 'failure', code, text }
}
