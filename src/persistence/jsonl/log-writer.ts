import { PlanModeError } from '../../session/errors.ts'
import type { SessionEvent } from '../../session/events.ts'
import type { SessionHeader } from '../../session/header.ts'
import type { LogWriter } from '../backend.ts'
import { storageCodes, systemCode } from '../errors.ts'
import type { FileSystem } from '../file-system.ts'
import { storageError } from '../storage-error.ts'
import { BatchText } from './batch-text.ts'
import type { LogEncoding } from './encoding.ts'
import { type Completion, LogFile } from './log-file.ts'
import { encodeLines } from './packed-rows.ts'
import { remainsOf } from './rewrite.ts'
import type { WriterLock } from './writer-lock.ts'

/** Where a log ends for its writer. */
export interface LogEnd {
  /** Until the first append has published the file. */
  readonly header?: SessionHeader
  /** Whole lines of a torn frame behind the end: they go before the next batch, into its frame. */
  readonly salvaged?: Uint8Array
  /** Something else may lie behind the end. */
  readonly torn?: boolean
  /** Bytes that hold. */
  readonly size: number
  readonly nextSeq: number
}

/** What a log's writer works with. */
export interface LogWriterParts {
  readonly fs: FileSystem
  readonly file: string
  readonly encoding: LogEncoding
  readonly lock: WriterLock
  /** Whether runs of streamed chunks are written as packed rows. */
  readonly pack: boolean
  /** Makes the folder of the log unless it is there. @throws the system's error. */
  readonly makeFolder: () => Promise<void>
}

/** Writes one log batch by batch (session-log format, section 6): what is asked of it, as bytes of its file. */
export class JsonlLogWriter implements LogWriter {
  readonly #parts: LogWriterParts
  readonly #file: LogFile
  readonly #text = new BatchText()
  #header: SessionHeader | undefined
  #salvaged: Uint8Array | undefined
  #begun = false
  #nextSeq: number

  constructor(parts: LogWriterParts, { header, salvaged, torn = false, size, nextSeq }: LogEnd) {
    const { fs, file: path, lock } = parts
    this.#parts = parts
    this.#file = new LogFile({ fs, path, lock, size, torn })
    this.#header = header
    this.#salvaged = salvaged
    this.#nextSeq = nextSeq
  }

  async append(events: readonly SessionEvent[]): Promise<void> {
    const next = this.#nextSeq
    for (let k = 0; k < events.length; k++) {
      const seq = events[k]?.seq ?? next + k
      if (seq !== next + k) throw notContiguous(this.#file.path, next + k, seq)
    }
    if (events.length === 0 && this.#salvaged === undefined) return
    try {
      if (this.#header === undefined) await this.#file.extend(() => this.#batch(events))
      else await this.#file.publish(await this.#whole(this.#header, events))
    } catch (error) {
      throw this.#writeError(error)
    }
    this.#header = undefined
    this.#salvaged = undefined
    this.#begun = true
    this.#nextSeq = next + events.length
  }

  async cut(): Promise<void> {
    // What was salvaged stays where it is until the next append puts it into the place of the torn frame.
    if (!this.#file.dirty || this.#header !== undefined || this.#salvaged !== undefined) return
    try {
      await this.#file.cutBack()
    } catch (error) {
      throw this.#writeError(error)
    }
  }

  async confirm(): Promise<void> {
    try {
      await this.#parts.lock.assertHeld()
    } catch (error) {
      throw storageError('read', this.#file.path, error)
    }
  }

  async rewrite(header: SessionHeader, events: readonly SessionEvent[]): Promise<void> {
    try {
      await this.#parts.makeFolder()
      await this.#parts.lock.restore()
      const completed = await this.#file.complete(bytes => this.#completion(bytes, header, events))
      if (!completed) await this.#file.publishAnew(await this.#whole(header, events))
    } catch (error) {
      throw storageError('write', this.#file.path, error)
    }
    this.#header = undefined
    this.#salvaged = undefined
    this.#nextSeq = events.length
  }

  release(): Promise<void> {
    return this.#parts.lock.release()
  }

  /** Its first part is made at once, before this returns. */
  async #batch(events: readonly SessionEvent[]): Promise<Uint8Array> {
    const lines = this.#lines(events)
    const text = this.#salvaged === undefined ? lines : Buffer.concat([this.#salvaged, lines])
    const { encoding } = this.#parts
    if (this.#begun) return encoding.encodeBatch(text)
    // The first batch may be the closers of a repair, whose bytes are the ancestor's.
    return await encoding.encode([text])
  }

  #whole(header: SessionHeader, events: readonly SessionEvent[]): Promise<Uint8Array> {
    return this.#parts.encoding.encode([headerLine(header), this.#lines(events)])
  }

  async #completion(
    bytes: Buffer,
    header: SessionHeader,
    events: readonly SessionEvent[],
  ): Promise<Completion | undefined> {
    const { encoding } = this.#parts
    const remains = await remainsOf(bytes, header, events, encoding, this.#file.path)
    if (remains === undefined) return undefined
    const { kept, from } = remains
    const pieces = [...(kept === 0 ? [headerLine(header)] : []), this.#lines(events.slice(from))]
    return { kept, missing: await encoding.encode(pieces.filter(({ length }) => length > 0)) }
  }

  #lines(events: readonly SessionEvent[]): Buffer {
    return this.#text.of(encodeLines(events, this.#parts.pack))
  }

  /** A published log that is not there any more can be written anew, which the system's own word would not say. */
  #writeError(error: unknown): PlanModeError {
    const { path } = this.#file
    if (systemCode(error) !== 'ENOENT' || this.#header !== undefined) return storageError('write', path, error)
    return new PlanModeError(
      storageCodes.logGone,
      `${path} could not be written: it is not there any more. All of the conversation is still here: put the file back, or try again to write it anew.`,
      { cause: error },
    )
  }
}

function notContiguous(file: string, expected: number, given: number): PlanModeError {
  return new PlanModeError(storageCodes.notContiguous, `${file} goes on with event ${expected}, not ${given}.`)
}

function headerLine(header: SessionHeader): Uint8Array {
  return Buffer.from(`${JSON.stringify(header)}\n`)
}
