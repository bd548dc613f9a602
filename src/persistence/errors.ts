import { PlanModeError } from '../session/errors.ts'

/** The log is intact but not for this build: a foreign format version, encoding or required event type. */
export class SessionFormatUnsupportedError extends PlanModeError {
  constructor(message: string, options?: ErrorOptions) {
    super('FORMAT_UNSUPPORTED', message, options)
  }
}

/** The log is damaged or misplaced; the message names the file, the line or event, and what is wrong. */
export class SessionPersistenceCorruptionError extends PlanModeError {
  constructor(message: string, options?: ErrorOptions) {
    super('CORRUPT', message, options)
  }
}

/** The codes of this room that callers route on, beside `FORMAT_UNSUPPORTED` and `CORRUPT`. */
export const storageCodes = {
  /** No log of that id under the root. */
  notFound: 'NOT_FOUND',
  /** A log of that id is there already. */
  alreadyExists: 'ALREADY_EXISTS',
  /** A live owner holds the session's writer lock. */
  writerBusy: 'WRITER_BUSY',
  /** Another writer took the session over; nothing more is written here, ever. */
  writerLost: 'WRITER_LOST',
  /** The log or its folder may not be written by this user. */
  notWritable: 'NOT_WRITABLE',
  /** Something else deleted a log that is open for writing, or cut it short; `rewrite` writes it anew from memory. */
  logGone: 'LOG_GONE',
  /** A batch does not start at the stored next seq. */
  notContiguous: 'NOT_CONTIGUOUS',
  /** The operating system refused a read or write; the cause says why. */
  storage: 'STORAGE',
  /** A session that is open for writing is never crash-repaired. */
  live: 'SESSION_LIVE',
  /** A session is prepared already, and only one preparation may have it. */
  reserved: 'SESSION_RESERVED',
  /** Others write the log without a pause long enough to read it. */
  unsettled: 'LOG_UNSETTLED',
  /** This backend does not have what was asked for. */
  unsupported: 'UNSUPPORTED',
  /** The store or session was disposed. */
  disposed: 'DISPOSED',
} as const

/** Errors of the operating system carry their reason in `code` (ENOENT, ENOSPC, ...). */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}
