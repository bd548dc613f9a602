import { constants as limits } from 'node:buffer'
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { messageOf } from '../../session/errors.ts'
import { corrupt } from '../corrupt.ts'
import { SessionFormatUnsupportedError, systemCode } from '../errors.ts'

/** What this needs of the runtime; VS Code's own has it since 1.101. */
type Zstd = Pick<typeof zlib, 'zstdCompress' | 'zstdCompressSync' | 'zstdDecompressSync' | 'createZstdDecompress'>

/** @throws `FORMAT_UNSUPPORTED` in a runtime without zstd. */
export function requireZstd(runtime: Partial<Zstd> = zlib): Zstd {
  const { zstdCompress, zstdCompressSync, zstdDecompressSync, createZstdDecompress } = runtime
  if (zstdCompress && zstdCompressSync && zstdDecompressSync && createZstdDecompress) {
    return { zstdCompress, zstdCompressSync, zstdDecompressSync, createZstdDecompress }
  }
  throw new SessionFormatUnsupportedError(
    `Compressed logs need zstd, which Node.js has from 22.15 on; this is ${process.version}. Use a newer one, or raw logs (planMode.log.compression "none").`,
  )
}

/** One frame with a checksum, at the default level. */
export function compressFrame(text: Uint8Array): Promise<Buffer> {
  const params = { [zlib.constants.ZSTD_c_checksumFlag]: 1 }
  return promisify(requireZstd().zstdCompress)(text, { params })
}

/** Text that is compressed sooner than a thread of the pool has begun with it. */
const AT_ONCE = 16 << 10

/** As `compressFrame`, a small text at once; its frame does not tell its size either, as no frame of a log does. */
export function compressBatch(text: Uint8Array): Buffer | Promise<Buffer> {
  if (text.length > AT_ONCE) return compressFrame(text)
  const params = { [zlib.constants.ZSTD_c_checksumFlag]: 1, [zlib.constants.ZSTD_c_contentSizeFlag]: 0 }
  return requireZstd().zstdCompressSync(text, { params, chunkSize: text.length + FRAME_ROOM })
}

/** More than a frame of a small text that does not compress needs beside it. */
const FRAME_ROOM = 256

/** The text of one whole frame of at most `longest` bytes. @throws `CORRUPT` naming `file`. */
export function decompressFrame(frame: Uint8Array, longest: number, file: string): Buffer {
  const { zstdDecompressSync } = requireZstd()
  try {
    return zstdDecompressSync(frame, { maxOutputLength: longest })
  } catch (error) {
    return corrupt(file, `frame 1 cannot be decompressed (${messageOf(error)})`)
  }
}

/** A frame that unpacks to more is read as a stream. */
export const LARGE = 4 << 20

/**
 * The text of one whole frame, at once; undefined for a large one. The first of the log is number 1.
 * @throws `CORRUPT` naming `file` and the frame.
 */
export function decompressSmall(frame: Uint8Array, file: string, number: number): Buffer | undefined {
  if (frame.length > LARGE) return undefined
  try {
    return requireZstd().zstdDecompressSync(frame, { chunkSize: chunkFor(frame), maxOutputLength: LARGE })
  } catch (error) {
    if (systemCode(error) === 'ERR_BUFFER_TOO_LARGE') return undefined
    return corrupt(file, `frame ${number} cannot be decompressed (${messageOf(error)})`)
  }
}

/** The text of one whole frame of a log that was read before. @throws `CORRUPT` naming `file` and the place. */
export function decompressAlone(frame: Uint8Array, file: string, at: number): Buffer {
  try {
    return requireZstd().zstdDecompressSync(frame, { chunkSize: chunkFor(frame) })
  } catch (error) {
    return corrupt(file, `the frame at byte ${at} cannot be decompressed any more (${messageOf(error)})`)
  }
}

/** Buffers about as large as the text: allocating them is much of the work on a small frame. */
function chunkFor(frame: Uint8Array): number {
  return frame.length < 2048 ? 4096 : frame.length < 16_384 ? 32_768 : CHUNK
}

const CHUNK = 256 * 1024
/** A batch is one string on its way to the log. */
const LARGEST_BATCH = limits.MAX_STRING_LENGTH

/**
 * The text of the whole frames from `start` on, in chunks of any size, checksums verified. Decompressing goes on in
 * the background while a chunk is read. @throws `CORRUPT` naming `file` and the frame; the first of them is `number`.
 */
export async function* decompressFrames(
  bytes: Buffer,
  start: number,
  ends: readonly number[],
  file: string,
  number: number,
): AsyncGenerator<Buffer> {
  if (ends.length === 0) return
  const stream = requireZstd().createZstdDecompress({ chunkSize: CHUNK })
  let given = 0
  let done = 0
  // The stream takes what follows a frame in one write for rubbish, so each write is exactly one frame.
  const give = () => {
    for (let from = given === 0 ? start : (ends[given - 1] ?? start); given < ends.length; ) {
      const end = ends[given++] ?? from
      const more = stream.write(bytes.subarray(from, end), error => {
        if (!error) done++
      })
      if (!more) return void stream.once('drain', give)
      from = end
    }
    stream.end()
  }
  give()
  try {
    const texts: AsyncIterable<Buffer> = stream
    for await (const text of texts) yield text
  } catch (error) {
    // Of the stream's own: what the reader of a chunk throws doesn't come by here.
    corrupt(file, `frame ${number + done} cannot be decompressed (${messageOf(error)})`)
  } finally {
    stream.destroy()
  }
  if (done < ends.length) corrupt(file, `frame ${number + done} cannot be decompressed`)
}

/**
 * What can be had of a frame that was never finished; nothing when what is there of it is damaged, too.
 * @throws `CORRUPT` naming `file` when it unpacks to more than any batch.
 */
export async function salvageFrame(frame: Uint8Array, file: string): Promise<Buffer> {
  const stream = requireZstd().createZstdDecompress({ chunkSize: CHUNK, finishFlush: zlib.constants.ZSTD_e_flush })
  const texts: AsyncIterable<Buffer> = stream.end(frame)
  const found: Buffer[] = []
  let size = 0
  try {
    for await (const text of texts) {
      size += text.length
      if (size > LARGEST_BATCH) break
      found.push(text)
    }
  } catch {
    // It was never acknowledged, so this loses nothing that was promised.
    return Buffer.alloc(0)
  }
  if (size > LARGEST_BATCH) corrupt(file, 'its unfinished last frame unpacks to more than any batch')
  return Buffer.concat(found, size)
}
