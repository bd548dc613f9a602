import { corrupt } from '../corrupt.ts'

/**
 * Where zstd frames begin and end (RFC 8878, section 3.1), by their headers alone: nothing is decompressed. Skippable
 * frames, other formats and reserved bits are refused, as session-log format section 6 asks.
 */
export interface FrameWalk {
  /** Where each whole frame ends; each begins where the one before it ends. */
  readonly ends: number[]
  /** Where the last frame begins when the bytes end inside it. */
  readonly torn: number | undefined
}

const MAGIC = 0xfd2fb528
const RESERVED_BITS = 0x18
const RLE_BLOCK = 1
const RESERVED_BLOCK = 3
const DICTIONARY_BYTES = [0, 1, 2, 4]
const CONTENT_SIZE_BYTES = [0, 2, 4, 8]

/** @throws `CORRUPT` naming `file` and the frame; `number` is that of the first frame at `from`. */
export function walkFrames(bytes: Buffer, from: number, file: string, number: number): FrameWalk {
  const ends: number[] = []
  for (let at = from; at < bytes.length; ) {
    const end = frameEnd(bytes, at, file, number + ends.length)
    if (end === undefined) return { ends, torn: at }
    ends.push(end)
    at = end
  }
  return { ends, torn: undefined }
}

/** Undefined when the bytes end inside the frame that begins at `start`. @throws `CORRUPT`. */
export function frameEnd(bytes: Buffer, start: number, file: string, number: number): number | undefined {
  if (start + 4 > bytes.length) return undefined
  if (bytes.readUInt32LE(start) !== MAGIC) corrupt(file, `frame ${number} (byte ${start}) is not a zstd frame`)
  const descriptor = bytes[start + 4]
  if (descriptor === undefined) return undefined
  if ((descriptor & RESERVED_BITS) !== 0) corrupt(file, `frame ${number} (byte ${start}) uses reserved bits`)
  const end = blocksEnd(bytes, start + headerSize(descriptor), file, number)
  if (end === undefined) return undefined
  const checksum = (descriptor & 4) === 0 ? 0 : 4
  return end + checksum > bytes.length ? undefined : end + checksum
}

/** Of magic, descriptor, window, dictionary id and content size. */
function headerSize(descriptor: number): number {
  const single = (descriptor & 0x20) !== 0
  const contentSize = CONTENT_SIZE_BYTES[descriptor >> 6] ?? 0
  const window = single ? 0 : 1
  return 5 + window + (DICTIONARY_BYTES[descriptor & 3] ?? 0) + (single && contentSize === 0 ? 1 : contentSize)
}

function blocksEnd(bytes: Buffer, from: number, file: string, number: number): number | undefined {
  for (let at = from; at + 3 <= bytes.length; ) {
    const header = bytes.readUIntLE(at, 3)
    const type = (header >> 1) & 3
    if (type === RESERVED_BLOCK) corrupt(file, `frame ${number} (byte ${at}) holds a block of a reserved type`)
    at += 3 + (type === RLE_BLOCK ? 1 : header >> 3)
    if (at > bytes.length) return undefined
    if ((header & 1) !== 0) return at
  }
  return undefined
}
