import type { UserMessage } from '../session/messages.ts'
import type { Session } from '../session/session.ts'
import type { AbortReason } from '../session/turn-end.ts'
import type { TurnWork } from './loop/work.ts'
import type { AgentRuntime } from './runtime.ts'

/**
 * One agent at work on one session: the stateful shell around the loop. Pending input, turns and steps are folds of
 * the log; in memory there is only what is running now.
 */
export interface Agent {
  readonly session: Session
  readonly runtime: AgentRuntime
  /** `running` from the wake until the checkpoint after the last turn. */
  readonly status: 'idle' | 'running' | 'disposed'
  /** Queues one message as a turn of its own and wakes the agent. */
  prompt(message: UserMessage): void
  /** Puts a message into the next step: of the running turn, else of a new turn that it wakes. */
  steer(message: UserMessage): void
  /** Like steer, without waking: it goes along with the next step, whoever starts it. */
  inject(message: UserMessage): void
  /** Discards a pending message by id; false when it is not pending any more. */
  unqueue(messageId: string): boolean
  /** Wakes the agent when input is pending (after a resume, say). */
  wake(): void
  /** Stops the running turn; pending input stays. Does nothing while idle. */
  cancel(reason?: AbortReason): void
  /**
   * Runs a job that no turn may cross; meanwhile the agent counts as running, input waits and `cancel` aborts the job's
   * signal. Settles like the job.
   * @throws PlanModeError `AGENT_BUSY` while it runs, `READ_ONLY` or `AGENT_DISPOSED`.
   */
  betweenTurns<T>(job: (work: TurnWork) => Promise<T>): Promise<T>
  /** Resolves when no turn is running and nothing more will run without new input. */
  whenIdle(): Promise<void>
  /** Told on every change of `status`. */
  onStatus(listener: () => void): Disposable
  /**
   * Stops without writing: the open turn stays open and is closed as interrupted when the session is opened next.
   * Resolves when nothing is in flight.
   */
  dispose(): Promise<void>
}
