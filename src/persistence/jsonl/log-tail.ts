import type { StoredEvent } from '../../session/envelope.ts'
import { PlanModeError } from '../../session/errors.ts'
import type { LogTail } from '../backend.ts'
import type { FileSystem } from '../file-system.ts'
import { storageError } from '../storage-error.ts'
import type { Encoding } from './encoding.ts'
import { eventsOf, wholeLines } from './whole-lines.ts'

/** Bytes by which the end of a log is known again. */
export const MARK = 512

/** Where a log was read to. */
export interface TailStart {
  /** Of the file, from before it was read. */
  readonly revision: string
  readonly at: number
  /** The next event's seq. */
  readonly next: number
  /** The last bytes before `at`. */
  readonly mark: Buffer
  /** Events were found in a frame that was not finished: they come again with the whole one. */
  readonly again: boolean
}

/** The last bytes before a place, by which it is found unchanged later. */
export function markBefore(bytes: Buffer, at: number): Buffer {
  return Buffer.from(bytes.subarray(Math.max(0, at - MARK), at))
}

/**
 * What is appended to a log's file: reads from where it stopped, and only what is finished. Another file in its place,
 * one that is shorter, or one that has other bytes before that place is another log.
 */
export class JsonlLogTail implements LogTail {
  readonly #fs: FileSystem
  readonly #file: string
  readonly #encoding: Encoding
  readonly #identity: string
  /** None before the first look: what was begun when the log was read may be finished without another change. */
  #revision: string | undefined
  #at: number
  #next: number
  #mark: Buffer
  #again: boolean

  constructor(fs: FileSystem, file: string, encoding: Encoding, { revision, at, next, mark, again }: TailStart) {
    this.#fs = fs
    this.#file = file
    this.#encoding = encoding
    this.#identity = revision.split(':', 2).join(':')
    this.#at = at
    this.#next = next
    this.#mark = mark
    this.#again = again
  }

  async next(): Promise<readonly StoredEvent[] | undefined> {
    try {
      const { revision, identity } = await this.#fs.stat(this.#file)
      if (identity !== this.#identity) return undefined
      if (revision === this.#revision) return []
      const bytes = await this.#readOn()
      const events = bytes && (await this.#take(bytes))
      if (events !== undefined) this.#revision = revision
      return events
    } catch (error) {
      // What cannot be read from here is read whole, which tells what is wrong, if anything is.
      if (error instanceof PlanModeError) return undefined
      throw storageError('read', this.#file, error)
    }
  }

  /** From the mark on; undefined when it is not there any more. */
  async #readOn(): Promise<Buffer | undefined> {
    const file = await this.#fs.open(this.#file, 'read')
    try {
      const size = await file.size()
      if (size < this.#at) return undefined
      const from = this.#at - this.#mark.length
      const bytes = Buffer.alloc(size - from)
      for (let read = 0; read < bytes.length; ) {
        const piece = await file.read(bytes.length - read, from + read)
        if (piece.length === 0) return undefined
        piece.copy(bytes, read)
        read += piece.length
      }
      return bytes.subarray(0, this.#mark.length).equals(this.#mark) ? bytes : undefined
    } finally {
      await file.close()
    }
  }

  async #take(bytes: Buffer): Promise<readonly StoredEvent[] | undefined> {
    const { lines, end } = await wholeLines(bytes.subarray(this.#mark.length), this.#encoding, this.#file)
    const events = eventsOf(lines)
    const first = events?.[0]?.seq ?? this.#next
    if (events === undefined || first > this.#next || (first < this.#next && !this.#again)) return undefined
    if (events.length > 0) this.#again = false
    const fresh = events.slice(this.#next - first)
    this.#mark = markBefore(bytes, this.#mark.length + end)
    this.#at += end
    this.#next += fresh.length
    return fresh
  }
}
