import type { Session } from '../../session/session.ts'

export interface SessionPreparationOptions {
  /** How many events are stored already; undefined for a session that is not stored yet. */
  readonly stored?: number
  /** False for a session that begins here; unless given, whether it is stored. An empty history is one too. */
  readonly seeded?: boolean
  /** Takes back what the provider keeps for the session, if it was not published. */
  readonly release?: () => void
}

/**
 * One exact unpublished session and what keeps it usable. Whoever prepared it publishes or disposes of it; disposal is
 * synchronous, counts once, and does nothing to a session that was published.
 */
export class SessionPreparation implements Disposable {
  readonly session: Session
  readonly stored: number | undefined
  /** Goes on from a history, whose end is marked once it is published (session-log format, section 10). */
  readonly seeded: boolean
  #release: (() => void) | undefined

  constructor(session: Session, { stored, seeded, release }: SessionPreparationOptions = {}) {
    this.session = session
    this.stored = stored
    this.seeded = seeded ?? stored !== undefined
    this.#release = release
  }

  [Symbol.dispose](): void {
    const release = this.#release
    this.#release = undefined
    release?.()
  }
}
