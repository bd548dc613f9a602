import { messageOf, PlanModeError } from '../session/errors.ts'
import { storageCodes, systemCode } from './errors.ts'

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'your disk quota is used up',
  EIO: 'the disk reported an input or output error',
  ENOENT: 'it is not there any more',
  ENOTDIR: 'a part of its path is not a folder',
  ENAMETOOLONG: 'its name is too long for this file system',
  EMFILE: 'too many files are open',
}
const denied: ReadonlySet<string | undefined> = new Set(['EACCES', 'EPERM', 'EROFS'])

/** What the system said, as an error of this room that names the file. Errors of this project pass unchanged. */
export function storageError(act: 'read' | 'write', file: string, cause: unknown): PlanModeError {
  if (cause instanceof PlanModeError) return cause
  const code = systemCode(cause)
  if (denied.has(code)) {
    return new PlanModeError(
      act === 'write' ? storageCodes.notWritable : storageCodes.storage,
      `${file} cannot be ${act === 'write' ? 'written' : 'read'}: permission is missing (${code}).`,
      { cause },
    )
  }
  const reason = (code === undefined ? undefined : reasons[code]) ?? messageOf(cause)
  return new PlanModeError(
    storageCodes.storage,
    `${file} could not be ${act === 'write' ? 'written' : 'read'}: ${reason}.`,
    {
      cause,
    },
  )
}
