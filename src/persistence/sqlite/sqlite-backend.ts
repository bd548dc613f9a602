import { PlanModeError } from '../../session/errors.ts'
import type { SessionHeader } from '../../session/header.ts'
import type { LogWriter, PersistenceBackend, StoredLog } from '../backend.ts'
import { type FileSystem, nodeFileSystem } from '../file-system.ts'
import type { LockOptions } from '../lock-owner.ts'
import type { Listing, LogProblem, SessionListing, SessionPersistenceRevision } from '../persistence.ts'
import type { Wanted } from '../reading/folding.ts'
import { storageError } from '../storage-error.ts'
import { realTimers } from '../timers.ts'
import { SQLITE_MISSING, type Sqlite } from './load-sqlite.ts'
import { readLog, readTail, revisionOf } from './read-log.ts'
import { SessionDatabase } from './session-database.ts'
import { eachSessionRow, headerOf, notFound, type SessionRow, sessionRow } from './session-row.ts'
import { SqliteLogWriter, type WriterParts } from './sqlite-log-writer.ts'
import type { StoredRows } from './stored-rows.ts'
import { claimPlace, isPlaceFree, type WriterPlace } from './writer-place.ts'

export interface SqliteOptions extends LockOptions {
  readonly root: string
  readonly fileSystem?: FileSystem
  /** Events of the shortest session whose state is kept, so that it opens without being read; 2000. `Infinity`: none is believed. */
  readonly keepFrom?: number
  /** As `JsonlOptions.projections`. */
  readonly projections?: Wanted
  /** Instead of the runtime's own SQLite. */
  readonly load?: () => Promise<Sqlite>
}

/** All sessions of a root in one database, `<root>/sessions.db`, one row per event. */
export class SqliteBackend implements PersistenceBackend {
  readonly #database: SessionDatabase
  readonly #lockOptions: LockOptions
  readonly #now: () => number
  readonly #keepFrom: number | undefined
  readonly #wanted: Wanted | undefined
  readonly #loading = new Set<Promise<void>>()
  /** Of what is loaded in the background. */
  #stop = new AbortController()

  constructor({ root, fileSystem = nodeFileSystem, load, now = Date.now, keepFrom, ...rest }: SqliteOptions) {
    const { timers, processes, projections } = rest
    const clock = timers === undefined ? {} : { timers }
    this.#database = new SessionDatabase({ root, fileSystem, ...clock, ...(load === undefined ? {} : { load }) })
    this.#now = now
    this.#keepFrom = keepFrom
    this.#wanted = projections
    this.#lockOptions = { abandoned: new Set(), now, ...clock, ...(processes === undefined ? {} : { processes }) }
  }

  locate(): undefined {
    return undefined
  }

  async exists(id: string): Promise<boolean> {
    return (await this.#row(id)) !== undefined
  }

  read(id: string, signal?: AbortSignal): Promise<StoredLog> {
    const byState = this.#keepFrom !== Number.POSITIVE_INFINITY
    return readLog(this.#database, id, { signal, byState, loading: rows => this.#load(rows), wanted: this.#wanted })
  }

  async readFrom(id: string, fromSeq: number, signal?: AbortSignal): Promise<StoredLog | undefined> {
    return fromSeq > 0 ? readTail(this.#database, id, fromSeq, signal) : undefined
  }

  revision(id: string): Promise<SessionPersistenceRevision> {
    return revisionOf(this.#database, id)
  }

  async createWriter(header: SessionHeader): Promise<LogWriter> {
    const { id } = header
    await this.#database.create()
    const place = await claimPlace(this.#database, id, this.#lockOptions)
    return new SqliteLogWriter(this.#parts(id, place), { header, nextSeq: 0, torn: false })
  }

  async openWriter(
    id: string,
    known?: StoredLog,
    claiming?: 'when-free' | 'by-force',
  ): Promise<{ writer: LogWriter; log: StoredLog }> {
    // What the header refuses is left alone altogether, without a claim.
    headerOf((await this.#row(id)) ?? notFound(this.#database, id))
    const place = await claimPlace(this.#database, id, this.#lockOptions, claiming)
    try {
      const log = known?.revision === (await this.revision(id)) ? known : await this.read(id)
      const { judged, torn } = log
      const end = { nextSeq: judged?.length ?? log.events.length, torn, judged }
      return { writer: new SqliteLogWriter(this.#parts(id, place), end), log }
    } catch (error) {
      await place.release()
      throw error
    }
  }

  watch(_log: StoredLog, onChange: () => void): Disposable {
    return this.#database.watch(onChange)
  }

  async writable(id: string): Promise<boolean> {
    const free = await this.#database.read(connection => {
      if (sessionRow(this.#database, connection, id) === undefined) return undefined
      return isPlaceFree(connection, id, this.#lockOptions)
    })
    return free ?? notFound(this.#database, id)
  }

  /** What cannot be listed is a problem and hides nothing else. @throws `SQLITE_MISSING`. */
  async list(signal?: AbortSignal): Promise<Listing> {
    let rows: SessionRow[] = []
    const sessions: SessionListing[] = []
    const problems: LogProblem[] = []
    try {
      await this.#database.read(connection => {
        rows = []
        eachSessionRow(this.#database, connection, row => rows.push(row))
      })
    } catch (error) {
      if (error instanceof PlanModeError && error.code === SQLITE_MISSING) throw error
      problems.push(problemOf(this.#database.file, error))
    }
    signal?.throwIfAborted()
    for (const row of rows) this.#sort(row, sessions, problems)
    return { sessions, problems }
  }

  /** Lets go of the database file; whatever is asked next opens it again. */
  async dispose(): Promise<void> {
    this.#stop.abort()
    await Promise.all(this.#loading)
    this.#stop = new AbortController()
    this.#database.close()
  }

  #load(rows: StoredRows): void {
    const loading = rows.load(this.#stop.signal).finally(() => this.#loading.delete(loading))
    this.#loading.add(loading)
  }

  #parts(id: string, place: WriterPlace): WriterParts {
    const { timers = realTimers } = this.#lockOptions
    return { database: this.#database, id, place, now: this.#now, timers, keepFrom: this.#keepFrom }
  }

  #sort(row: SessionRow, sessions: SessionListing[], problems: LogProblem[]): void {
    const { file } = this.#database
    try {
      sessions.push({ header: headerOf(row), file, mtimeMs: row.changedAt, revision: row.revision })
    } catch (error) {
      problems.push({ ...problemOf(file, error), id: row.id })
    }
  }

  #row(id: string): Promise<SessionRow | undefined> {
    return this.#database.read(connection => sessionRow(this.#database, connection, id))
  }
}

function problemOf(file: string, error: unknown): LogProblem {
  const { code, message } = error instanceof PlanModeError ? error : storageError('read', file, error)
  return { file, code, message }
}
