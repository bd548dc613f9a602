import { dirname, join } from 'node:path'
import type { SessionHeader } from '../../session/header.ts'
import type { LogTail, LogWriter, PersistenceBackend, StoredLog } from '../backend.ts'
import { ensureDirectory, type FileSystem, nodeFileSystem } from '../file-system.ts'
import type { Listing, SessionPersistenceRevision, SessionRawArtifact } from '../persistence.ts'
import type { Wanted } from '../reading/folding.ts'
import { RootFolder } from '../root-folder.ts'
import { storageError } from '../storage-error.ts'
import type { Encoding, LogEncoding } from './encoding.ts'
import { encodings } from './encodings.ts'
import { fenceLog } from './fence-log.ts'
import { findLog, notFound } from './find-log.ts'
import { SessionIndexes, type WriterStart } from './index/session-indexes.ts'
import { listLogs } from './list-logs.ts'
import { LogReader } from './log-reader.ts'
import { JsonlLogWriter, type LogEnd } from './log-writer.ts'
import { logPath } from './paths.ts'
import { type Claiming, claimWriter, isWriterFree, type LockOptions, type WriterLock } from './writer-lock.ts'

export interface JsonlOptions extends LockOptions {
  readonly root: string
  /** The one encoding of the root's logs, "none" when not given; see `rootEncoding` for a root that may have logs. */
  readonly encoding?: Encoding
  readonly fileSystem?: FileSystem
  /** Bytes of the shortest log that has a sidecar index; 256 KiB. `Infinity`: none is written, and none believed. */
  readonly indexFrom?: number
  /** Projections whose states are kept of each log that is read, so that nobody has to read it again for them. */
  readonly projections?: Wanted
  /** Whether runs of streamed chunks are written as packed rows (section 5); true unless given. Both are always read. */
  readonly packChunks?: boolean
}

/** One JSONL log per session, raw or compressed, under a root folder, in the layout of session-log format section 1. */
export class JsonlBackend implements PersistenceBackend {
  readonly #root: string
  readonly #encoding: LogEncoding
  readonly #fs: FileSystem
  readonly #folder: RootFolder
  readonly #packChunks: boolean
  readonly #lockOptions: LockOptions
  readonly #indexes: SessionIndexes
  readonly #reader: LogReader

  constructor({ root, encoding = 'none', fileSystem = nodeFileSystem, packChunks = true, ...rest }: JsonlOptions) {
    const { timers, now, processes, indexFrom = 256 << 10, projections: wanted } = rest
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
    this.#indexes = new SessionIndexes({ fs: fileSystem, encoding: this.#encoding, from: indexFrom, timers, wanted })
    const parts = { fs: fileSystem, root, encoding: this.#encoding, indexes: this.#indexes, wanted }
    this.#reader = new LogReader(parts)
  }

  locate(header: SessionHeader): string {
    return join(this.#root, logPath(header.id, header.cwd, this.#encoding.logName))
  }

  async exists(id: string): Promise<boolean> {
    return (await this.#locate(id)) !== undefined
  }

  async read(id: string, signal?: AbortSignal): Promise<StoredLog> {
    return (await this.#reader.read(await this.#find(id), id, signal)).log
  }

  async readFrom(id: string, fromSeq: number): Promise<StoredLog | undefined> {
    return this.#reader.readFrom(await this.#find(id), id, fromSeq)
  }

  async revision(id: string): Promise<SessionPersistenceRevision> {
    return this.#reader.revision(await this.#find(id))
  }

  async readText(id: string, signal?: AbortSignal): Promise<SessionRawArtifact | undefined> {
    const file = await this.#locate(id)
    return file === undefined ? undefined : this.#reader.text(file, id, signal)
  }

  async createWriter(header: SessionHeader): Promise<LogWriter> {
    const file = this.locate(header)
    try {
      await this.#makeFolder(file)
      const lock = await claimWriter(this.#fs, dirname(file), this.#lockOptions)
      await this.#fenceOff(file, lock)
      const start = { id: header.id, file, base: undefined, revision: undefined, indexed: false }
      return this.#writer(start, lock, { header, size: 0, nextSeq: 0 })
    } catch (error) {
      throw storageError('write', file, error)
    }
  }

  async openWriter(id: string, known?: StoredLog, claiming?: Claiming): Promise<{ writer: LogWriter; log: StoredLog }> {
    const file = await this.#find(id)
    const lock = await this.#claim(file, id, claiming)
    try {
      await this.#fenceOff(file, lock)
      const { log, end } = (await this.#reader.unchanged(file, known)) ?? (await this.#reader.read(file, id))
      const base = end.torn ? undefined : { lines: end.judged, size: end.size }
      const start = { id, file, base, revision: log.revision, indexed: end.indexed }
      return { writer: this.#writer(start, lock, end), log }
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

  tail(log: StoredLog): LogTail | undefined {
    return this.#reader.tail(log)
  }

  watch({ file }: StoredLog, onChange: () => void): Disposable {
    return this.#fs.watch(dirname(file), onChange)
  }

  list(signal?: AbortSignal): Promise<Listing> {
    return listLogs(this.#fs, this.#root, this.#encoding, signal)
  }

  /** Waits for what is still being read in the background. */
  dispose(): Promise<void> {
    return this.#indexes.dispose()
  }

  #locate(id: string): Promise<string | undefined> {
    return findLog(this.#fs, this.#root, id, this.#encoding)
  }

  async #find(id: string): Promise<string> {
    return (await this.#locate(id)) ?? notFound(this.#root, id)
  }

  #writer(start: WriterStart, lock: WriterLock, end: LogEnd): LogWriter {
    const { file } = start
    const parts = { file, encoding: this.#encoding, lock, pack: this.#packChunks }
    const makeFolder = () => this.#makeFolder(file)
    return this.#indexes.writer(start, fs => new JsonlLogWriter({ ...parts, fs, makeFolder }, end))
  }

  async #makeFolder(file: string): Promise<void> {
    await this.#folder.make()
    await ensureDirectory(this.#fs, dirname(file), this.#root)
  }

  /** Before a log is read whose last writer may still be at work. Gives the claim back where it fails. */
  async #fenceOff(file: string, lock: WriterLock): Promise<void> {
    if (!lock.takesOver) return
    try {
      await fenceLog(this.#fs, file)
      await lock.taken()
    } catch (error) {
      await lock.release()
      throw storageError('write', file, error)
    }
  }

  /** What the header refuses is left alone altogether, without a claim. */
  async #claim(file: string, id: string, claiming: Claiming | undefined): Promise<WriterLock> {
    try {
      await this.#reader.header(file, id)
    } catch (error) {
      throw storageError('read', file, error)
    }
    try {
      return await claimWriter(this.#fs, dirname(file), this.#lockOptions, claiming)
    } catch (error) {
      throw storageError('write', dirname(file), error)
    }
  }
}
