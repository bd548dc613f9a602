import { setImmediate } from 'node:timers/promises'
import { corrupt } from './corrupt.ts'
import { decodeHeader } from './decode-header.ts'
import type { DecodedLog, LogEncoding } from './encoding.ts'
import { EventScan } from './event-scan.ts'
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
  decode,
  headerLine: bytes => {
    const end = bytes.indexOf(LF)
    return end < 0 ? undefined : bytes.toString('utf8', 0, end)
  },
  text: async bytes => bytes.toString('utf8'),
}

async function decode(bytes: Buffer, file: string, signal?: AbortSignal): Promise<DecodedLog> {
  const start = bytes.indexOf(LF) + 1
  if (start === 0) corrupt(file, 'its header line is missing or was never finished')
  const header = decodeHeader(bytes.toString('utf8', 0, start), file)
  const scan = new EventScan(file)
  for (let at = start; at < bytes.length; at += STRETCH) {
    if (at > start) await setImmediate()
    signal?.throwIfAborted()
    scan.feed(bytes.subarray(at, at + STRETCH))
  }
  return { header, events: scan.events, end: start + scan.kept }
}
