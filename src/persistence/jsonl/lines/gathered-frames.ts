import { setImmediate } from 'node:timers/promises'
import { decompressFrames, decompressSmall } from '../frame-codec.ts'
import type { Place } from './line-map.ts'
import { Unpacker } from './unpacker.ts'

/** Text of one frame or more, and where each stretch of it lies. */
export interface Gathered {
  readonly text: Buffer
  readonly pieces: readonly { readonly start: number; readonly place: Place }[]
}

/** Whole frames in a row: each ends where the next begins. */
export interface Frames {
  readonly bytes: Buffer
  readonly start: number
  readonly ends: readonly number[]
  readonly file: string
  /** Of the first one, in the log. */
  readonly number: number
}

const GATHERED = 16 << 10
/** Text that is unpacked at a stretch; others get their turn in between. */
const STRETCH = 2 << 20
/** Bytes from which on a thread of its own is worth its start, what it gets at a time, and how many times ahead. */
const THREADED = 6 << 20
const BATCH = 256 << 10
const AHEAD = 4
/** What this thread does itself while the other one starts. */
const MEANWHILE = 5

/**
 * The text of whole frames, small ones gathered: a batch is often a few hundred bytes. Everything in front of a frame
 * that is damaged is given first. @throws `CORRUPT` naming the file and the frame.
 */
export async function* gatheredFrames(frames: Frames): AsyncGenerator<Gathered> {
  const { start, ends } = frames
  if ((ends.at(-1) ?? start) - start < THREADED) yield* here(frames)
  else yield* threaded(frames)
}

async function* threaded(frames: Frames): AsyncGenerator<Gathered> {
  using unpacker = new Unpacker()
  const batches = batchesOf(frames)
  const meanwhile = batches.splice(0, MEANWHILE)
  const ahead = batches.splice(0, AHEAD).map(batch => ({ batch, answer: ask(unpacker, batch) }))
  for (const batch of meanwhile) yield* here(batch)
  for (let next = ahead.shift(); next !== undefined; next = ahead.shift()) {
    const [following] = batches.splice(0, 1)
    const { batch, answer } = next
    // Without a thread, or behind a frame that it could not unpack, this one does it all, and says what is wrong.
    const { text, sizes } = await answer.catch(() => ({ text: Buffer.alloc(0), sizes: [] }))
    if (following !== undefined) ahead.push({ batch: following, answer: ask(unpacker, following) })
    const pieces: { start: number; place: Place }[] = []
    let at = batch.start
    for (let k = 0, start = 0; k < sizes.length; start += sizes[k++] ?? 0) {
      pieces.push({ start, place: { at, skip: 0 } })
      at = batch.ends[k] ?? at
    }
    yield { text, pieces }
    const { length: done } = sizes
    if (done < batch.ends.length) {
      yield* here({ ...batch, start: at, ends: batch.ends.slice(done), number: batch.number + done })
    }
  }
}

function ask(unpacker: Unpacker, { bytes, start, ends }: Frames): ReturnType<Unpacker['unpack']> {
  const relative = ends.map(end => end - start)
  return unpacker.unpack(bytes.subarray(start, ends.at(-1)), relative)
}

function batchesOf(frames: Frames): Frames[] {
  const batches: Frames[] = []
  let first = 0
  let start = frames.start
  for (let k = 0; k < frames.ends.length; k++) {
    const end = frames.ends[k] ?? start
    if (end - start < BATCH && k < frames.ends.length - 1) continue
    batches.push({ ...frames, start, ends: frames.ends.slice(first, k + 1), number: frames.number + first })
    first = k + 1
    start = end
  }
  return batches
}

async function* here({ bytes, start, ends, file, number }: Frames): AsyncGenerator<Gathered> {
  const gathering = new Gathering()
  let unpacked = 0
  for (let k = 0, at = start; k < ends.length; k++) {
    const end = ends[k] ?? at
    let text: Buffer | undefined
    try {
      text = decompressSmall(bytes.subarray(at, end), file, number + k)
    } catch (error) {
      yield gathering.take()
      throw error
    }
    if (text === undefined) {
      yield gathering.take()
      let skip = 0
      for await (const piece of decompressFrames(bytes, at, [end], file, number + k)) {
        yield { text: piece, pieces: [{ start: 0, place: { at, skip } }] }
        skip += piece.length
      }
    } else {
      gathering.add(text, at)
      unpacked += text.length
      if (gathering.size >= GATHERED) yield gathering.take()
      if (unpacked >= STRETCH) {
        unpacked = 0
        await setImmediate()
      }
    }
    at = end
  }
  yield gathering.take()
}

class Gathering {
  size = 0
  #texts: Buffer[] = []
  #pieces: { start: number; place: Place }[] = []

  add(text: Buffer, at: number): void {
    this.#pieces.push({ start: this.size, place: { at, skip: 0 } })
    this.#texts.push(text)
    this.size += text.length
  }

  take(): Gathered {
    const [only, ...others] = this.#texts
    const text = only !== undefined && others.length === 0 ? only : Buffer.concat(this.#texts, this.size)
    const gathered = { text, pieces: this.#pieces }
    this.size = 0
    this.#texts = []
    this.#pieces = []
    return gathered
  }
}
