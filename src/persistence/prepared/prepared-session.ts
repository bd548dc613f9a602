import type { SessionEvent } from '../../session/events.ts'
import { Session, type SessionOptions } from '../../session/session.ts'
import type { StoredLog } from '../backend.ts'
import type { SessionInspection, SessionPersistenceRevision, SessionView } from '../persistence.ts'
import type { RecoveredLog } from '../reading/recovered-log.ts'
import { recover } from '../reading/recovery.ts'

/** One stored session, read, judged, balanced and frozen once: inspections borrow it, a preparation may publish it. */
export class PreparedSession {
  readonly session: Session
  /** Events it had when it was read, closers included. */
  readonly length: number
  /** The log it was read from, while that is still what is stored. */
  log: StoredLog | undefined
  revision: SessionPersistenceRevision | undefined
  readonly #events: RecoveredLog
  #closers: readonly SessionEvent[]
  #inspection: SessionInspection | undefined
  #published = false

  /** @throws `CORRUPT` or `FORMAT_UNSUPPORTED`. */
  constructor(log: StoredLog, options: SessionOptions) {
    const { events, closers } = recover(log)
    this.#events = events
    this.session = new Session(log.header, events, options)
    this.length = events.length
    this.log = log
    this.revision = log.revision
    this.#closers = closers
  }

  get closers(): readonly SessionEvent[] {
    return this.#closers
  }

  /** True while nobody wrote to the session, so that it still stands for what is stored. */
  get reusable(): boolean {
    return !this.#published && this.session.length === this.length && this.session.readOnly === undefined
  }

  /** What was read, whatever the session has become since. */
  get inspection(): SessionInspection {
    this.#inspection ??= inspectionOf(this.session, this.length, this.#closers)
    return this.#inspection
  }

  /** The same for a session object of somebody else's own. */
  view(): SessionView {
    return { header: this.session.header, events: this.#events.again() }
  }

  readFrom(log: StoredLog): boolean {
    return log === this.log || (log.revision !== undefined && log.revision === this.revision)
  }

  /** What recovery owed is stored now, at `revision`. */
  commit(revision: SessionPersistenceRevision | undefined): void {
    this.log = undefined
    this.revision = revision
    this.#closers = []
    this.#inspection = undefined
  }

  publish(): void {
    this.#published = true
  }
}

/** The first `length` events of a session, as a list that does not grow with it. */
export function viewOf(session: Session, length = session.length): SessionInspection {
  return inspectionOf(session, length, Object.freeze([]))
}

function inspectionOf(session: Session, length: number, closers: readonly SessionEvent[]): SessionInspection {
  let events: readonly SessionEvent[] | undefined
  return Object.freeze({
    header: session.header,
    get events() {
      events ??= Object.freeze(Array.from({ length }, (_, seq) => session.at(seq)))
      return events
    },
    closers,
  })
}
