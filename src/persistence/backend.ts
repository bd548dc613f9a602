import type { StoredEvent } from '../session/envelope.ts'
import type { SessionEvent } from '../session/events.ts'
import type { SessionHeader } from '../session/header.ts'
import type { Listing } from './persistence.ts'

/** What keeps the bytes: one place to read, and one writer per session. Everything else is done once, above it. */
export interface PersistenceBackend {
  /** Where the session's log is or will be; no I/O. */
  locate(header: SessionHeader): string | undefined
  exists(id: string): Promise<boolean>

  /** The valid contiguous prefix. @throws `NOT_FOUND`, `FORMAT_UNSUPPORTED`, `CORRUPT`, `STORAGE`. */
  read(id: string): Promise<StoredLog>

  /** Takes the writer's place of a session that is not stored yet; its first append publishes the log. */
  createWriter(header: SessionHeader): Promise<LogWriter>

  /**
   * Takes the writer's place of a stored session, then reads it.
   * @throws as `read`, and `WRITER_BUSY` or `NOT_WRITABLE`; the place is not taken then.
   */
  openWriter(id: string): Promise<{ readonly writer: LogWriter; readonly log: StoredLog }>

  /** True when nobody alive holds the writer's place. */
  writable(id: string): Promise<boolean>
  list(): Promise<Listing>
}

export interface StoredLog {
  /** Named in errors. */
  readonly file: string
  readonly header: SessionHeader
  /** Seqs from 0, packed rows expanded, nothing else judged. The reader owns the list. */
  readonly events: StoredEvent[]
  /** True when something behind the kept events has to be cut before the next append. */
  readonly torn: boolean
}

/** The one writer of a session. Calls are made one after the other. */
export interface LogWriter {
  /** Durable when it resolves; on failure the log is as it was. @throws `WRITER_LOST`, `NOT_CONTIGUOUS`, `STORAGE`. */
  append(events: readonly SessionEvent[]): Promise<void>
  /** Cuts what `StoredLog.torn` speaks of; does nothing on a whole log. */
  cut(): Promise<void>
  /** Frees the place for the next writer. Never throws: a place that cannot be freed falls to the next by its age. */
  release(): Promise<void>
}
