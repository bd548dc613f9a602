import type { Session } from '../../session/session.ts'
import type { ProblemListener } from './live-session.ts'

/** One holder's hold on an open session. All holders in this process share the session, its queue and its lock. */
export interface OpenSession {
  readonly session: Session
  /** Where the log is or will be. */
  readonly location: string
  /** Why nothing can be written here, and its code; undefined while this is the session's writer. */
  readonly readOnly: { readonly message: string; readonly code: string } | undefined
  /** Resolves when every event is durable. @throws PlanModeError with the storage's reason; the events stay queued. */
  flush(): Promise<void>
  /** As `flush`; where something else deleted the log or cut it short, first writes anew what is missing. */
  save(): Promise<void>
  /** Told of a write that failed (at once, if the last one did), and with undefined when one works again. */
  onProblem(listener: ProblemListener): Disposable
  /**
   * Told once when this no longer stands for its session: another window took over writing, or let go of it so that it
   * could be written from here, or the log that is followed was repaired or replaced. Open it anew and dispose of this.
   */
  onStale(listener: () => void): Disposable
  /** The last holder's call seals the session, drains it and frees the lock. @throws what the last write gave. */
  dispose(): Promise<void>
}
