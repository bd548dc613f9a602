import { isDeepStrictEqual } from 'node:util'
import type { SessionEvent } from '../../session/events.ts'
import type { SessionHeader } from '../../session/header.ts'
import { Upgrade } from '../../session/upgrade.ts'
import { parseLine } from '../decode-header.ts'
import type { LogEncoding } from './encoding.ts'
import { eventsOf, wholeLines } from './whole-lines.ts'

/** How much of a log its file still holds. */
export interface Remains {
  /** Bytes to keep; 0 when even the header has to be written again. */
  readonly kept: number
  /** The first event that is missing. */
  readonly from: number
}

/** What is left of a log that was cut short; undefined when the file holds anything but a beginning of that log. */
export async function remainsOf(
  bytes: Buffer,
  header: SessionHeader,
  events: readonly SessionEvent[],
  encoding: LogEncoding,
  file: string,
): Promise<Remains | undefined> {
  const { lines, end } = await wholeLines(bytes, encoding.name, file)
  const [first, ...rest] = lines
  if (first === undefined) return (await isCutHeader(bytes, header, encoding)) ? { kept: 0, from: 0 } : undefined
  const stored = eventsOf(rest)
  if (stored === undefined || stored.length > events.length || !isDeepStrictEqual(parseLine(first), header)) {
    return undefined
  }
  const upgrade = new Upgrade(header.id)
  const same = stored.every((event, seq) => isDeepStrictEqual(upgrade.apply(event), events[seq]))
  return same ? { kept: end, from: stored.length } : undefined
}

async function isCutHeader(bytes: Buffer, header: SessionHeader, encoding: LogEncoding): Promise<boolean> {
  const whole = await encoding.encode([Buffer.from(`${JSON.stringify(header)}\n`)])
  return bytes.equals(whole.subarray(0, bytes.length))
}
