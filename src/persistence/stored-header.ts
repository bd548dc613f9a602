import { isAbsolute as isAbsolutePosix } from 'node:path/posix'
import { isAbsolute as isAbsoluteWindows } from 'node:path/win32'
import { PlanModeError } from '../session/errors.ts'
import { SESSION_FORMAT_VERSION, type SessionHeader, sessionHeaderSchema } from '../session/header.ts'

const RETIRED_KEYS = ['sandboxMode', 'approvalPolicy']

/** A header that may be stored (session-log format, section 2), or what is wrong with it. Unknown keys are dropped. */
export function parseHeader(raw: object): SessionHeader | string {
  const retired = RETIRED_KEYS.find(key => key in raw)
  if (retired !== undefined) return `its header carries the retired key ${retired}`
  const parsed = sessionHeaderSchema.safeParse(raw)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    return `its header is malformed (${issue?.path.join('.')}: ${issue?.message})`
  }
  const { cwd } = parsed.data
  // A log may have been written on another system than this one.
  if (cwd === undefined || isAbsolutePosix(cwd) || isAbsoluteWindows(cwd)) return parsed.data
  return 'the working folder in its header is not an absolute path'
}

/** @throws `INVALID_HEADER` for one that could not be read back. */
export function checkHeader(header: SessionHeader): void {
  const foreign = header.version === SESSION_FORMAT_VERSION ? undefined : `its format version is ${header.version}`
  const parsed = foreign ?? parseHeader(header)
  if (typeof parsed !== 'string') return
  throw new PlanModeError('INVALID_HEADER', `The session "${header.id}" was refused: ${parsed}.`)
}
