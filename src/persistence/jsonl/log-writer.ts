import { dirname } from 'node:path'
import { PlanModeError } from '../../session/errors.ts'
import type { SessionEvent } from '../../session/events.ts'
import type { SessionHeader } from '../../session/header.ts'
import type { LogWriter } from '../backend.ts'
import { storageCodes, systemCode } from '../errors.ts'
import { type FileSystem, ignoreFailedCleanup, type OpenFile, publishFile, writeAll } from '../file-system.ts'
import { storageError } from '../storage-error.ts'
import type { LogEncoding } from './encoding.ts'
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

/**
 * Writes one log (session-log format, section 6): published whole, then one write and one sync per batch.
 *
 * Every change is fenced. Whoever takes over from a writer that may be at work claims first, then gives the log a new
 * file, then reads it. So this one opens the file, then makes sure that it is still its own (the file it knows, or else
 * the claim), changes what it opened, and before a batch counts as stored looks at the claim. What comes too late
 * reaches the old file at most, and what counts was there before the next writer read the log.
 */
export class JsonlLogWriter implements LogWriter {
  readonly #fs: FileSystem
  readonly #file: string
  readonly #parts: LogWriterParts
  #end: LogEnd
  /** Something of a failed attempt may still lie behind `#end`. */
  #dirty: boolean
  /** The file that this writer has last had a claim on. */
  #identity: string | undefined

  constructor(parts: LogWriterParts, end: LogEnd) {
    this.#fs = parts.fs
    this.#file = parts.file
    this.#parts = parts
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
      const batch = this.#lines(events)
      if (header !== undefined) await this.#publish([toText([JSON.stringify(header)]), batch])
      else await this.#extend(salvaged === undefined ? batch : Buffer.concat([salvaged, batch]))
    } catch (error) {
      throw this.#writeError(error)
    }
    this.#end = { size: this.#end.size, nextSeq: nextSeq + events.length }
  }

  async cut(): Promise<void> {
    const { header, salvaged } = this.#end
    // What was salvaged stays where it is until the next append puts it into the place of the torn frame.
    if (!this.#dirty || header !== undefined || salvaged !== undefined) return
    try {
      await this.#cutBack()
    } catch (error) {
      throw this.#writeError(error)
    }
  }

  async confirm(): Promise<void> {
    try {
      await this.#parts.lock.assertHeld()
    } catch (error) {
      throw storageError('read', this.#file, error)
    }
  }

  async rewrite(header: SessionHeader, events: readonly SessionEvent[]): Promise<void> {
    try {
      await this.#parts.makeFolder()
      await this.#parts.lock.restore()
      const { size } = (await this.#complete(header, events)) ?? (await this.#publishAnew(header, events))
      this.#end = { size, nextSeq: events.length }
      this.#dirty = false
    } catch (error) {
      throw storageError('write', this.#file, error)
    }
  }

  release(): Promise<void> {
    return this.#parts.lock.release()
  }

  async #publish(pieces: readonly Uint8Array[]): Promise<void> {
    const { lock, encoding } = this.#parts
    await lock.assertHeld()
    const bytes = await encoding.encode(pieces)
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
      await lock.assertHeld()
    } catch (error) {
      if (isLost(error)) throw error
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
    const bytes = await this.#parts.encoding.encode([batch])
    if (this.#dirty) await this.#cutBack()
    await this.#withFile('append', async file => {
      const { size, identity } = await file.state()
      if (identity !== this.#identity) await this.#parts.lock.assertHeld()
      this.#identity = identity
      if (size !== this.#end.size) throw this.#changed(size)
      await this.#write(file, bytes)
      this.#end = { ...this.#end, size: size + bytes.length }
    })
  }

  /** Behind what holds; cut back again when it fails, unless the log is another's. */
  async #write(file: OpenFile, bytes: Uint8Array): Promise<void> {
    try {
      await writeAll(file, bytes)
      await file.sync()
      await this.#parts.lock.assertHeld()
    } catch (error) {
      if (isLost(error)) throw error
      this.#dirty = true
      await this.#cutBack().catch(ignoreFailedCleanup)
      throw error
    }
  }

  #cutBack(): Promise<void> {
    return this.#fenced('cut', async file => {
      const size = await file.size()
      if (size < this.#end.size) throw this.#changed(size)
      await file.truncate(this.#end.size)
      await file.sync()
      this.#dirty = false
    })
  }

  /** Writes what the file lacks of the log; undefined where there is no file. @throws when it holds anything else. */
  async #complete(
    header: SessionHeader,
    events: readonly SessionEvent[],
  ): Promise<{ readonly size: number } | undefined> {
    const { encoding } = this.#parts
    try {
      return await this.#fenced('append', async file => {
        const bytes = await this.#fs.read(this.#file)
        const remains = await remainsOf(bytes, header, events, encoding, this.#file)
        if (remains === undefined) throw this.#changed(bytes.length)
        const { kept, from } = remains
        const pieces = [...(kept === 0 ? [toText([JSON.stringify(header)])] : []), this.#lines(events.slice(from))]
        const rest = await encoding.encode(pieces.filter(({ length }) => length > 0))
        if (bytes.length > kept) {
          await this.#fenced('cut', async cut => {
            await cut.truncate(kept)
            await cut.sync()
          })
        }
        await writeAll(file, rest)
        await file.sync()
        await this.#parts.lock.assertHeld()
        return { size: kept + rest.length }
      })
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return undefined
      throw error
    }
  }

  async #publishAnew(header: SessionHeader, events: readonly SessionEvent[]): Promise<{ readonly size: number }> {
    // Nothing of a failed attempt can lie there, and what somebody puts there now is not ours to remove.
    this.#dirty = false
    await this.#publish([toText([JSON.stringify(header)]), this.#lines(events)])
    return { size: this.#end.size }
  }

  #fenced<T>(how: 'append' | 'cut', act: (file: OpenFile) => Promise<T>): Promise<T> {
    return this.#withFile(how, async file => {
      await this.#parts.lock.assertHeld()
      return act(file)
    })
  }

  async #withFile<T>(how: 'append' | 'cut', act: (file: OpenFile) => Promise<T>): Promise<T> {
    const file = await this.#fs.open(this.#file, how)
    try {
      return await act(file)
    } finally {
      // The batch is judged by its sync; a failing close cannot take it back.
      await file.close().catch(ignoreFailedCleanup)
    }
  }

  #lines(events: readonly SessionEvent[]): Uint8Array {
    return toText(encodeLines(events, this.#parts.pack))
  }

  #changed(size: number): PlanModeError {
    return size < this.#end.size
      ? new PlanModeError(
          storageCodes.logGone,
          `${this.#file} was cut short by something else (${size} bytes instead of ${this.#end.size}). Nothing was written, and all of the conversation is still here: put the file back, or try again to write what is missing.`,
        )
      : new PlanModeError(
          storageCodes.storage,
          `${this.#file} was changed by something else (${size} bytes instead of ${this.#end.size}). Nothing was written; put the file back or open the session anew.`,
        )
  }

  /** A published log that is not there any more can be written anew, which the system's own word would not say. */
  #writeError(error: unknown): PlanModeError {
    if (systemCode(error) !== 'ENOENT' || this.#end.header !== undefined) {
      return storageError('write', this.#file, error)
    }
    return new PlanModeError(
      storageCodes.logGone,
      `${this.#file} could not be written: it is not there any more. All of the conversation is still here: put the file back, or try again to write it anew.`,
      { cause: error },
    )
  }
}

function isLost(error: unknown): boolean {
  return error instanceof PlanModeError && error.code === storageCodes.writerLost
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
