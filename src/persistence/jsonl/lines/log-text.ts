import { corrupt } from '../../corrupt.ts'
import { decompressAlone } from '../frame-codec.ts'
import { frameEnd } from '../frames.ts'
import type { Place } from './line-map.ts'

/** The bytes of a log's file, at hand or read when they are asked for. */
export interface LogBytes {
  /** What lies from `from` up to `to`. Synchronous. @throws when the file does not hold it any more. */
  read(from: number, to: number): Buffer
}

export class HeldBytes implements LogBytes {
  readonly #bytes: Buffer

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  read(from: number, to: number): Buffer {
    return this.#bytes.subarray(from, to)
  }
}

/** The text of a log by places. */
export interface LogText {
  /** Everything between two places, of which what lies at `to` ends at `limit` in the file or before. */
  between(from: Place, to: Place, limit: number): Buffer
}

export class RawText implements LogText {
  readonly #bytes: LogBytes

  constructor(bytes: LogBytes) {
    this.#bytes = bytes
  }

  between(from: Place, to: Place): Buffer {
    return this.#bytes.read(from.at + from.skip, to.at + to.skip)
  }
}

interface Frame {
  readonly at: number
  readonly end: number
  readonly text: Buffer
}

/** Keeps the text of the last frame that was asked for: neighbours come next. */
export class FrameText implements LogText {
  readonly #bytes: LogBytes
  readonly #file: string
  #last: Frame | undefined

  constructor(bytes: LogBytes, file: string) {
    this.#bytes = bytes
    this.#file = file
  }

  between(from: Place, to: Place, limit: number): Buffer {
    const parts: Buffer[] = []
    let { at, skip } = from
    while (at < to.at || (at === to.at && to.skip > 0)) {
      const frame = this.#frame(at, limit)
      parts.push(frame.text.subarray(skip, at === to.at ? to.skip : undefined))
      if (at === to.at) break
      at = frame.end
      skip = 0
    }
    const [only, ...others] = parts
    return only !== undefined && others.length === 0 ? only : Buffer.concat(parts)
  }

  #frame(at: number, limit: number): Frame {
    if (this.#last?.at === at) return this.#last
    const bytes = this.#bytes.read(at, limit)
    const end = frameEnd(bytes, 0, this.#file, 0)
    if (end === undefined) return corrupt(this.#file, `the frame at byte ${at} is not whole any more`)
    this.#last = { at, end: at + end, text: decompressAlone(bytes.subarray(0, end), this.#file, at) }
    return this.#last
  }
}
