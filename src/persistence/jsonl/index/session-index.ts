import { dirname, join } from 'node:path'
import type { SessionHeader } from '../../../session/header.ts'
import type { StoredLog } from '../../backend.ts'
import { createFile, type FileSystem, ignoreFailedCleanup } from '../../file-system.ts'
import type { LogEncoding } from '../encoding.ts'
import { JudgedLines, type KnownLines } from '../lines/judged-lines.ts'
import { hex12 } from '../log-file.ts'
import { sizeOf } from './custody.ts'
import { FileBytes } from './file-bytes.ts'
import { decodeIndex, encodeIndex, type IndexedState } from './index-file.ts'

/**
 * The sidecar of a log, `session.index` in its folder: what opening the log has found out, so that the next opening
 * costs the end of the log and not all of it. Only time is lost without it.
 *
 * It is believed only when the log's revision (device, inode, size, times of change) is exactly the one it was made at,
 * before and after it was read, and when it was made by a build that knows the same event types. Then the header is
 * read and judged as ever, nothing else is; everything that was judged at that revision holds: lines, envelopes,
 * payloads, surface. The events themselves always come from the log. Each is parsed when it is asked for, and refused
 * as damage when it is not the event that the index says. An index covers its log to the end; a log that has grown
 * since, or that has a torn tail, or events in older shapes, is read as if there were none.
 */
export const INDEX_NAME = 'session.index'

/** A log that was opened without reading it. Whoever has it lets go of `bytes`. */
export interface IndexedLog {
  readonly log: StoredLog & { readonly judged: JudgedLines; readonly revision: string }
  readonly size: number
  readonly bytes: FileBytes
}

export interface IndexPlace {
  readonly fs: FileSystem
  readonly encoding: LogEncoding
  readonly file: string
}

/** Undefined without an index of exactly this state of the log. Never throws for an index. @throws for the log. */
export async function readIndexed(
  { fs, encoding, file }: IndexPlace,
  id: string,
  readHeader: () => Promise<SessionHeader>,
): Promise<IndexedLog | undefined> {
  if (fs.hold === undefined) return undefined
  const found = await fs.read(join(dirname(file), INDEX_NAME)).catch(() => undefined)
  if (found === undefined) return undefined
  const { revision } = await fs.stat(file)
  const size = sizeOf(revision)
  const known = decodeIndex(found, { id, encoding: encoding.name, revision, size })
  if (known === undefined) return undefined
  const bytes = new FileBytes(file, size, fs.hold(file))
  try {
    const header = await readHeader()
    if ((await fs.stat(file)).revision !== revision) return letGo(bytes)
    const judged = new JudgedLines(file, id, encoding.textOf(bytes, file), size, known)
    const log = {
      file,
      header,
      judged,
      torn: false,
      revision,
      settled: true,
      get events() {
        return [...judged.stored()]
      },
    }
    return { log, size, bytes }
  } catch (error) {
    letGo(bytes)
    throw error
  }
}

/** Writes the index in one step, or leaves the old one. @throws what the system says. */
export async function writeIndex(fs: FileSystem, file: string, state: IndexedState, known: KnownLines): Promise<void> {
  const path = join(dirname(file), INDEX_NAME)
  const temporary = `${path}.${hex12()}.tmp`
  await createFile(fs, temporary, encodeIndex(state, known))
  try {
    await fs.replace(temporary, path)
  } catch (error) {
    await fs.remove(temporary).catch(ignoreFailedCleanup)
    throw error
  }
}

function letGo(bytes: FileBytes): undefined {
  bytes[Symbol.dispose]()
  return undefined
}
