import { isObject, isSeq, type StoredEvent } from '../../session/envelope.ts'
import { parseLine } from '../decode-header.ts'
import type { Encoding } from './encoding.ts'
import { decompressFrames } from './frame-codec.ts'
import { walkFrames } from './frames.ts'
import { expandRow, isRow } from './packed-rows.ts'

const LF = 10

export interface WholeLines {
  readonly lines: readonly string[]
  /** Bytes they take; what lies behind is not finished yet. */
  readonly end: number
}

/** The finished lines in bytes of a log that begin at a line or frame. @throws `CORRUPT` naming `file`. */
export async function wholeLines(bytes: Buffer, encoding: Encoding, file: string): Promise<WholeLines> {
  if (encoding === 'none') return upToLastLine(bytes, bytes.lastIndexOf(LF) + 1)
  const { ends } = walkFrames(bytes, 0, file, 1)
  const pieces: Buffer[] = []
  for await (const piece of decompressFrames(bytes, 0, ends, file, 1)) pieces.push(piece)
  const text = Buffer.concat(pieces)
  // A line may go over frames: it counts with its last one.
  return text.at(-1) === LF ? { ...upToLastLine(text, text.length), end: ends.at(-1) ?? 0 } : { lines: [], end: 0 }
}

function upToLastLine(text: Buffer, end: number): WholeLines {
  return { lines: end === 0 ? [] : text.toString('utf8', 0, end - 1).split('\n'), end }
}

/** The events of these lines, packed rows expanded; undefined unless they follow one on the other. */
export function eventsOf(lines: readonly string[]): StoredEvent[] | undefined {
  const events: StoredEvent[] = []
  for (const line of lines) {
    const value = parseLine(line)
    if (!isObject(value)) return undefined
    const found = isRow(value) ? expandRow(value) : isSeq(value.seq) ? [{ ...value, seq: value.seq }] : undefined
    if (found === undefined) return undefined
    for (const event of found) events.push(event)
  }
  const [first] = events
  return first === undefined || events.every((event, k) => event.seq === first.seq + k) ? events : undefined
}
