import { join } from 'node:path'
import { PlanModeError } from '../../session/errors.ts'
import { SessionPersistenceCorruptionError } from '../errors.ts'
import type { Listing, LogProblem, SessionListing } from '../persistence.ts'
import { decodeHeader } from './decode.ts'
import type { FileSystem } from './file-system.ts'
import { checkPlace, compressed, entriesIn, foldersIn, twice } from './find-log.ts'
import { COMPRESSED_LOG_NAME, LOG_NAME } from './paths.ts'
import { storageError } from './storage-error.ts'

const HEADER_CHUNK = 4096
/** No header comes near this; a longer first line is no log of ours. */
const LONGEST_HEADER = 1 << 20
const AT_ONCE = 16

/** Every session under a root by its first line; what cannot be listed is a problem and hides nothing else. */
export async function listLogs(fs: FileSystem, root: string): Promise<Listing> {
  const problems: LogProblem[] = []
  const files: string[] = []
  const note = (file: string, error: unknown) => problems.push(problemOf(file, error))
  for (const project of await guarded(root, note, () => foldersIn(fs, root))) {
    const folder = join(root, project)
    for (const file of await guarded(folder, note, () => logsIn(fs, folder))) files.push(file)
  }
  const found: SessionListing[] = []
  for (let at = 0; at < files.length; at += AT_ONCE) {
    await Promise.all(
      files.slice(at, at + AT_ONCE).map(async file => {
        try {
          found.push(await listOne(fs, root, file))
        } catch (error) {
          note(file, error)
        }
      }),
    )
  }
  const sessions = withoutDoubles(found, note)
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
        if (log.name === LOG_NAME || log.name === COMPRESSED_LOG_NAME) files.push(join(folder, name, log.name))
      }
    } else if (name.endsWith('.jsonl') || name.endsWith('.jsonl.zstd')) files.push(join(folder, name))
  }
  return files
}

async function listOne(fs: FileSystem, root: string, file: string): Promise<SessionListing> {
  if (file.endsWith(COMPRESSED_LOG_NAME)) throw compressed(file)
  if (!file.endsWith(LOG_NAME)) {
    throw new SessionPersistenceCorruptionError(
      `${file} lies in a retired layout; a log belongs in a folder of its own.`,
    )
  }
  const header = decodeHeader(await firstLine(fs, file), file)
  await checkPlace(fs, root, file, header)
  const { mtimeMs } = await fs.stat(file)
  return { header, file, mtimeMs }
}

async function firstLine(fs: FileSystem, path: string): Promise<string> {
  const file = await fs.open(path, 'read')
  try {
    let bytes = Buffer.alloc(0)
    while (bytes.length < LONGEST_HEADER) {
      const chunk = await file.read(HEADER_CHUNK, bytes.length)
      if (chunk.length === 0) break
      bytes = Buffer.concat([bytes, chunk])
      const end = bytes.indexOf(10)
      if (end >= 0) return bytes.toString('utf8', 0, end)
    }
  } finally {
    await file.close()
  }
  throw new SessionPersistenceCorruptionError(`${path} is damaged: its header line is missing or was never finished.`)
}

function withoutDoubles(
  found: readonly SessionListing[],
  note: (file: string, error: unknown) => void,
): readonly SessionListing[] {
  const byId = Map.groupBy(found, listing => listing.header.id)
  const sessions: SessionListing[] = []
  for (const [id, listings] of byId) {
    const [only, ...others] = listings
    if (only !== undefined && others.length === 0) sessions.push(only)
    else
      for (const { file } of listings)
        note(
          file,
          twice(
            id,
            listings.map(listing => listing.file),
          ),
        )
  }
  return sessions
}

function problemOf(file: string, error: unknown): LogProblem {
  const { code, message } = error instanceof PlanModeError ? error : storageError('read', file, error)
  return { file, code, message }
}
