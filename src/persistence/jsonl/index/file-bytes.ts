import { setImmediate } from 'node:timers/promises'
import { corrupt } from '../../corrupt.ts'
import type { HeldFile } from '../../file-system.ts'
import type { LogBytes } from '../lines/log-text.ts'

const STRETCH = 1 << 20

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

  /** Takes the held file over, of which `size` bytes count. */
  constructor(file: string, size: number, held: HeldFile) {
    this.#file = file
    this.#size = size
    this.#held = held
  }

  read(from: number, to: number): Buffer {
    if (this.#bytes !== undefined) return this.#bytes.subarray(from, to)
    const bytes = this.#held?.read(to - from, from)
    return bytes?.length === to - from ? bytes : corrupt(this.#file, 'it was cut short underneath')
  }

  /** Reads everything, others getting their turn in between, and lets go of the file. Never throws. */
  async readAll(): Promise<void> {
    const bytes = Buffer.allocUnsafeSlow(this.#size)
    try {
      for (let at = 0; at < this.#size; at += STRETCH) {
        await setImmediate()
        if (this.#disposed) return
        this.read(at, Math.min(at + STRETCH, this.#size)).copy(bytes, at)
      }
      this.#bytes = bytes
      this[Symbol.dispose]()
    } catch {
      // Whoever asks for an event that is gone is told then.
    }
  }

  /** Lets go of the file; what was not read by now cannot be had any more. */
  [Symbol.dispose](): void {
    this.#disposed = true
    this.#held?.close()
    this.#held = undefined
  }
}
