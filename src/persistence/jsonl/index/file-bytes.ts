import { corrupt } from '../../corrupt.ts'
import type { HeldFile } from '../../file-system.ts'
import type { LogBytes } from '../lines/log-text.ts'

const STRETCH = 4 << 20

/**
 * The bytes of a log that is opened by its index: read from the held file when they are asked for, and all of them
 * soon after, so that what happens to the file later takes no event away.
 */
export class FileBytes implements LogBytes, Disposable {
  readonly #file: string
  readonly #size: number
  #held: HeldFile | undefined
  #bytes: Buffer | undefined
  #disposed = false
  #loading = false

  /** Takes the held file over, of which `size` bytes count. */
  constructor(file: string, size: number, held: HeldFile) {
    this.#file = file
    this.#size = size
    this.#held = held
  }

  read(from: number, to: number): Buffer {
    if (this.#bytes !== undefined) return this.#bytes.subarray(from, to)
    const bytes = this.#disposed ? undefined : this.#held?.read(to - from, from)
    return bytes?.length === to - from ? bytes : corrupt(this.#file, 'it was cut short underneath')
  }

  /** Reads everything, while others go on, and lets go of the file. Never throws. */
  async readAll(): Promise<void> {
    const bytes = Buffer.allocUnsafeSlow(this.#size)
    try {
      for (let at = 0; at < this.#size; ) {
        if (this.#disposed || this.#held === undefined) return
        this.#loading = true
        const got = await this.#held.readInto(bytes.subarray(at, Math.min(at + STRETCH, this.#size)), at)
        if (got === 0) return
        at += got
      }
      this.#bytes = bytes
      this.#disposed = true
    } catch {
      // Whoever asks for an event that is gone is told then.
    } finally {
      this.#loading = false
      if (this.#disposed) this.#close()
    }
  }

  /** Lets go of the file; what was not read by now cannot be had any more. */
  [Symbol.dispose](): void {
    this.#disposed = true
    // A number that is closed while the system reads by it may mean another file by then.
    if (!this.#loading) this.#close()
  }

  #close(): void {
    this.#held?.close()
    this.#held = undefined
  }
}
