import type { ToolOutcome } from '../../agent/tool.ts'
import { PlanModeError } from '../../session/errors.ts'

export type FileErrorCode =
  | 'FS_ACCESS'
  | 'FS_BAD_PATH'
  | 'FS_BINARY'
  | 'FS_CHANGED'
  | 'FS_FAILED'
  | 'FS_FORBIDDEN'
  | 'FS_IS_FOLDER'
  | 'FS_NOT_A_FILE'
  | 'FS_NOT_A_FOLDER'
  | 'FS_NOT_FOUND'
  | 'FS_NO_SUCH_LINE'
  | 'FS_OUTSIDE_WORKSPACE'
  | 'FS_TEXT_AMBIGUOUS'
  | 'FS_TEXT_NOT_FOUND'
  | 'FS_TOO_LARGE'
  | 'FS_UNSAVED'
  | 'SEARCH_BAD_GLOB'
  | 'SEARCH_BAD_PATTERN'
  | 'SEARCH_FAILED'
  | 'SEARCH_TOO_SLOW'

/** Why a workspace tool could not do its work; the message is written for the model that called it. */
export class FileError extends PlanModeError {
  declare readonly code: FileErrorCode

  constructor(code: FileErrorCode, message: string) {
    super(code, message)
  }
}

/** The errno of a system error (`ENOENT`), or undefined for anything else. */
export function errnoOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && 'syscall' in error && typeof error.code === 'string'
    ? error.code
    : undefined
}

/** True when a path names nothing: it, or a folder on the way, is not there. */
export function isMissing(error: unknown): boolean {
  const errno = errnoOf(error)
  return errno === 'ENOENT' || errno === 'ENOTDIR'
}

/** A system error in the words of the workspace; `path` is what the model named, never an absolute path of ours. */
export function fileErrorOf(error: unknown, path: string): unknown {
  const errno = errnoOf(error)
  switch (errno) {
    case undefined:
      return error
    case 'ENOENT':
    case 'ENOTDIR':
      return new FileError('FS_NOT_FOUND', `${path} does not exist.`)
    case 'EISDIR':
      return new FileError('FS_IS_FOLDER', `${path} is a folder, not a file.`)
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new FileError('FS_ACCESS', `${path} cannot be accessed: the system refuses it (${errno}).`)
    case 'ELOOP':
    case 'ENAMETOOLONG':
    case 'EINVAL':
      return new FileError('FS_BAD_PATH', `${path} is not a usable path (${errno}).`)
    default:
      return new FileError('FS_FAILED', `${path} cannot be used: the system reports ${errno}.`)
  }
}

/** Runs one tool body: file errors become failures with their code, everything else is thrown on. */
export async function fileOutcome(path: string, body: () => Promise<ToolOutcome>): Promise<ToolOutcome> {
  try {
    return await body()
  } catch (thrown) {
    const error = fileErrorOf(thrown, path)
    if (!(error instanceof FileError)) throw error
    return { kind: 'failure', text: error.message, error: { name: error.name, code: error.code } }
  }
}
