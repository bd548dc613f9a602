import { constants as limits } from 'node:buffer'
import { PlanModeError } from '../../session/errors.ts'
import { corrupt } from '../corrupt.ts'
import { decodeHeader } from '../decode-header.ts'
import { storageCodes } from '../errors.ts'
import {
  type FilePart,
  type HeaderPart,
  LONGEST_HEADER,
  type LogEncoding,
  type ReadEnd,
  readingWith,
} from './encoding.ts'
import { compressBatch, compressFrame, decompressFrame, decompressFrames, salvageFrame } from './frame-codec.ts'
import { frameEnd, walkFrames } from './frames.ts'
import { gatheredFrames } from './lines/gathered-frames.ts'
import { LineScan, type LineSink } from './lines/line-scan.ts'
import { FrameText } from './lines/log-text.ts'
import { COMPRESSED_LOG_NAME } from './paths.ts'

const LF = 10
/** Less than of a raw log: one event of a group costs unpacking all of it. */
const GROUP = 16 << 10

/**
 * Checksummed zstd frames, one behind the other (session-log format, sections 6 and 7): the first holds the header
 * line alone, then one per batch. A line may go over whole frames, and only the last frame may be unfinished.
 */
export const zstdEncoding: LogEncoding = {
  name: 'zstd',
  logName: COMPRESSED_LOG_NAME,
  encode: async pieces => Buffer.concat(await Promise.all(pieces.map(compressFrame))),
  encodeBatch: compressBatch,
  ...readingWith(headerOf, scanOn),
  textOf: (bytes, file) => new FrameText(bytes, file),
  headerLine: (bytes, file) => headerFrame(bytes, file)?.line,
  text,
}

function headerOf(bytes: Buffer, file: string): HeaderPart {
  return headerFrame(bytes, file) ?? headless(file)
}

async function scanOn(
  { bytes, from, base }: FilePart,
  file: string,
  sink: LineSink,
  signal?: AbortSignal,
): Promise<ReadEnd> {
  const { ends, torn } = walkFrames(bytes, from, file, 2)
  const lines = new LineScan(file, sink, GROUP)
  let fed = 0
  for await (const { text, pieces } of gatheredFrames({ bytes, start: from, ends, file, number: 2 })) {
    signal?.throwIfAborted()
    for (const { start, place } of pieces) sink.piece?.(fed + start, { at: base + place.at, skip: place.skip })
    fed += text.length
    lines.feed(text)
    lines.insist(false)
  }
  lines.insist(true)
  if (torn === undefined) return { end: base + bytes.length }
  const whole = lines.kept
  const found = await salvageFrame(bytes.subarray(torn), file)
  sink.loosen?.()
  lines.feed(found)
  const salvaged = found.subarray(0, lines.kept - whole)
  return { end: base + torn, ...(salvaged.length === 0 ? {} : { salvaged }) }
}

/** Undefined while the frame is not whole. @throws `CORRUPT` unless it holds exactly one line. */
function headerFrame(bytes: Buffer, file: string): HeaderPart | undefined {
  const end = frameEnd(bytes, 0, file, 1)
  if (end === undefined) return undefined
  const line = decompressFrame(bytes.subarray(0, end), LONGEST_HEADER, file)
  if (line.indexOf(LF) !== line.length - 1) {
    // A foreign version may hold anything, and says so first.
    decodeHeader(line.toString('utf8', 0, line.indexOf(LF) + 1), file)
    corrupt(file, 'its first frame does not hold the header line alone')
  }
  return { line: line.toString('utf8'), end }
}

function headless(file: string): never {
  return corrupt(file, 'its header frame is missing or was never finished')
}

async function text(bytes: Buffer, file: string, signal?: AbortSignal): Promise<string> {
  const { ends } = walkFrames(bytes, 0, file, 1)
  if (ends.length === 0) headless(file)
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of decompressFrames(bytes, 0, ends, file, 1)) {
    signal?.throwIfAborted()
    size += piece.length
    if (size > limits.MAX_STRING_LENGTH)
      throw new PlanModeError(storageCodes.storage, `${file} is too long for one text.`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}
