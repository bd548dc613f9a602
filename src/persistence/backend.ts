import type { StoredEvent } from '../session/envelope.ts'
import type { EventType, SessionEvent } from '../session/events.ts'
import type { SessionHeader } from '../session/header.ts'
import type { Checkpoint } from '../session/projections.ts'
import type { Surface } from '../session/surface.ts'
import type { Listing, SessionPersistenceRevision, SessionRawArtifact } from './persistence.ts'

/**
 * What keeps the bytes: one place to read, and one writer per session. Everything else is done once, above it.
 * A signal is a hint to stop early; whoever gave it has its answer already.
 */
export interface PersistenceBackend {
  /** Where the session's log is or will be; no I/O. */
  locate(header: SessionHeader): string | undefined
  exists(id: string): Promise<boolean>

  /** The valid contiguous prefix. @throws `NOT_FOUND`, `FORMAT_UNSUPPORTED`, `CORRUPT`, `STORAGE`. */
  read(id: string, signal?: AbortSignal): Promise<StoredLog>

  /**
   * What changes with every append, cut or replacement of the stored log, and is never the same in two stores; cheap.
   * Without it nothing is kept between two reads, and there are no snapshots. @throws `NOT_FOUND`, `STORAGE`.
   */
  revision?(id: string, signal?: AbortSignal): Promise<SessionPersistenceRevision>

  /**
   * As `read`, but only the events from `fromSeq` on, none at or past the end: for a medium that can seek. What lies
   * before them need not be judged. Undefined when this log cannot be sought; it is read whole then.
   */
  readFrom?(id: string, fromSeq: number, signal?: AbortSignal): Promise<StoredLog | undefined>

  /**
   * The log's own text, out of its encoding but otherwise as it was written; undefined when there is no such log.
   * Absent where a session has no text of its own. @throws `FORMAT_UNSUPPORTED`, `CORRUPT`, `STORAGE`.
   */
  readText?(id: string, signal?: AbortSignal): Promise<SessionRawArtifact | undefined>

  /** Takes the writer's place of a session that is not stored yet; its first append publishes the log. */
  createWriter(header: SessionHeader): Promise<LogWriter>

  /**
   * Takes the writer's place of a stored session, then reads it. `known` is a log that this backend gave before: while
   * the stored one is still at `known.revision`, it may be given back instead of reading again. `by-force` takes the
   * place from a live owner, too: what he has under way then is in the log that is read, or never will be.
   * @throws as `read`, and `WRITER_BUSY` or `NOT_WRITABLE`; the place is not taken then. By force `WRITER_BUSY` says that
   * somebody else is just taking it.
   */
  openWriter(
    id: string,
    known?: StoredLog,
    claiming?: 'when-free' | 'by-force',
  ): Promise<{ readonly writer: LogWriter; readonly log: StoredLog }>

  /** Reads on behind a log that this backend gave; without it, or when undefined, by `revision`, `readFrom` and `read`. */
  tail?(log: StoredLog): LogTail | undefined

  /** Calls back soon after the log or its writer may have changed, where the system tells, also for nothing. */
  watch?(log: StoredLog, onChange: () => void): Disposable

  /** True when nobody alive holds the writer's place. */
  writable(id: string): Promise<boolean>
  list(signal?: AbortSignal): Promise<Listing>

  /** Lets go of what is held open, once every writer is released and nothing is in flight. */
  dispose?(): Promise<void>
}

export interface StoredLog {
  /** Named in errors. */
  readonly file: string
  readonly header: SessionHeader
  /** Seqs from 0 (`readFrom`: from where it was asked), packed rows expanded, nothing else judged. May be made anew. */
  readonly events: StoredEvent[]
  /** The same events, where they were judged while they were read; `events` is best left alone then. */
  readonly judged?: JudgedEvents
  /** True when something behind the kept events has to be cut before the next append. */
  readonly torn: boolean
  /** The log's revision, taken before the events were read. Given by every backend that has revisions. */
  readonly revision?: SessionPersistenceRevision
  /** True when the backend itself saw that revision hold still over the read; the coordinator asks where it did not. */
  readonly settled?: boolean
}

/** What comes behind a log that was read. Never writes; calls are made one after the other. */
export interface LogTail {
  /**
   * The events that were stored since the last call, as they are stored. Undefined when what was given before is no
   * longer how the log begins, or nobody can tell: it has to be read anew. @throws `NOT_FOUND`, `STORAGE`.
   */
  next(): Promise<readonly StoredEvent[] | undefined>
}

/** Stored events that were judged as session-log format section 7 asks, and are made when somebody wants them. */
export interface JudgedEvents {
  readonly length: number
  /** What the model sees of them, and whether their last turn is open; mean nothing unless they are sound. */
  readonly surface: Surface
  readonly turnOpen: boolean
  /** @throws `CORRUPT` or `FORMAT_UNSUPPORTED` for what is not even to be given as it is stored. */
  assertReadable(): void
  /** @throws `CORRUPT` or `FORMAT_UNSUPPORTED` for what cannot be worked on. */
  assertSound(): void
  /** In today's shape, frozen, always the same object. Only of sound events. */
  at(seq: number): SessionEvent | undefined
  /** In today's shape, new objects of the caller's own. Only of readable events. */
  today(from: number): Iterable<StoredEvent>
  /** The first seq from `from` on that may be of one of these types; at least `length` when there is none. */
  seek(types: ReadonlySet<EventType>, from: number): number
  /** States of projections that were stored with them; each covers no more than these events. */
  readonly checkpoints?: readonly Checkpoint[]
}

/** The one writer of a session. Calls are made one after the other. */
export interface LogWriter {
  /** Durable when it resolves; on failure the log is as it was. @throws `WRITER_LOST`, `LOG_GONE`, `NOT_CONTIGUOUS`, `STORAGE`. */
  append(events: readonly SessionEvent[]): Promise<void>
  /**
   * Cuts what `StoredLog.torn` speaks of; does nothing on a whole log. Events that were found in what has to be cut are
   * written again by the next append, of an empty batch too, which then does the cutting as well.
   */
  cut(): Promise<void>
  /** @throws `WRITER_LOST` when another took the place; for good. Asked in between, so that a loss shows while idle. */
  confirm(): Promise<void>
  /**
   * Puts back a log that something else deleted or cut short: `events` are all that were stored. Does nothing to a whole
   * one. @throws `STORAGE` when something else than a beginning of these events is stored; `WRITER_LOST`.
   */
  rewrite(header: SessionHeader, events: readonly SessionEvent[]): Promise<void>
  /** Frees the place for the next writer. Never throws: a place that cannot be freed falls to the next by its age. */
  release(): Promise<void>
  /** Says where to ask for the states that may be stored beside the log, as often as they are. */
  remember?(checkpoints: () => readonly Checkpoint[]): void
}
