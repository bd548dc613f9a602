import { existsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { PlanModeError } from '../../session/errors.ts'
import { storageCodes, systemCode } from '../errors.ts'
import { type FileSystem, publishFile } from '../file-system.ts'
import { RootFolder } from '../root-folder.ts'
import { realTimers, type Timers } from '../timers.ts'
import { Connection } from './connection.ts'
import { loadSqlite, type Sqlite } from './load-sqlite.ts'
import { checkSchema, createSchema, type SchemaState, schemaMarks, upgradeSchema } from './schema.ts'
import { isBusy, isOpenFailure, sparesConnection, sqliteError } from './sqlite-error.ts'

export const DATABASE_NAME = 'sessions.db'
const STILL = 'immutable=1'
/** Between two attempts while another program has the database, and for how long in all. The thread is free meanwhile. */
const RETRY_MS = 25
const PATIENCE_MS = 5000
/** How often a look that cannot wait is tried, each for as long as SQLite waits itself. */
const LOOKS = 100

export interface DatabaseOptions {
  readonly root: string
  readonly fileSystem: FileSystem
  readonly timers?: Timers
  readonly load?: () => Promise<Sqlite>
}

interface Opened {
  readonly connection: Connection
  /** The file and its log as they were opened; another one at their place is another database. */
  readonly identity: string
  /** The schema that was checked. */
  readonly marks: string
  readonly state: SchemaState
  /** Opened as a file that nobody changes; good for one look. */
  readonly still: boolean
}

/**
 * The one database file of a root. Every act gets a connection to the file that is there now, with a schema that was
 * checked; while other programs have it, the act is repeated until it goes through or patience ends. An act may run
 * more than once, and only its last result counts.
 */
export class SessionDatabase {
  readonly file: string
  readonly #fs: FileSystem
  readonly #folder: RootFolder
  readonly #timers: Timers
  readonly #load: () => Promise<Sqlite>
  #sqlite: Sqlite | undefined
  #opened: Opened | undefined

  constructor({ root, fileSystem, timers = realTimers, load = loadSqlite }: DatabaseOptions) {
    this.file = join(root, DATABASE_NAME)
    this.#fs = fileSystem
    this.#folder = new RootFolder(fileSystem, root)
    this.#timers = timers
    this.#load = load
  }

  /** One consistent look. Undefined, without an act, where nothing was ever stored. */
  read<T>(act: (connection: Connection) => T): Promise<T | undefined> {
    return this.#patiently('read', sqlite => {
      const opened = this.#openToRead(sqlite)
      try {
        if (opened === undefined || opened.state === 'empty') return undefined
        return opened.connection.transaction('DEFERRED', () => {
          this.#recheck(opened)
          return act(opened.connection)
        })
      } finally {
        if (opened?.still === true) this.close()
      }
    })
  }

  /** One transaction, durable when it resolves. @throws `LOG_GONE` where the database is gone. */
  write<T>(act: (connection: Connection) => T): Promise<T> {
    return this.#patiently('write', sqlite => {
      const opened = this.#open(sqlite)
      if (opened === undefined || opened.state === 'empty') throw this.#gone()
      return opened.connection.transaction('IMMEDIATE', () => {
        this.#recheck(opened)
        // The next act sees that the schema has changed, or that it has not.
        if (this.#opened?.state === 'older') upgradeSchema(opened.connection)
        return act(opened.connection)
      })
    })
  }

  /**
   * As `read`, at once, for what cannot wait; where others are just changing the database's log it is tried again for a
   * moment. Undefined also when the database is gone. @throws `STORAGE`.
   */
  look<T>(act: (connection: Connection) => T): T | undefined {
    for (let tries = 1; ; tries++) {
      try {
        const opened = this.#sqlite && this.#openToRead(this.#sqlite)
        if (opened === undefined || opened.state === 'empty') return undefined
        return opened.connection.transaction('DEFERRED', () => {
          this.#recheck(opened)
          return act(opened.connection)
        })
      } catch (error) {
        if (!sparesConnection(error)) this.close()
        if (!isBusy(error) || tries >= LOOKS) throw sqliteError('read', this.file, error)
      } finally {
        if (this.#opened?.still === true) this.close()
      }
    }
  }

  /** Makes the database unless it is there: folder mode 0700, file mode 0600. */
  async create(): Promise<void> {
    try {
      await this.#folder.make()
      if (!existsSync(this.file)) await this.#createFile()
    } catch (error) {
      throw sqliteError('write', this.file, error)
    }
    await this.#patiently('write', sqlite => {
      const opened = this.#open(sqlite)
      if (opened === undefined) throw this.#gone()
      if (opened.connection.useWal() !== 'wal') throw this.#withoutWal()
      if (opened.state !== 'empty') return
      opened.connection.transaction('IMMEDIATE', () => {
        if (checkSchema(opened.connection, this.file) === 'empty') createSchema(opened.connection)
      })
      this.close()
    })
  }

  /** Calls back soon after a commit of anybody, where the system tells. */
  watch(onChange: () => void): Disposable {
    return this.#fs.watch(dirname(this.file), onChange)
  }

  /** Which file it is that lies there now. */
  identity(): string {
    const { dev, ino, birthtimeNs } = statSync(this.file, { bigint: true })
    return `file:${dev}:${ino}:${birthtimeNs}`
  }

  /** Lets go of the file. The next act opens it again. */
  close(): void {
    this.#opened?.connection.close()
    this.#opened = undefined
  }

  async #patiently<T>(kind: 'read' | 'write', act: (sqlite: Sqlite) => T): Promise<T> {
    this.#sqlite ??= await this.#load()
    for (let waited = 0; ; waited += RETRY_MS) {
      try {
        return act(this.#sqlite)
      } catch (error) {
        if (!sparesConnection(error)) this.close()
        if (!isBusy(error) || waited >= PATIENCE_MS) throw sqliteError(kind, this.file, error)
      }
      await new Promise<void>(resolve => this.#timers.after(RETRY_MS, resolve))
    }
  }

  /** Undefined where there is no file. */
  #open(sqlite: Sqlite): Opened | undefined {
    const identity = this.#present()
    if (this.#opened !== undefined && (identity !== this.#opened.identity || this.#opened.state === 'empty'))
      this.close()
    if (identity === undefined) return undefined
    this.#opened ??= this.#connect(sqlite, 'mode=rw')
    return this.#opened
  }

  /** SQLite needs files beside a database that is in use. Where none may be made and none is there, nobody uses it. */
  #openToRead(sqlite: Sqlite): Opened | undefined {
    try {
      return this.#open(sqlite)
    } catch (error) {
      if (!isOpenFailure(error) || existsSync(walOf(this.file))) throw error
      this.#opened = this.#connect(sqlite, STILL)
      return this.#opened
    }
  }

  /** By a URL, because a plain path would make the file where it just went away. */
  #connect(sqlite: Sqlite, parameters: string): Opened {
    const url = pathToFileURL(this.file)
    url.search = parameters
    const file = identityOf(this.file)
    const connection = new Connection(sqlite, url)
    try {
      const state = checkSchema(connection, this.file)
      // SQLite makes its log file at the first look.
      const identity = `${file} ${identityOf(walOf(this.file))}`
      return { connection, state, identity, marks: schemaMarks(connection), still: parameters === STILL }
    } catch (error) {
      connection.close()
      throw error
    }
  }

  /** A newer program may have changed the tables since they were checked. */
  #recheck(opened: Opened): void {
    if (schemaMarks(opened.connection) === opened.marks) return
    const state = checkSchema(opened.connection, this.file)
    this.#opened = { ...opened, state, marks: schemaMarks(opened.connection) }
  }

  async #createFile(): Promise<void> {
    const temporary = `${this.file}.${crypto.randomUUID().slice(0, 8)}.tmp`
    try {
      // Never opened under its final name by anything but SQLite: closing it would drop SQLite's own locks.
      await publishFile(this.#fs, this.file, temporary, new Uint8Array())
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error
    }
    await this.#fs.syncDirectory(dirname(this.file))
  }

  /** What lies there now; undefined where there is no file. */
  #present(): string | undefined {
    const file = identityOf(this.file)
    return file && `${file} ${identityOf(walOf(this.file))}`
  }

  #gone(): PlanModeError {
    return new PlanModeError(
      storageCodes.logGone,
      `${this.file} could not be written: it is not there any more. All of the conversation is still here: put the file back, or try again to write it anew.`,
    )
  }

  #withoutWal(): PlanModeError {
    return new PlanModeError(
      storageCodes.storage,
      `${this.file} cannot be kept safely: its file system has no shared memory. Set planMode.log.backend to "jsonl", or move the folder.`,
    )
  }
}

function walOf(file: string): string {
  return `${file}-wal`
}

function identityOf(path: string): string | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stat && `${stat.dev}:${stat.ino}`
}
