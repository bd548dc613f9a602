import type { StoredEvent } from '../session/envelope.ts'
import type { SessionEvent } from '../session/events.ts'
import type { SessionHeader } from '../session/header.ts'

/** The durability seam: what a session store promises, whatever keeps the bytes. */
export interface SessionPersistence {
  /** Where the session's log is or will be; no I/O. Undefined for a backend without a file of its own per session. */
  locate(header: SessionHeader): string | undefined

  /**
   * Makes the id appendable. Lazy: nothing is stored before the first `append`.
   * @throws `ALREADY_EXISTS` when a log of that id is stored.
   */
  create(header: SessionHeader): Promise<void>

  /**
   * Appends a batch to a created or loaded session; resolves when it is durable. All or nothing: after a failure the
   * log is as it was before, and the same batch may be tried again.
   * @throws `NOT_CONTIGUOUS` unless the batch starts at the stored next seq, `NOT_JSON` naming the event type,
   * `WRITER_LOST` for good when another writer took over, `STORAGE` with the system's reason.
   */
  append(id: string, events: readonly SessionEvent[]): Promise<void>

  /**
   * Takes the writer's place, cuts a torn tail, appends the closers an interrupted log owes (session-log format,
   * section 8) and gives the balanced log. Writes nothing when nothing is owed. The caller owns the events.
   * @throws `NOT_FOUND`, `FORMAT_UNSUPPORTED`, `CORRUPT`, `WRITER_BUSY`, `NOT_WRITABLE`; `SESSION_LIVE` while the
   * session is open for writing here and a turn of it is open.
   */
  load(id: string): Promise<LoadedSession>

  /** The same result in memory only: never writes, never locks. */
  inspect(id: string): Promise<LoadedSession>

  /**
   * The stored events from `fromSeq` on, older shapes upgraded, without a torn tail and without closers. Their
   * envelopes are not judged. An empty list at or past the end.
   */
  readFrom(id: string, fromSeq: number): Promise<readonly StoredEvent[]>

  /** Every readable header, and one problem per log that is left out. Reads first lines only; never throws for a log. */
  list(): Promise<Listing>

  /** True when no live owner holds the session's writer lock. Claims nothing. */
  writable(id: string): Promise<boolean>

  /** Gives the writer's place back. The id has to be created or loaded again before the next append. */
  release(id: string): Promise<void>

  /** Waits for what is in flight and releases every session. */
  dispose(): Promise<void>
}

export interface LoadedSession {
  readonly header: SessionHeader
  /** Balanced: the stored events, then `closers`. */
  readonly events: SessionEvent[]
  /** What recovery added, in order; empty for a log that was closed properly. */
  readonly closers: readonly SessionEvent[]
}

export interface Listing {
  readonly sessions: readonly SessionListing[]
  readonly problems: readonly LogProblem[]
}

export interface SessionListing {
  readonly header: SessionHeader
  readonly file: string
  /** Last change of the log, epoch milliseconds. */
  readonly mtimeMs: number
}

/** A log that cannot be listed; `code` is `CORRUPT`, `FORMAT_UNSUPPORTED` or `STORAGE`. */
export interface LogProblem {
  readonly file: string
  readonly code: string
  readonly message: string
}
