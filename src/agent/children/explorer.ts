import { abortReason, type TurnEndReason } from '../../session/events.ts'
import { newUserMessage, textOf } from '../../session/messages.ts'
import type { Session } from '../../session/session.ts'
import type { Agent } from '../agent.ts'
import { openAgent } from '../live/live-agent.ts'
import type { ToolCall, ToolOutcome } from '../tool.ts'
import type { ChildSession, ExplorerHost, ExplorerLimits } from './explorer-host.ts'
import { explorerRuntime } from './explorer-runtime.ts'
import * as words from './words.ts'

export interface Errand {
  readonly task: string
  readonly label?: string | undefined
}

/**
 * Runs one explorer from its first event to its report. It ends with the call: a stop of the parent cancels it, a
 * disposal of the parent disposes of it, and when this resolves nothing of it is in flight.
 */
export async function explore(
  errand: Errand,
  call: ToolCall,
  host: ExplorerHost,
  limits: ExplorerLimits,
): Promise<ToolOutcome> {
  const child = await begin(errand, call, host)
  try {
    return await work(errand, call, child.session, host, limits)
  } finally {
    // What the explorer said is in the parent's log by then; its own log may lack the end.
    await child.close().catch((error: unknown) => call.agent.runtime.onError(call.agent, error))
  }
}

/** The child's log up to its task, and the parent's word of it, durable before anything is asked. */
async function begin({ label }: Errand, call: ToolCall, host: ExplorerHost): Promise<ChildSession> {
  const { session, runtime } = call.agent
  const { id: parentSession, cwd, delegationDepth } = session.header
  const child = await host.create({
    ...(cwd === undefined ? {} : { cwd }),
    parentSession,
    origin: 'subagent',
    delegationDepth: delegationDepth + 1,
  })
  try {
    call.signal.throwIfAborted()
    child.session.append('subagent/descriptor', {
      version: 2,
      mode: 'one-shot',
      provider: words.EXPLORE,
      ...(label === undefined ? {} : { label }),
    })
    child.session.append('approval/policy', { policy: 'never', source: 'delegation' })
    child.session.append('sandbox/mode', { mode: 'read-only', source: 'delegation' })
    session.append('subagent/started', { callId: call.callId, childId: child.session.id })
    await runtime.flush(session)
    return child
  } catch (error) {
    await child.close().catch((failure: unknown) => runtime.onError(call.agent, failure))
    throw error
  }
}

async function work(
  { task }: Errand,
  { agent: parent, signal }: ToolCall,
  session: Session,
  host: ExplorerHost,
  limits: ExplorerLimits,
): Promise<ToolOutcome> {
  signal.throwIfAborted()
  const agent = openAgent(session, explorerRuntime(parent, host, limits.steps), parent)
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

function outcomeOf(session: Session, limits: ExplorerLimits): ToolOutcome {
  const { reason, report } = lastTurn(session)
  switch (reason?.kind) {
    case 'completed':
    case 'max-tokens': {
      if (report.trim() === '') return failure('EXPLORER_EMPTY', words.noReport)
      const cut = reason.kind === 'max-tokens' || report.length > limits.report
      return { kind: 'success', text: words.fenced(report.slice(0, limits.report).trim(), session.id, cut) }
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

function failure(code: string, text: string): ToolOutcome {
  return { kind: 'failure', text, error: { name: 'ExplorerError', code } }
}
