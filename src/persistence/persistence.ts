import type { StoredEvent } from '../session/envelope.ts'
import type { EventLog } from '../session/event-log.ts'
import type { SessionEvent } from '../session/events.ts'
import type { SessionHeader } from '../session/header.ts'
import type { Session } from '../session/session.ts'
import type { SessionPreparation } from './prepared/preparation.ts'

/**
 * The durability seam: what a session store promises, whatever keeps the bytes. Everything that observes takes a
 * signal; when it aborts, the call rejects with its reason at once.
 */
export interface SessionPersistence {
  /** Where the session's log is or will be; no I/O. Undefined for a backend without a file of its own per session. */
  locate(header: SessionHeader): string | undefined

  /**
   * Makes the id appendable. Lazy: nothing is stored before the first `append`.
   * @throws `ALREADY_EXISTS` when a log of that id is stored or was created here; `INVALID_HEADER`.
   */
  create(header: SessionHeader): Promise<void>

  /**
   * Appends a batch to a created, loaded or prepared session; resolves when it is durable. All or nothing: after a
   * failure the log is as it was before, and the same batch may be tried again.
   * @throws `NOT_CONTIGUOUS` unless the batch starts at the stored next seq, `NOT_JSON` naming the event type,
   * `WRITER_LOST` for good when another writer took over (what was not acknowledged may be stored or not), `LOG_GONE`
   * when something else deleted the log or cut it short, `STORAGE` with the system's reason.
   */
  append(id: string, events: readonly SessionEvent[]): Promise<void>

  /**
   * Takes the writer's place, commits what recovery owes as `load` does, and gives the one unpublished session of the
   * id. It stays exclusive until it is published or disposed; `inspect` may borrow it. A session that was inspected
   * before is used again while its log is still at the same revision.
   * @throws as `load`; `SESSION_RESERVED` while the id is prepared already.
   */
  prepare(id: string, signal?: AbortSignal): Promise<SessionPreparation>

  /**
   * As `prepare`, but takes the writer's place although its owner is alive. From then on every append of that owner is
   * refused with `WRITER_LOST`; what he had under way is in the session that is given, whole batches or a beginning of
   * the last one, or never will be stored. Nothing that was acknowledged to him is missing.
   * @throws as `prepare`; `WRITER_BUSY` only while somebody else is just taking the place.
   */
  takeOver(id: string, signal?: AbortSignal): Promise<SessionPreparation>

  /**
   * A log that another process writes, as it stands and as it grows: an open turn is open. Never writes, never locks.
   * Whoever asks disposes of it. @throws as `read` of the log.
   */
  follow(id: string, signal?: AbortSignal): Promise<FollowedLog>

  /**
   * Asks whether this is still the writer of a session that is open for writing here. What only an append would tell
   * otherwise shows while nothing is said, too. @throws `WRITER_LOST` for good, `STORAGE`.
   */
  confirm(id: string): Promise<void>

  /**
   * Puts the log of a session that is open for writing here back after something else deleted it or cut it short.
   * `events` are all that were stored; what is stored still has to be a beginning of them. A whole log stays as it is.
   * Of a session that is not stored yet it stores what is given, the header alone without events.
   * @throws `STORAGE`, `WRITER_LOST`.
   */
  rewrite(id: string, events: readonly SessionEvent[]): Promise<void>

  /**
   * Binds a created or prepared id to its live session: from now on `load` and `inspect` answer from it, and it is
   * never crash-repaired. `release` ends that. @throws `NOT_FOUND` for an id that is not open for writing here.
   */
  publish(live: LiveLog): void

  /**
   * Takes the writer's place, cuts a torn tail, appends the closers an interrupted log owes (session-log format,
   * section 8) and gives the balanced log. Writes nothing when nothing is owed. Of a session that is open for writing
   * here: what it held at the call, as soon as that is durable.
   * @throws `NOT_FOUND`, `FORMAT_UNSUPPORTED`, `CORRUPT`, `STORAGE`, `WRITER_BUSY`, `NOT_WRITABLE`; `SESSION_LIVE` while
   * the session is open for writing here and a turn of it is open.
   */
  load(id: string): Promise<SessionInspection>

  /**
   * The same view in memory only: never writes, never locks. Of a session that is open for writing here: what it holds
   * now, possibly with an open turn. What was read is kept for the next look while the log's revision is the same.
   * @throws as `read` of the log; `LOG_UNSETTLED` when others write it without a pause long enough to read it.
   */
  inspect(id: string, signal?: AbortSignal): Promise<SessionInspection>

  /** As `inspect`, for a session object of one's own: its events are made when they are asked for. @throws as `inspect`. */
  view(id: string, signal?: AbortSignal): Promise<SessionView>

  /**
   * The stored events from `fromSeq` on, older shapes upgraded, without a torn tail and without closers. Their
   * envelopes are not judged. An empty list at or past the end. The caller owns them.
   */
  readFrom(id: string, fromSeq: number, signal?: AbortSignal): Promise<readonly StoredEvent[]>

  /** Whether a session has a text of its own that `readRaw` can give. */
  readonly supportsRawArtifacts: boolean

  /** The log's text as it was written; undefined when no such log is stored. @throws `UNSUPPORTED`, and as `load`. */
  readRaw(id: string, signal?: AbortSignal): Promise<SessionRawArtifact | undefined>

  /** Every readable header, and one problem per log that is left out. Reads first lines only; never throws for a log. */
  list(signal?: AbortSignal): Promise<Listing>

  /** Every readable header with its log's revision, without reading logs. @throws `UNSUPPORTED` without revisions. */
  listSnapshots(signal?: AbortSignal): Promise<readonly SessionPersistenceSnapshot[]>

  /** True when no live owner holds the session's writer lock. Claims nothing. */
  writable(id: string): Promise<boolean>

  /** Gives the writer's place back. The id has to be created, loaded or prepared again before the next append. */
  release(id: string): Promise<void>

  /** Drains: waits for what is in flight, makes live sessions durable where possible, frees every writer's place. */
  dispose(): Promise<void>
}

/** An immutable view of one session. It may be shared with others; nobody may change it. */
export interface SessionInspection {
  readonly header: SessionHeader
  /** The stored events, then `closers`. Balanced unless the session is live. Made when it is looked at. */
  readonly events: readonly SessionEvent[]
  /** What recovery added, in order; empty for a log that was closed properly, and for a live session. */
  readonly closers: readonly SessionEvent[]
}

export interface SessionView {
  readonly header: SessionHeader
  /** The caller's own; the events in it are shared. */
  readonly events: EventLog
}

/** A session that is being worked on, as the seam sees it. */
export interface LiveLog {
  readonly session: Session
  /** Resolves when every event that exists now is durable. */
  flush(): Promise<void>
}

/** A log that somebody else writes. Calls of `next` are made one after the other. */
export interface FollowedLog extends Disposable {
  readonly header: SessionHeader
  /** What was stored when it was opened, judged, without closers. The caller owns it. */
  readonly events: EventLog
  /**
   * The events stored since the last call. Undefined when the log no longer begins as it was given: it was repaired,
   * taken over or replaced, and has to be followed anew. @throws `NOT_FOUND`, `STORAGE`; a later call may go well.
   */
  next(): Promise<readonly SessionEvent[] | undefined>
  /** Calls back soon after it may be worth to ask, where the system tells; ask now and then as well. */
  onChange(listener: () => void): Disposable
}

/** One session's own stored text, byte for byte but for its encoding: packed rows and key order are kept. */
export interface SessionRawArtifact {
  readonly header: SessionHeader
  /** Name of the file, without its folder and without the suffix of an encoding. */
  readonly filename: string
  readonly content: string
}

/** Which source, and which state of it. Opaque: compare for equality, nothing else. */
export type SessionPersistenceRevision = string

/** Enough to tell whether something derived from a log is still right, without reading the log. */
export interface SessionPersistenceSnapshot {
  readonly header: SessionHeader
  readonly revision: SessionPersistenceRevision
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
  /** Where the backend knows it from listing; asked for one by one where not. */
  readonly revision?: SessionPersistenceRevision
}

/** A log that cannot be listed; `code` is `CORRUPT`, `FORMAT_UNSUPPORTED` or `STORAGE`. */
export interface LogProblem {
  readonly file: string
  /** Of the session, where the store knows it without the header. */
  readonly id?: string
  readonly code: string
  readonly message: string
}
