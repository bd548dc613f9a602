import { basename, join } from 'node:path'
import { PlanModeError } from '../../session/errors.ts'
import type { SessionHeader } from '../../session/header.ts'
import {
  SessionFormatUnsupportedError,
  SessionPersistenceCorruptionError,
  storageCodes,
  systemCode,
} from '../errors.ts'
import type { Entry, FileSystem } from '../file-system.ts'
import { storageError } from '../storage-error.ts'
import type { LogEncoding } from './encoding.ts'
import { encodings } from './encodings.ts'
import { logPath, sessionSegment } from './paths.ts'

/**
 * The log of an id: every project folder may hold it, since the id alone does not tell the folder (section 1.3).
 * Undefined when none does. @throws `CORRUPT` for two logs of one id, `FORMAT_UNSUPPORTED` for one of another encoding.
 */
export async function findLog(
  fs: FileSystem,
  root: string,
  id: string,
  encoding: LogEncoding,
): Promise<string | undefined> {
  const segment = sessionSegment(id)
  const found: string[] = []
  for (const project of await foldersIn(fs, root)) {
    for (const { logName } of Object.values(encodings)) {
      const file = join(root, project, segment, logName)
      if (await isThere(fs, file)) found.push(file)
    }
  }
  if (found.length > 1) throw twice(id, found)
  const [file] = found
  if (file !== undefined && basename(file) !== encoding.logName) throw otherEncoding(file, encoding)
  return file
}

export function notFound(root: string, id: string): never {
  throw new PlanModeError(storageCodes.notFound, `There is no conversation "${id}" under ${root}.`)
}

/** For a log that the folder's own `encoding` does not read; one folder holds one encoding (section 1). */
export function otherEncoding(file: string, encoding: LogEncoding): SessionFormatUnsupportedError {
  const [is, other] = encoding.name === 'none' ? ['compressed', 'zstd'] : ['raw', 'none']
  const own = encoding.name === 'none' ? 'raw' : 'compressed'
  return new SessionFormatUnsupportedError(
    `${file} is a ${is} log in a folder of ${own} logs. It is intact and is left alone. To open it, convert it with "plan-mode log convert", or move it to an empty folder and set planMode.log.compression to "${other}" there.`,
  )
}

export function twice(id: string, files: readonly string[]): SessionPersistenceCorruptionError {
  return new SessionPersistenceCorruptionError(
    `The session "${id}" is stored more than once: ${files.join(', ')}. Move all but one of them out of the folder.`,
  )
}

/** @throws `CORRUPT` unless the file is where its header says it belongs. */
export async function checkPlace(fs: FileSystem, root: string, file: string, header: SessionHeader): Promise<void> {
  const expected = join(root, logPath(header.id, header.cwd, basename(file)))
  if (expected === file || (await samePlace(fs, expected, file))) return
  throw new SessionPersistenceCorruptionError(`${file} is misplaced: by its header it belongs at ${expected}.`)
}

async function samePlace(fs: FileSystem, a: string, b: string): Promise<boolean> {
  try {
    return (await fs.realPath(a)) === (await fs.realPath(b))
  } catch {
    // Nothing at the expected place: then this file isn't it.
    return false
  }
}

/** Names of the folders in a folder, in order; none when it isn't there. */
export async function foldersIn(fs: FileSystem, path: string): Promise<readonly string[]> {
  return (await entriesIn(fs, path)).filter(entry => entry.isDirectory).map(entry => entry.name)
}

/** In UTF-16 order of the names; empty when the folder isn't there. */
export async function entriesIn(fs: FileSystem, path: string): Promise<readonly Entry[]> {
  try {
    return [...(await fs.entries(path))].sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch (error) {
    if (isAbsent(error)) return []
    throw storageError('read', path, error)
  }
}

async function isThere(fs: FileSystem, path: string): Promise<boolean> {
  try {
    await fs.stat(path)
    return true
  } catch (error) {
    if (isAbsent(error)) return false
    throw storageError('read', path, error)
  }
}

function isAbsent(error: unknown): boolean {
  const code = systemCode(error)
  return code === 'ENOENT' || code === 'ENOTDIR'
}
