import { isObject } from '../session/envelope.ts'
import { SESSION_FORMAT_VERSION, type SessionHeader } from '../session/header.ts'
import { corrupt } from './corrupt.ts'
import { SessionFormatUnsupportedError } from './errors.ts'
import { parseHeader } from './stored-header.ts'

/**
 * The header line of a log (session-log format, section 2); its version is judged before anything else of it.
 * @throws `FORMAT_UNSUPPORTED` for a foreign version, `CORRUPT`, each naming `file`.
 */
export function decodeHeader(line: string, file: string): SessionHeader {
  const raw = objectOf(line, file)
  if (isForeign(raw)) throw foreignVersion(raw.version, file)
  return headerOf(raw, file)
}

/** As `decodeHeader`, for a listing: a foreign version is listed as long as its header is well-formed (section 1.3). */
export function decodeListedHeader(line: string, file: string): SessionHeader {
  const raw = objectOf(line, file)
  const parsed = parseHeader(raw)
  if (typeof parsed === 'string' && isForeign(raw)) throw foreignVersion(raw.version, file)
  return headerOf(raw, file)
}

function objectOf(line: string, file: string): object {
  const raw = parseLine(line)
  return raw === unparsable || !isObject(raw) ? corrupt(file, 'its first line is not a session header') : raw
}

function headerOf(raw: object, file: string): SessionHeader {
  const parsed = parseHeader(raw)
  return typeof parsed === 'string' ? corrupt(file, parsed) : parsed
}

function isForeign(raw: object): raw is { version: number } {
  return 'version' in raw && typeof raw.version === 'number' && raw.version !== SESSION_FORMAT_VERSION
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

export const unparsable = Symbol('unparsable')

/** The value of a line, or `unparsable`. */
export function parseLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    // A line that is no JSON is an answer here, not a failure.
    return unparsable
  }
}
