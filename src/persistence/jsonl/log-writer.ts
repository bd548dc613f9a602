import { dirname } from 'node:path'
import { PlanModeError } from '../../session/errors.ts'
import type { SessionEvent } from '../../session/events.ts'
import type { SessionHeader } from '../../session/header.ts'
import type { LogWriter } from '../backend.ts'
import { storageCodes, systemCode } from '../errors.ts'
import type { LogEncoding } from './encoding.ts'
import { type FileSystem, ignoreFailedCleanup, type OpenFile, publishFile, writeAll } from './file-system.ts'
import { encodeLines } from './packed-rows.ts'
import { storageError } from './storage-error.ts'
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

/** Writes one log (session-log format, section 6): published whole, then one write and one sync per batch. */
export class JsonlLogWriter implements LogWriter {
  readonly #fs: FileSystem
  readonly #file: string
  readonly #encoding: LogEncoding
  readonly #lock: WriterLock
  readonly #pack: boolean
  #end: LogEnd
  /** Something of a failed attempt may still lie behind `#end`. */
  #dirty: boolean

  constructor(fs: FileSystem, file: string, encoding: LogEncoding, lock: WriterLock, end: LogEnd, pack = true) {
    this.#fs = fs
    this.#file = file
    this.#encoding = encoding
    this.#lock = lock
    this.#pack = pack
    this.#end = end
    this.#dirty = end.torn ?? false
  }

  async append(events: readonly SessionEvent[]): Promise<void> {
    const { header, nextSeq, salvaged } = this.#end
    for (const [k, event] of events.entries()) {
      if (event.seq !== nextSeq + k) throw notContiguous(this.#file, nextSeq + k, event.seq)
    }
    if (events.length === 0 && salvaged === undefined) return
    try {
      await this.#lock.assertHeld()
      const batch = toText(encodeLines(events, this.#pack))
      if (header !== undefined) await this.#publish([toText([JSON.stringify(header)]), batch])
      else await this.#extend(salvaged === undefined ? batch : Buffer.concat([salvaged, batch]))
    } catch (error) {
      throw storageError('write', this.#file, error)
    }
    this.#end = { size: this.#end.size, nextSeq: nextSeq + events.length }
  }

  async cut(): Promise<void> {
    const { header, salvaged } = this.#end
    // What was salvaged stays where it is until the next append puts it into the place of the torn frame.
    if (!this.#dirty || header !== undefined || salvaged !== undefined) return
    try {
      await this.#lock.assertHeld()
      await this.#cutBack()
    } catch (error) {
      throw storageError('write', this.#file, error)
    }
  }

  release(): Promise<void> {
    return this.#lock.release()
  }

  async #publish(pieces: readonly Uint8Array[]): Promise<void> {
    const bytes = await this.#encoding.encode(pieces)
    if (this.#dirty) await this.#unpublish()
    const temporary = `${this.#file}.${hex12()}.tmp`
    try {
      await publishFile(this.#fs, this.#file, temporary, bytes)
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error
      throw new PlanModeError(storageCodes.alreadyExists, `${this.#file} is there already; nothing was written.`)
    }
    try {
      await this.#fs.syncDirectory(dirname(this.#file))
    } catch (error) {
      this.#dirty = true
      await this.#unpublish().catch(ignoreFailedCleanup)
      throw error
    }
    this.#end = { ...this.#end, size: bytes.length }
  }

  async #unpublish(): Promise<void> {
    try {
      await this.#fs.remove(this.#file)
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw error
    }
    this.#dirty = false
  }

  async #extend(batch: Uint8Array): Promise<void> {
    const bytes = await this.#encoding.encode([batch])
    if (this.#dirty) await this.#cutBack()
    await this.#withFile('append', async file => {
      const size = await file.size()
      if (size !== this.#end.size) throw this.#changed(size)
      try {
        await writeAll(file, bytes)
        await file.sync()
      } catch (error) {
        this.#dirty = true
        await this.#cutBack().catch(ignoreFailedCleanup)
        throw error
      }
      this.#end = { ...this.#end, size: size + bytes.length }
    })
  }

  #cutBack(): Promise<void> {
    return this.#withFile('cut', async file => {
      const size = await file.size()
      if (size < this.#end.size) throw this.#changed(size)
      await file.truncate(this.#end.size)
      await file.sync()
      this.#dirty = false
    })
  }

  async #withFile(how: 'append' | 'cut', act: (file: OpenFile) => Promise<void>): Promise<void> {
    const file = await this.#fs.open(this.#file, how)
    try {
      await act(file)
    } finally {
      // The batch is judged by its sync; a failing close cannot take it back.
      await file.close().catch(ignoreFailedCleanup)
    }
  }

  #changed(size: number): PlanModeError {
    return new PlanModeError(
      storageCodes.storage,
      `${this.#file} was changed by something else (${size} bytes instead of ${this.#end.size}). Nothing was written; put the file back or open the session anew.`,
    )
  }
}

function notContiguous(file: string, expected: number, given: number): PlanModeError {
  return new PlanModeError(storageCodes.notContiguous, `${file} goes on with event ${expected}, not ${given}.`)
}

function toText(lines: readonly string[]): Uint8Array {
  return Buffer.from(lines.length === 0 ? '' : `${lines.join('\n')}\n`)
}

export function hex12(): string {
  return crypto.randomUUID().replaceAll('-', '').slice(0, 12)
}
