import type { SessionHeader } from '../../session/header.ts'
import type { LogTail, StoredLog } from '../backend.ts'
import { decodeHeader } from '../decode-header.ts'
import { SessionPersistenceCorruptionError } from '../errors.ts'
import type { FileSystem } from '../file-system.ts'
import type { SessionRawArtifact } from '../persistence.ts'
import type { Wanted } from '../reading/folding.ts'
import { storageError } from '../storage-error.ts'
import type { LogEncoding } from './encoding.ts'
import { checkPlace } from './find-log.ts'
import type { SessionIndexes } from './index/session-indexes.ts'
import type { JudgedLines } from './lines/judged-lines.ts'
import { readJudged } from './lines/read-judged.ts'
import { JsonlLogTail, MARK, markBefore } from './log-tail.ts'
import type { LogEnd } from './log-writer.ts'
import { LOG_NAME } from './paths.ts'
import { readHeader } from './read-header.ts'
import { readStable } from './stable-read.ts'

export interface ReadLog {
  readonly log: StoredLog
  readonly end: ReadEnd
}

/** Where a log ends that was read, and what was found out about it. */
export interface ReadEnd extends LogEnd {
  /** The last bytes before the end. */
  readonly mark: Buffer
  readonly judged: JudgedLines
  /** True when it was opened by its index. */
  readonly indexed: boolean
}

export interface LogReaderOptions {
  readonly fs: FileSystem
  readonly root: string
  readonly encoding: LogEncoding
  readonly indexes: SessionIndexes
  readonly wanted?: Wanted | undefined
}

/** Reads logs whose files were found: by their index where one holds, else whole. */
export class LogReader {
  readonly #fs: FileSystem
  readonly #root: string
  readonly #encoding: LogEncoding
  readonly #indexes: SessionIndexes
  readonly #wanted: Wanted | undefined
  /** Where each log that was read ends. */
  readonly #ends = new WeakMap<StoredLog, ReadEnd>()

  constructor({ fs, root, encoding, indexes, wanted }: LogReaderOptions) {
    this.#fs = fs
    this.#root = root
    this.#encoding = encoding
    this.#indexes = indexes
    this.#wanted = wanted
  }

  /** @throws as `PersistenceBackend.read`. */
  async read(file: string, id: string, signal?: AbortSignal): Promise<ReadLog> {
    try {
      const { log, end } = (await this.#readByIndex(file, id)) ?? (await this.#readWhole(file, id, signal))
      this.#ends.set(log, end)
      return { log, end }
    } catch (error) {
      throw readError(file, error, signal)
    }
  }

  /** A log that was read here before, while its file is still at the same revision. */
  async unchanged(file: string, log: StoredLog | undefined): Promise<ReadLog | undefined> {
    const end = log && this.#ends.get(log)
    if (log === undefined || end === undefined || log.file !== file) return undefined
    return log.revision === (await this.revision(file)) ? { log, end } : undefined
  }

  /** The events from `fromSeq` on; undefined without an index: only by it a place in the file is known. */
  async readFrom(file: string, id: string, fromSeq: number): Promise<StoredLog | undefined> {
    try {
      return await this.#indexes.tail(file, id, fromSeq, () => this.header(file, id))
    } catch {
      // Reading it whole says what is wrong with the log, if anything is.
      return undefined
    }
  }

  /** @throws as `PersistenceBackend.readText`. */
  async text(file: string, id: string, signal?: AbortSignal): Promise<SessionRawArtifact> {
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

  /** What is appended to a log that was read here. */
  tail(log: StoredLog): LogTail | undefined {
    const end = this.#ends.get(log)
    const { file, revision } = log
    if (end === undefined || revision === undefined) return undefined
    const { size: at, nextSeq: next, mark, salvaged } = end
    const start = { revision, at, next, mark, again: salvaged !== undefined }
    return new JsonlLogTail(this.#fs, file, this.#encoding.name, start)
  }

  /** @throws `STORAGE`. */
  async revision(file: string): Promise<string> {
    try {
      return (await this.#fs.stat(file)).revision
    } catch (error) {
      throw storageError('read', file, error)
    }
  }

  /** By the first bytes only. @throws `CORRUPT`, `FORMAT_UNSUPPORTED`, and the system's errors. */
  async header(file: string, id: string): Promise<SessionHeader> {
    const header = await readHeader(this.#fs, this.#root, file, this.#encoding)
    assertId(header, file, id)
    return header
  }

  async #readByIndex(file: string, id: string): Promise<ReadLog | undefined> {
    const found = await this.#indexes.open(file, id, () => this.header(file, id))
    if (found === undefined) return undefined
    const { log, size, bytes } = found
    const { judged, torn } = log
    const mark = bytes.read(Math.max(0, size - MARK), size)
    return { log, end: { size, nextSeq: judged.length, torn, mark, judged, indexed: true } }
  }

  async #readWhole(file: string, id: string, signal?: AbortSignal): Promise<ReadLog> {
    const { log, bytes, end } = await readJudged(this.#fs, this.#encoding, file, { wanted: this.#wanted, signal })
    assertId(log.header, file, id)
    await checkPlace(this.#fs, this.#root, file, log.header)
    const { judged, torn } = log
    const { end: size, ...salvaged } = end
    const mark = markBefore(bytes, size)
    return { log, end: { size, nextSeq: judged.length, torn, mark, judged, indexed: false, ...salvaged } }
  }
}

function readError(file: string, error: unknown, signal: AbortSignal | undefined): unknown {
  return signal?.aborted ? signal.reason : storageError('read', file, error)
}

function assertId(header: SessionHeader, file: string, id: string): void {
  if (header.id === id) return
  throw new SessionPersistenceCorruptionError(`${file} is misplaced: its header names the session "${header.id}".`)
}
