import { basename, dirname, join } from 'node:path'
import { PlanModeError } from '../../session/errors.ts'
import { decodeListedHeader } from '../decode-header.ts'
import { SessionPersistenceCorruptionError } from '../errors.ts'
import type { FileSystem } from '../file-system.ts'
import type { Listing, LogProblem, SessionListing } from '../persistence.ts'
import { storageError } from '../storage-error.ts'
import type { LogEncoding } from './encoding.ts'
import { encodingOfFile } from './encodings.ts'
import { entriesIn, foldersIn, otherEncoding, twice } from './find-log.ts'
import { readHeader } from './read-header.ts'

const AT_ONCE = 16

/** Every session under a root by the head of its log; what cannot be listed is a problem and hides nothing else. */
export async function listLogs(
  fs: FileSystem,
  root: string,
  encoding: LogEncoding,
  signal?: AbortSignal,
): Promise<Listing> {
  const problems: LogProblem[] = []
  const files: string[] = []
  const note = (file: string, error: unknown) => problems.push(problemOf(file, error))
  for (const project of await guarded(root, note, () => foldersIn(fs, root))) {
    signal?.throwIfAborted()
    const folder = join(root, project)
    for (const file of await guarded(folder, note, () => logsIn(fs, folder))) files.push(file)
  }
  const sessions: SessionListing[] = []
  const single = withoutDoubles(files, note)
  for (let at = 0; at < single.length; at += AT_ONCE) {
    signal?.throwIfAborted()
    await Promise.all(
      single.slice(at, at + AT_ONCE).map(async file => {
        try {
          sessions.push(await listOne(fs, root, file, encoding))
        } catch (error) {
          note(file, error)
        }
      }),
    )
  }
  return { sessions, problems: problems.sort((a, b) => (a.file < b.file ? -1 : 1)) }
}

async function guarded(
  path: string,
  note: (file: string, error: unknown) => void,
  act: () => Promise<readonly string[]>,
): Promise<readonly string[]> {
  try {
    return await act()
  } catch (error) {
    note(path, error)
    return []
  }
}

/** The logs of a project folder, readable or not: also those of the retired flat layout. */
async function logsIn(fs: FileSystem, folder: string): Promise<readonly string[]> {
  const files: string[] = []
  for (const { name, isDirectory } of await entriesIn(fs, folder)) {
    if (isDirectory) {
      const inside = await entriesIn(fs, join(folder, name))
      for (const log of inside) {
        if (isLog(log.name)) files.push(join(folder, name, log.name))
      }
    } else if (name.endsWith('.jsonl') || name.endsWith('.jsonl.zstd')) files.push(join(folder, name))
  }
  return files
}

async function listOne(fs: FileSystem, root: string, file: string, encoding: LogEncoding): Promise<SessionListing> {
  if (!isLog(file)) {
    throw new SessionPersistenceCorruptionError(
      `${file} lies in a retired layout; a log belongs in a folder of its own.`,
    )
  }
  if (basename(file) !== encoding.logName) throw otherEncoding(file, encoding)
  const header = await readHeader(fs, root, file, encoding, decodeListedHeader)
  const { mtimeMs, revision } = await fs.stat(file)
  return { header, file, mtimeMs, revision }
}

/** The folder's name is the id, so two folders of one name are two claims to one session; opening refuses both too. */
function withoutDoubles(files: readonly string[], note: (file: string, error: unknown) => void): readonly string[] {
  const claims = new Map<string, string[]>()
  for (const file of files) {
    const name = isLog(file) ? basename(dirname(file)) : file
    claims.set(name, [...(claims.get(name) ?? []), file])
  }
  const single: string[] = []
  for (const [name, all] of claims) {
    const [only, ...others] = all
    if (only !== undefined && others.length === 0) single.push(only)
    else for (const file of all) note(file, twice(name, all))
  }
  return single
}

function isLog(file: string): boolean {
  return encodingOfFile(basename(file)) !== undefined
}

function problemOf(file: string, error: unknown): LogProblem {
  const { code, message } = error instanceof PlanModeError ? error : storageError('read', file, error)
  return { file, code, message }
}
