import { setImmediate } from 'node:timers/promises'
import { corrupt } from '../corrupt.ts'
import { type FilePart, type HeaderPart, type LogEncoding, type ReadEnd, readingWith } from './encoding.ts'
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
  encodeBatch: text => text,
  ...readingWith(headerOf, scanOn),
  textOf: bytes => new RawText(bytes),
  headerLine: bytes => {
    const end = bytes.indexOf(LF)
    return end < 0 ? undefined : bytes.toString('utf8', 0, end)
  },
  text: async bytes => bytes.toString('utf8'),
}

function headerOf(bytes: Buffer, file: string): HeaderPart {
  const end = bytes.indexOf(LF) + 1
  if (end === 0) corrupt(file, 'its header line is missing or was never finished')
  return { line: bytes.toString('utf8', 0, end), end }
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
