import type { EventData, EventType, SessionEvent } from '../../session/events.ts'
import type { AppendOptions, Session } from '../../session/session.ts'
import type { Agent } from '../agent.ts'
import type { AgentRuntime } from '../runtime.ts'

/** What one running turn is handed by its agent. */
export interface TurnWork {
  readonly agent: Agent
  readonly session: Session
  readonly runtime: AgentRuntime
  /** Aborts on cancel and on disposal; its reason is the `AbortReason`. */
  readonly signal: AbortSignal
  /** Facts of the agent instance that outlive the turn. */
  readonly life: AgentLife
  /** Appends while the agent lives. @throws AgentDisposed afterwards, and whatever the log refuses. */
  append<T extends EventType>(type: T, data: EventData<T>, options?: AppendOptions): SessionEvent<T>
}

export interface AgentLife {
  /** The first request of an agent instance always logs its header. */
  headerLogged: boolean
  /** Next-step input that asked for a step of its own (a steer or a wake) and is not claimed yet. */
  stepWanted: boolean
}

/** The coordinates of the step at work. */
export interface StepAt {
  readonly turn: number
  readonly step: number
}

/** Unwinds the loop of a disposed agent without another append. */
export class AgentDisposed extends Error {
  constructor() {
    super('The agent is disposed.')
    this.name = 'AgentDisposed'
  }
}

/**
 * Settles like `work`, or rejects with the signal's reason as soon as it aborts; what `work` does later is ignored.
 */
export function untilAborted<T>(signal: AbortSignal, work: PromiseLike<T>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const abort = () => reject(signal.reason)
  work.then(resolve, reject)
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  return promise.finally(() => signal.removeEventListener('abort', abort))
}
