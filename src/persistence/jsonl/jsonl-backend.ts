import { basename, dirname, join } from 'node:path'
import type { SessionHeader } from '../../session/header.ts'
import type { LogWriter, PersistenceBackend, StoredLog } from '../backend.ts'
import { SessionPersistenceCorruptionError, systemCode } from '../errors.ts'
import type { Listing } from '../persistence.ts'
import { decodeLog } from './decode.ts'
import { createFile, ensureDirectory, type FileSystem, nodeFileSystem } from './file-system.ts'
import { checkPlace, findLog, notFound } from './find-log.ts'
import { listLogs } from './list-logs.ts'
import { JsonlLogWriter } from './log-writer.ts'
import { logPath } from './paths.ts'
import { readHeader } from './read-header.ts'
import { storageError } from './storage-error.ts'
import { claimWriter, isWriterFree, type LockOptions, type WriterLock } from './writer-lock.ts'

export interface JsonlOptions extends LockOptions {
  readonly root: string
  readonly fileSystem?: FileSystem
}

const OWN_FOLDER = '.plan-mode'

/** One raw JSONL log per session under a root folder, in the layout of session-log format section 1. */
export class JsonlBackend implements PersistenceBackend {
  readonly #root: string
  readonly #fs: FileSystem
  readonly #lockOptions: LockOptions
  /** The new folder that does not ignore itself yet. */
  #unignored: string | undefined

  constructor({ root, fileSystem = nodeFileSystem, timers, now, processes }: JsonlOptions) {
    this.#root = root
    this.#fs = fileSystem
    this.#lockOptions = {
      abandoned: new Set(),
      ...(timers === undefined ? {} : { timers }),
      ...(now === undefined ? {} : { now }),
      ...(processes === undefined ? {} : { processes }),
    }
  }

  locate(header: SessionHeader): string {
    return join(this.#root, logPath(header.id, header.cwd))
  }

  async exists(id: string): Promise<boolean> {
    return (await findLog(this.#fs, this.#root, id)) !== undefined
  }

  async read(id: string): Promise<StoredLog> {
    return (await this.#read(await this.#find(id), id)).log
  }

  async createWriter(header: SessionHeader): Promise<LogWriter> {
    const file = this.locate(header)
    try {
      await this.#makeRoot()
      await ensureDirectory(this.#fs, dirname(file))
      const lock = await claimWriter(this.#fs, dirname(file), this.#lockOptions)
      return new JsonlLogWriter(this.#fs, file, lock, { header, size: 0, nextSeq: 0 })
    } catch (error) {
      throw storageError('write', file, error)
    }
  }

  async openWriter(id: string): Promise<{ writer: LogWriter; log: StoredLog }> {
    const file = await this.#find(id)
    const lock = await this.#claim(file, id)
    try {
      const { log, end } = await this.#read(file, id)
      const nextSeq = log.events.length
      return { writer: new JsonlLogWriter(this.#fs, file, lock, { size: end, nextSeq }, log.torn), log }
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

  list(): Promise<Listing> {
    return listLogs(this.#fs, this.#root)
  }

  async #find(id: string): Promise<string> {
    return (await findLog(this.#fs, this.#root, id)) ?? notFound(this.#root, id)
  }

  /** What the header refuses is left alone altogether, without a claim. */
  async #claim(file: string, id: string): Promise<WriterLock> {
    try {
      assertId(await readHeader(this.#fs, this.#root, file), file, id)
    } catch (error) {
      throw storageError('read', file, error)
    }
    try {
      return await claimWriter(this.#fs, dirname(file), this.#lockOptions)
    } catch (error) {
      throw storageError('write', dirname(file), error)
    }
  }

  async #read(file: string, id: string): Promise<{ log: StoredLog; end: number }> {
    const bytes = await this.#bytes(file)
    const { header, events, end } = decodeLog(bytes, file)
    assertId(header, file, id)
    await checkPlace(this.#fs, this.#root, file, header)
    return { log: { file, header, events, torn: end < bytes.length }, end }
  }

  async #bytes(file: string): Promise<Buffer> {
    try {
      return await this.#fs.read(file)
    } catch (error) {
      throw storageError('read', file, error)
    }
  }

  /** A new root ignores itself, so that no log is committed by accident. */
  async #makeRoot(): Promise<void> {
    const parent = dirname(this.#root)
    if (basename(parent) === OWN_FOLDER) {
      // The workspace folder itself is never made: if it went away, saying so is right.
      await this.#makeIgnored(parent, dirname(parent))
      await ensureDirectory(this.#fs, this.#root)
    } else await this.#makeIgnored(this.#root)
  }

  async #makeIgnored(folder: string, stopAt?: string): Promise<void> {
    if (await ensureDirectory(this.#fs, folder, stopAt)) this.#unignored = folder
    if (this.#unignored !== folder) return
    try {
      await createFile(this.#fs, join(folder, '.gitignore'), Buffer.from('*\n'))
    } catch (error) {
      // Somebody else's is as good, and never touched.
      if (systemCode(error) !== 'EEXIST') throw error
    }
    this.#unignored = undefined
  }
}

function assertId(header: SessionHeader, file: string, id: string): void {
  if (header.id === id) return
  throw new SessionPersistenceCorruptionError(`${file} is misplaced: its header names the session "${header.id}".`)
}
