import { setImmediate } from 'node:timers/promises'
import { corrupt } from '../corrupt.ts'
import { decodeHeader } from '../decode-header.ts'
import { decodeWith, type FilePart, type LogEncoding, type ReadEnd, type ScannedLog, type SinkOf } from './encoding.ts'
import { LineScan, type LineSink } from './lines/line-scan.ts'
import { RawText } from './lines/log-text.ts'
import { LOG_NAME } from './paths.ts'

const LF = 10
/** Bytes that are read at a stretch; others get their turn in between. */
const STRETCH = 4 << 20

/** The text itself, as UTF-8. */
export const rawEncoding: LogEncoding = {
  name: 'none',
  logName: LOG_NAME,
  encode: async ([first = Buffer.alloc(0), ...others]) =>
    others.length === 0 ? first : Buffer.concat([first, ...others]),
  decode: (bytes, file, signal) => decodeWith(scan, bytes, file, signal),
  scan,
  scanOn,
  textOf: bytes => new RawText(bytes),
  headerLine: bytes => {
    const end = bytes.indexOf(LF)
    return end < 0 ? undefined : bytes.toString('utf8', 0, end)
  },
  text: async bytes => bytes.toString('utf8'),
}

async function scan<S extends LineSink>(
  bytes: Buffer,
  file: string,
  sinkOf: SinkOf<S>,
  signal?: AbortSignal,
): Promise<ScannedLog<S>> {
  const start = bytes.indexOf(LF) + 1
  if (start === 0) corrupt(file, 'its header line is missing or was never finished')
  const header = decodeHeader(bytes.toString('utf8', 0, start), file)
  const sink = sinkOf(header)
  const end = await scanOn({ bytes, from: start, base: 0 }, file, sink, signal)
  return { header, sink, end }
}

async function scanOn(
  { bytes, from, base }: FilePart,
  file: string,
  sink: LineSink,
  signal?: AbortSignal,
): Promise<ReadEnd> {
  sink.piece?.(0, { at: base + from, skip: 0 })
  const lines = new LineScan(file, sink)
  for (let at = from; at < bytes.length; at += STRETCH) {
    if (at > from) await setImmediate()
    signal?.throwIfAborted()
    lines.feed(bytes.subarray(at, at + STRETCH))
  }
  return { end: base + from + lines.kept }
}
