import { assertNever, messageOf, PlanModeError } from '../../session/errors.ts'
import type { EventData, EventType, SessionEvent } from '../../session/events.ts'
import type { UserMessage } from '../../session/messages.ts'
import type { AppendOptions, Session } from '../../session/session.ts'
import type { AbortReason } from '../../session/turn-end.ts'
import { turnBoundary } from '../../session/turns.ts'
import type { Agent } from '../agent.ts'
import { settleOpenCommands } from '../desks/command-registry.ts'
import { closeInterruptedTurn } from '../loop/close-turn.ts'
import { runTurn } from '../loop/loop.ts'
import { AgentDisposed, type AgentLife, type TurnWork } from '../loop/work.ts'
import type { AgentRuntime } from '../runtime.ts'
import { findPending, type InboxTarget, inbox, inboxOf, listOf } from './inbox.ts'

/**
 * Puts an agent to work on a session. A turn and commands that an ended life left open are settled as interrupted;
 * pending input waits for a wake. From now on this is the live agent of its session; `owner` started it as its child.
 * @throws PlanModeError `BAD_INBOX` when the log's pending input is damaged, `UNKNOWN_PROJECTION` without the runtime's
 * own projections.
 */
export function openAgent(session: Session, runtime: AgentRuntime, owner?: Agent): Agent {
  runtime.projections.state(session, inbox)
  runtime.projections.require(turnBoundary)
  const agent = new LiveAgent(session, runtime)
  runtime.agents.enter(agent, owner)
  try {
    if (session.readOnly === undefined) settle(session)
  } catch (error) {
    runtime.onError(agent, error)
  }
  return agent
}

function settle(session: Session): void {
  closeInterruptedTurn(session)
  settleOpenCommands(session)
}

/** What is running now; everything else is in the log. */
type Phase =
  | { readonly kind: 'idle' }
  /** `stopped`: nothing has asked for another turn since a stop, or since a job between turns began. */
  | { readonly kind: 'running'; readonly done: Promise<void>; turn: AbortController; stopped: boolean }
  | { readonly kind: 'disposed'; readonly done: Promise<void> }

class LiveAgent implements Agent {
  readonly session: Session
  readonly runtime: AgentRuntime
  readonly #life: AgentLife = { headerLogged: false, stepWanted: false }
  readonly #listeners = new Set<() => void>()
  #phase: Phase = { kind: 'idle' }

  constructor(session: Session, runtime: AgentRuntime) {
    this.session = session
    this.runtime = runtime
  }

  get status(): Phase['kind'] {
    return this.#phase.kind
  }

  prompt(message: UserMessage): void {
    this.#queue('next-turn', message)
    this.#go()
  }

  steer(message: UserMessage): void {
    this.#queue('next-step', message)
    this.#life.stepWanted = true
    this.#go()
  }

  inject(message: UserMessage): void {
    this.#queue('next-step', message)
  }

  unqueue(messageId: string): boolean {
    this.#assertLive()
    const pending = findPending(inboxOf(this.session), messageId)
    if (pending === undefined) return false
    const { target, index: start } = pending
    this.session.append('agent/inbox/spliced', {
      target,
      start,
      removedCount: 1,
      inserted: [],
      outcome: 'canceled',
    })
    return true
  }

  wake(): void {
    this.#assertLive()
    const { nextStep, nextTurn } = inboxOf(this.session)
    if (nextStep.length === 0 && nextTurn.length === 0) return
    if (nextStep.length > 0) this.#life.stepWanted = true
    this.#go()
  }

  cancel(reason: AbortReason = { kind: 'user' }): void {
    if (this.#phase.kind !== 'running') return
    this.#phase.stopped = true
    this.#phase.turn.abort(reason)
  }

  async betweenTurns<T>(job: (work: TurnWork) => Promise<T>): Promise<T> {
    this.#assertLive()
    const { readOnly } = this.session
    if (readOnly !== undefined) throw new PlanModeError('READ_ONLY', readOnly)
    if (this.#phase.kind !== 'idle') throw new PlanModeError('AGENT_BUSY', 'The agent is working.')
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    this.#start(async work => {
      try {
        closeInterruptedTurn(this.session)
        resolve(await job(work))
      } catch (error) {
        reject(error)
      }
    })
    return promise
  }

  async whenIdle(): Promise<void> {
    while (this.#phase.kind === 'running') await this.#phase.done
  }

  onStatus(listener: () => void): Disposable {
    this.#listeners.add(listener)
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) }
  }

  async dispose(): Promise<void> {
    const phase = this.#phase
    if (phase.kind !== 'disposed') {
      const done = phase.kind === 'running' ? phase.done : Promise.resolve()
      this.runtime.agents.leave(this)
      this.#enter({ kind: 'disposed', done })
      if (phase.kind === 'running') phase.turn.abort({ kind: 'disposed' } satisfies AbortReason)
      return done
    }
    return phase.done
  }

  #queue(target: InboxTarget, message: UserMessage): void {
    this.#assertLive()
    const start = listOf(inboxOf(this.session), target).length
    this.session.append('agent/inbox/spliced', { target, start, inserted: [message] })
  }

  /** Runs until nothing that asked for it is pending; a stop asked for earlier is over. */
  #go(): void {
    switch (this.#phase.kind) {
      case 'running':
        this.#phase.stopped = false
        break
      case 'idle':
        if (this.session.readOnly === undefined) this.#start()
        break
      case 'disposed': // by an observer of the input itself, which stays pending for the next life
        break
      default:
        assertNever(this.#phase)
    }
  }

  #assertLive(): void {
    if (this.#phase.kind !== 'disposed') return
    throw new PlanModeError('AGENT_DISPOSED', 'This conversation is closed here. Open it again to go on.')
  }

  /** The work begins in a microtask, so that whoever wakes the agent finishes first. `job` comes before any turn. */
  #start(job?: (work: TurnWork) => Promise<void>): void {
    const { promise: done, resolve } = Promise.withResolvers<void>()
    const running = { kind: 'running' as const, done, turn: new AbortController(), stopped: job !== undefined }
    this.#enter(running)
    queueMicrotask(() => {
      void this.#drive(running, job).finally(resolve)
    })
  }

  async #drive(
    running: Extract<Phase, { kind: 'running' }>,
    job: ((work: TurnWork) => Promise<void>) | undefined,
  ): Promise<void> {
    try {
      await job?.(this.#workOf(running.turn.signal))
      while (this.#phase === running && !running.stopped && this.#hasWork()) {
        running.turn = new AbortController()
        closeInterruptedTurn(this.session)
        await runTurn(this.#workOf(running.turn.signal))
        await this.runtime.flush(this.session)
      }
    } catch (error) {
      if (!(error instanceof AgentDisposed)) this.#report(error)
    }
    if (this.#phase === running) this.#enter({ kind: 'idle' })
  }

  #hasWork(): boolean {
    const { nextTurn, nextStep } = inboxOf(this.session)
    return nextTurn.length > 0 || (this.#life.stepWanted && nextStep.length > 0)
  }

  #workOf(signal: AbortSignal): TurnWork {
    const { session, runtime } = this
    const append = <T extends EventType>(type: T, data: EventData<T>, options?: AppendOptions): SessionEvent<T> => {
      if (this.#phase.kind === 'disposed') throw new AgentDisposed()
      return session.append(type, data, options)
    }
    return { agent: this, session, runtime, signal, life: this.#life, append }
  }

  #enter(phase: Phase): void {
    this.#phase = phase
    for (const listener of [...this.#listeners]) {
      try {
        listener()
      } catch (error) {
        this.#report(error)
      }
    }
  }

  /** A host whose error report fails too has nobody left to tell. */
  #report(error: unknown): void {
    try {
      this.runtime.onError(this, error)
    } catch (failure) {
      console.error(messageOf(failure))
    }
  }
}
