import type { SessionHeader } from '../../session/header.ts'
import { SessionPersistenceCorruptionError } from '../errors.ts'
import { decodeHeader } from './decode.ts'
import type { FileSystem } from './file-system.ts'
import { checkPlace } from './find-log.ts'

const CHUNK = 4096
/** No header comes near this; a longer first line is no log of ours. */
const LONGEST = 1 << 20

/** The header of a log that lies where it belongs, by its first line only. @throws `CORRUPT`, `FORMAT_UNSUPPORTED`. */
export async function readHeader(fs: FileSystem, root: string, file: string): Promise<SessionHeader> {
  const header = decodeHeader(await firstLine(fs, file), file)
  await checkPlace(fs, root, file, header)
  return header
}

async function firstLine(fs: FileSystem, path: string): Promise<string> {
  const file = await fs.open(path, 'read')
  try {
    let bytes = Buffer.alloc(0)
    while (bytes.length < LONGEST) {
      const chunk = await file.read(CHUNK, bytes.length)
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
