import { accessSync, constants } from 'node:fs'
import { dirname } from 'node:path'
import { messageOf, PlanModeError } from '../../session/errors.ts'
import { SessionFormatUnsupportedError, SessionPersistenceCorruptionError, storageCodes } from '../errors.ts'
import { storageError } from '../storage-error.ts'

/** SQLite's primary result codes that mean something to a reader of the message. */
const BUSY = 5
const LOCKED = 6
const PROTOCOL = 15
const waits: ReadonlySet<number | undefined> = new Set([BUSY, LOCKED, PROTOCOL])

const PERM = 3
const READONLY = 8
const CANTOPEN = 14
/** A file that is read to the end of its sense: SQLite says ERROR for a schema it cannot follow. */
const damaged: ReadonlySet<number> = new Set([1, 11, 20, 24])
const NOT_A_DATABASE = 26
const CONSTRAINT = 19

const reasons: Readonly<Record<number, string>> = {
  7: 'the system has no memory left',
  10: 'the disk reported an input or output error',
  13: 'the disk is full',
  18: 'an event is larger than SQLite can keep',
  [BUSY]: 'another program keeps the database locked; close it or try again later',
  [LOCKED]: 'another program keeps the database locked; close it or try again later',
  [PROTOCOL]: 'another program keeps the database locked; close it or try again later',
}

/** SQLite's primary result code; undefined for every other error. */
export function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined
  return typeof error.errcode === 'number' ? error.errcode & 0xff : undefined
}

/** True when the same act may go well a moment later: somebody else has the database just now. */
export function isBusy(error: unknown): boolean {
  return waits.has(resultCode(error))
}

/** True when the connection itself is still good. */
export function sparesConnection(error: unknown): boolean {
  return error instanceof PlanModeError || isBusy(error) || resultCode(error) === CONSTRAINT
}

/** True when SQLite could not even begin: the file or its companions cannot be opened or made. */
export function isOpenFailure(error: unknown): boolean {
  const code = resultCode(error)
  return code === CANTOPEN || code === READONLY || code === PERM
}

/** What SQLite or the system said, as an error of this room that names the file. Our own errors pass unchanged. */
export function sqliteError(act: 'read' | 'write', file: string, cause: unknown): PlanModeError {
  const code = resultCode(cause)
  if (code === undefined) return storageError(act, file, cause)
  if (code === NOT_A_DATABASE) {
    return new SessionFormatUnsupportedError(
      `${file} is not an SQLite database, or its first bytes are damaged. It is left alone; move it away to start anew.`,
      { cause },
    )
  }
  if (damaged.has(code)) {
    return new SessionPersistenceCorruptionError(
      `${file} is damaged: SQLite says "${messageOf(cause)}". It is left alone; restore it from a copy, or move it away.`,
      { cause },
    )
  }
  if (isOpenFailure(cause)) return denied(act, file, cause)
  return failed(act, file, reasons[code] ?? messageOf(cause), cause)
}

/** SQLite does not say why it was refused, so the system is asked. */
function denied(act: 'read' | 'write', file: string, cause: unknown): PlanModeError {
  try {
    const wanted = act === 'write' ? constants.R_OK | constants.W_OK : constants.R_OK
    accessSync(dirname(file), wanted)
    accessSync(file, wanted)
  } catch (reason) {
    return storageError(act, file, reason)
  }
  if (act === 'read') return failed(act, file, messageOf(cause), cause)
  return new PlanModeError(storageCodes.notWritable, `${file} cannot be written: ${messageOf(cause)}.`, { cause })
}

function failed(act: 'read' | 'write', file: string, reason: string, cause: unknown): PlanModeError {
  const done = act === 'write' ? 'written' : 'read'
  return new PlanModeError(storageCodes.storage, `${file} could not be ${done}: ${reason}.`, { cause })
}
