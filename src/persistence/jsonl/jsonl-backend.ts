import { dirname, join } from 'node:path'
import type { SessionHeader } from '../../session/header.ts'
import type { LogWriter, PersistenceBackend, StoredLog } from '../backend.ts'
import { SessionPersistenceCorruptionError } from '../errors.ts'
import type { Listing, SessionPersistenceRevision, SessionRawArtifact } from '../persistence.ts'
import { RootFolder } from '../root-folder.ts'
import { decodeHeader } from './decode-header.ts'
import type { Encoding, LogEncoding } from './encoding.ts'
import { encodings } from './encodings.ts'
import { ensureDirectory, type FileSystem, nodeFileSystem } from './file-system.ts'
import { checkPlace, findLog, notFound } from './find-log.ts'
import { listLogs } from './list-logs.ts'
import { JsonlLogWriter, type LogEnd } from './log-writer.ts'
import { LOG_NAME, logPath } from './paths.ts'
import { readHeader } from './read-header.ts'
import { readStable } from './stable-read.ts'
import { storageError } from './storage-error.ts'
import { claimWriter, isWriterFree, type LockOptions, type WriterLock } from './writer-lock.ts'

export interface JsonlOptions extends LockOptions {
  readonly root: string
  /** The one encoding of the root's logs, "none" when not given; see `rootEncoding` for a root that may have logs. */
  readonly encoding?: Encoding
  readonly fileSystem?: FileSystem
  /** Whether runs of streamed chunks are written as packed rows (section 5); true unless given. Both are always read. */
  readonly packChunks?: boolean
}

interface ReadLog {
  readonly log: StoredLog
  readonly end: LogEnd
}

/** One JSONL log per session, raw or compressed, under a root folder, in the layout of session-log format section 1. */
export class JsonlBackend implements PersistenceBackend {
  readonly #root: string
  readonly #encoding: LogEncoding
  readonly #fs: FileSystem
  readonly #folder: RootFolder
  readonly #packChunks: boolean
  readonly #lockOptions: LockOptions
  /** Where each log that was read ends. */
  readonly #ends = new WeakMap<StoredLog, LogEnd>()

  constructor({ root, encoding = 'none', fileSystem = nodeFileSystem, packChunks = true, ...lock }: JsonlOptions) {
    const { timers, now, processes } = lock
    this.#root = root
    this.#packChunks = packChunks
    this.#encoding = encodings[encoding]
    this.#fs = fileSystem
    this.#folder = new RootFolder(fileSystem, root)
    this.#lockOptions = {
      abandoned: new Set(),
      ...(timers === undefined ? {} : { timers }),
      ...(now === undefined ? {} : { now }),
      ...(processes === undefined ? {} : { processes }),
    }
  }

  locate(header: SessionHeader): string {
    return join(this.#root, logPath(header.id, header.cwd, this.#encoding.logName))
  }

  async exists(id: string): Promise<boolean> {
    return (await this.#locate(id)) !== undefined
  }

  async read(id: string, signal?: AbortSignal): Promise<StoredLog> {
    return (await this.#read(await this.#find(id), id, signal)).log
  }

  async revision(id: string): Promise<SessionPersistenceRevision> {
    return this.#revision(await this.#find(id))
  }

  async readText(id: string, signal?: AbortSignal): Promise<SessionRawArtifact | undefined> {
    const file = await this.#locate(id)
    if (file === undefined) return undefined
    try {
      const { bytes } = await readStable(this.#fs, file, signal)
      const content = await this.#encoding.text(bytes, file, signal)
      const header = decodeHeader(content.slice(0, content.indexOf('\n') + 1), file)
      assertId(header, file, id)
      return { header, filename: LOG_NAME, content }
    } catch (error) {
      throw readError(file, error, signal)
    }
  }

  async createWriter(header: SessionHeader): Promise<LogWriter> {
    const file = this.locate(header)
    try {
      await this.#folder.make()
      await ensureDirectory(this.#fs, dirname(file))
      const lock = await claimWriter(this.#fs, dirname(file), this.#lockOptions)
      return this.#writer(file, lock, { header, size: 0, nextSeq: 0 })
    } catch (error) {
      throw storageError('write', file, error)
    }
  }

  async openWriter(id: string, known?: StoredLog): Promise<{ writer: LogWriter; log: StoredLog }> {
    const file = await this.#find(id)
    const lock = await this.#claim(file, id)
    try {
      const { log, end } = (await this.#unchanged(file, known)) ?? (await this.#read(file, id))
      return { writer: this.#writer(file, lock, end), log }
    } catch (error) {
      await lock.release()
      throw error
    }
  }

  async writable(id: string): Promise<boolean> {
    const file = await this.#find(id)
    try {
      return await isWriterFree(this.#fs, dirname(file), this.#lockOptions)
    } catch (error) {
      throw storageError('read', dirname(file), error)
    }
  }

  list(signal?: AbortSignal): Promise<Listing> {
    return listLogs(this.#fs, this.#root, this.#encoding, signal)
  }

  #locate(id: string): Promise<string | undefined> {
    return findLog(this.#fs, this.#root, id, this.#encoding)
  }

  async #find(id: string): Promise<string> {
    return (await this.#locate(id)) ?? notFound(this.#root, id)
  }

  async #revision(file: string): Promise<string> {
    try {
      return (await this.#fs.stat(file)).revision
    } catch (error) {
      throw storageError('read', file, error)
    }
  }

  #writer(file: string, lock: WriterLock, end: LogEnd): LogWriter {
    return new JsonlLogWriter(this.#fs, file, this.#encoding, lock, end, this.#packChunks)
  }

  /** What the header refuses is left alone altogether, without a claim. */
  async #claim(file: string, id: string): Promise<WriterLock> {
    try {
      assertId(await readHeader(this.#fs, this.#root, file, this.#encoding), file, id)
    } catch (error) {
      throw storageError('read', file, error)
    }
    try {
      return await claimWriter(this.#fs, dirname(file), this.#lockOptions)
    } catch (error) {
      throw storageError('write', dirname(file), error)
    }
  }

  async #unchanged(file: string, log: StoredLog | undefined): Promise<ReadLog | undefined> {
    const end = log && this.#ends.get(log)
    if (log === undefined || end === undefined || log.file !== file) return undefined
    return log.revision === (await this.#revision(file)) ? { log, end } : undefined
  }

  async #read(file: string, id: string, signal?: AbortSignal): Promise<ReadLog> {
    try {
      const { bytes, revision } = await readStable(this.#fs, file, signal)
      const { header, events, end: size, salvaged } = await this.#encoding.decode(bytes, file, signal)
      assertId(header, file, id)
      await checkPlace(this.#fs, this.#root, file, header)
      const torn = size < bytes.length
      const log = { file, header, events, torn, revision }
      const end = { size, nextSeq: events.length, torn, ...(salvaged === undefined ? {} : { salvaged }) }
      this.#ends.set(log, end)
      return { log, end }
    } catch (error) {
      throw readError(file, error, signal)
    }
  }
}

function readError(file: string, error: unknown, signal: AbortSignal | undefined): unknown {
  return signal?.aborted ? signal.reason : storageError('read', file, error)
}

function assertId(header: SessionHeader, file: string, id: string): void {
  if (header.id === id) return
  throw new SessionPersistenceCorruptionError(`${file} is misplaced: its header names the session "${header.id}".`)
}
