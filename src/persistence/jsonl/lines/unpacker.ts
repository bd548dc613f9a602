import { Worker } from 'node:worker_threads'
import { LARGE } from '../frame-codec.ts'

/** Frames that were unpacked: their texts in one, and the size of each. Fewer than asked for when one did not unpack. */
export interface Unpacked {
  readonly text: Buffer
  readonly sizes: readonly number[]
}

/** Plain JavaScript: the product is one file, so there is none that a thread could be started from. */
const CODE = `
const { parentPort } = require('node:worker_threads')
const { zstdDecompressSync } = require('node:zlib')
parentPort.on('message', ({ bytes, ends }) => {
  const texts = []
  let size = 0
  for (let k = 0, at = 0; k < ends.length; at = ends[k++]) {
    const frame = bytes.subarray(at, ends[k])
    const chunkSize = frame.length < 2048 ? 4096 : frame.length < 16384 ? 32768 : 262144
    try {
      texts.push(zstdDecompressSync(frame, { chunkSize, maxOutputLength: ${LARGE} }))
    } catch {
      break
    }
    size += texts.at(-1).length
  }
  const text = new Uint8Array(size)
  let at = 0
  for (const each of texts) {
    text.set(each, at)
    at += each.length
  }
  parentPort.postMessage({ text, sizes: texts.map(each => each.length) }, [text.buffer])
})
`

/** A second thread that unpacks frames while this one reads what it has unpacked before. */
export class Unpacker implements Disposable {
  readonly #worker: Worker
  readonly #waiting: PromiseWithResolvers<Unpacked>[] = []
  #failure: Error | undefined

  constructor() {
    this.#worker = new Worker(CODE, { eval: true, execArgv: [] })
    this.#worker.on('message', ({ text, sizes }: { text: Uint8Array<ArrayBuffer>; sizes: number[] }) => {
      this.#waiting.shift()?.resolve({ text: Buffer.from(text.buffer, text.byteOffset, text.byteLength), sizes })
    })
    this.#worker.on('error', error => this.#fail(error))
    this.#worker.on('exit', () => this.#fail(new Error('the thread ended')))
  }

  /** Answers come in the order of the calls. `ends` are those of the frames in `bytes`. @throws without a thread. */
  unpack(bytes: Buffer, ends: readonly number[]): Promise<Unpacked> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure)
    const answer = Promise.withResolvers<Unpacked>()
    // Whoever stops early asks for no answer.
    answer.promise.catch(() => undefined)
    this.#waiting.push(answer)
    const own = new Uint8Array(bytes)
    this.#worker.postMessage({ bytes: own, ends }, [own.buffer])
    return answer.promise
  }

  [Symbol.dispose](): void {
    void this.#worker.terminate()
  }

  #fail(error: Error): void {
    this.#failure ??= error
    for (const { reject } of this.#waiting.splice(0)) reject(error)
  }
}
