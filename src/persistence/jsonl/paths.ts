import { join } from 'node:path'

/** Where a session's log lives under the root (session-log format, section 1): `<project>/<session>/<log name>`. */
export const LOG_NAME = 'session.jsonl'
export const COMPRESSED_LOG_NAME = 'session.jsonl.zstd'

const KEPT = /[A-Za-z0-9._-]/
const LONGEST_PROJECT = 251

/** Relative to the root. Throws a RangeError for an empty id or cwd. */
export function logPath(id: string, cwd: string | undefined, logName: string = LOG_NAME): string {
  return join(projectKey(cwd), sessionSegment(id), logName)
}

/** The project directory's name. Lossy on purpose: different folders may share one (section 1.1). */
export function projectKey(cwd: string | undefined): string {
  if (cwd === undefined) return '_no-cwd'
  if (cwd === '') throw new RangeError('The working folder of a session may not be empty.')
  const flat = escapeUnits(cwd.replace(/[/\\:]+/g, '-')).replace(/^-+/, '')
  return `--${(flat === '' ? 'root' : flat).slice(0, LONGEST_PROJECT)}--`
}

/** The session directory's name; reversible (section 1.2). */
export function sessionSegment(id: string): string {
  if (id === '') throw new RangeError('The id of a session may not be empty.')
  if (id === '.' || id === '..') return id.replaceAll('.', '~002E')
  return escapeUnits(id)
}

function escapeUnits(text: string): string {
  let escaped = ''
  for (let i = 0; i < text.length; i++) {
    const unit = text.charAt(i)
    escaped += KEPT.test(unit) ? unit : `~${text.charCodeAt(i).toString(16).toUpperCase().padStart(4, '0')}`
  }
  return escaped
}

/** The id a session directory's name stands for: the inverse of `sessionSegment`. */
export function idOfSegment(segment: string): string {
  return segment.replace(/~([0-9A-F]{4})/g, (_, unit: string) => String.fromCharCode(Number.parseInt(unit, 16)))
}
