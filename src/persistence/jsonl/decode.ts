import { isObject, type StoredEvent } from '../../session/envelope.ts'
import { SESSION_FORMAT_VERSION, type SessionHeader } from '../../session/header.ts'
import { SessionFormatUnsupportedError, SessionPersistenceCorruptionError } from '../errors.ts'
import { parseHeader } from '../stored-header.ts'
import { expandRow, isRow } from './packed-rows.ts'

/** Bytes of a raw log to header and events (session-log format, sections 2, 2.1, 5, 6 and 7). */
const LF = 10

export interface DecodedLog {
  readonly header: SessionHeader
  readonly events: StoredEvent[]
  /** Bytes up to the end of the last kept line; anything behind it is a torn tail. */
  readonly end: number
}

/** @throws `CORRUPT` or `FORMAT_UNSUPPORTED` naming `file` and the line. */
export function decodeLog(bytes: Buffer, file: string): DecodedLog {
  const headerEnd = bytes.indexOf(LF) + 1
  if (headerEnd === 0) corrupt(file, 'its header line is missing or was never finished')
  const header = decodeHeader(bytes.toString('utf8', 0, headerEnd), file)
  return { header, ...decodeEvents(bytes, headerEnd, file) }
}

/** Judges the version before anything else of the header. */
export function decodeHeader(line: string, file: string): SessionHeader {
  const raw = parseLine(line)
  if (raw === unparsable || !isObject(raw)) corrupt(file, 'its first line is not a session header')
  if (typeof raw.version === 'number' && raw.version !== SESSION_FORMAT_VERSION) throw foreignVersion(raw.version, file)
  const parsed = parseHeader(raw)
  return typeof parsed === 'string' ? corrupt(file, parsed) : parsed
}

function foreignVersion(version: number, file: string): SessionFormatUnsupportedError {
  const which = version > SESSION_FORMAT_VERSION ? 'newer' : 'older'
  const advice =
    which === 'newer'
      ? 'Upgrade this extension to open it.'
      : 'There is no upgrade path from it; the log is left alone.'
  return new SessionFormatUnsupportedError(
    `${file} has the ${which} format version ${version}; this version reads ${SESSION_FORMAT_VERSION}. ${advice}`,
  )
}

/** The contiguous prefix. A problem behind which a turn still ends is damage; one at the end is a torn tail. */
function decodeEvents(bytes: Buffer, from: number, file: string): { events: StoredEvent[]; end: number } {
  const events: StoredEvent[] = []
  let end = from
  let problem: string | undefined
  for (let start = from, line = 2; ; line++) {
    const stop = bytes.indexOf(LF, start)
    if (stop < 0) break
    const value = parseLine(bytes.toString('utf8', start, stop))
    start = stop + 1
    if (value === null) corrupt(file, `line ${line} is null`)
    if (problem === undefined) {
      problem = keep(value, events)
      if (problem === undefined) end = start
      else problem = `line ${line} ${problem}`
    }
    if (problem !== undefined && isObject(value) && value.type === 'turn/end') corrupt(file, problem)
  }
  return { events, end }
}

/** Adds the line's events, or says why they do not continue the log. */
function keep(value: unknown, events: StoredEvent[]): string | undefined {
  if (value === unparsable) return 'is not JSON'
  if (!isObject(value)) return `is not event ${events.length}`
  if (!isRow(value)) {
    if (!hasSeq(value, events.length)) return `is not event ${events.length}`
    events.push(value)
    return undefined
  }
  const members = expandRow(value)
  if (members === undefined) return 'is a malformed row of chunks'
  if (members[0]?.seq !== events.length) return `is not event ${events.length}`
  for (const member of members) events.push(member)
  return undefined
}

function hasSeq(value: { readonly [key: string]: unknown }, seq: number): value is StoredEvent {
  return value.seq === seq
}

const unparsable = Symbol('unparsable')

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    // A line that is no JSON is an answer here, not a failure.
    return unparsable
  }
}

function corrupt(file: string, problem: string): never {
  throw new SessionPersistenceCorruptionError(`${file} is damaged: ${problem}.`)
}
