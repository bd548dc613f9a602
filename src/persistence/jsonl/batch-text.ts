import { constants as limits } from 'node:buffer'

const SMALLEST = 16 << 10
/** What a writer keeps between two batches at most. */
const KEPT = 512 << 10
const LF = 10
/** Bytes that one UTF-16 unit becomes at most. */
const WIDEST = 3

/**
 * The text of batches, each in the place of the one before: a log is written batch by batch, and fresh memory for each
 * costs more than its lines. Line by line: one line beyond Latin-1 would make a joined text of thousands wide.
 */
export class BatchText {
  #memory = Buffer.alloc(0)

  /** These lines in UTF-8, each with its LF. Holds until the next call. @throws for more than one string can hold. */
  of(lines: readonly string[]): Buffer {
    if (this.#memory.length > KEPT) this.#memory = Buffer.alloc(0)
    let size = 0
    for (const line of lines) {
      this.#makeRoom(line, size)
      size += this.#memory.write(line, size)
      this.#memory[size++] = LF
    }
    return this.#memory.subarray(0, size)
  }

  #makeRoom(line: string, size: number): void {
    if (size + line.length * WIDEST < this.#memory.length) return
    const needed = size + Buffer.byteLength(line) + 1
    if (needed <= this.#memory.length) return
    if (needed > limits.MAX_STRING_LENGTH) throw new Error('the batch is longer than any text can be')
    const larger = Buffer.allocUnsafeSlow(Math.max(SMALLEST, needed, 2 * this.#memory.length))
    larger.set(this.#memory.subarray(0, size))
    this.#memory = larger
  }
}
