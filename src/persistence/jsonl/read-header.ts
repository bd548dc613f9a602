import type { SessionHeader } from '../../session/header.ts'
import { corrupt } from '../corrupt.ts'
import { decodeHeader } from '../decode-header.ts'
import type { FileSystem } from '../file-system.ts'
import { LONGEST_HEADER, type LogEncoding } from './encoding.ts'
import { checkPlace } from './find-log.ts'

const CHUNK = 4096

/**
 * The header of a log that lies where it belongs, by the first bytes only; `decode` says what is refused.
 * @throws `CORRUPT`, `FORMAT_UNSUPPORTED`.
 */
export async function readHeader(
  fs: FileSystem,
  root: string,
  file: string,
  encoding: LogEncoding,
  decode: (line: string, file: string) => SessionHeader = decodeHeader,
): Promise<SessionHeader> {
  const header = decode(await headerLine(fs, file, encoding), file)
  await checkPlace(fs, root, file, header)
  return header
}

async function headerLine(fs: FileSystem, path: string, encoding: LogEncoding): Promise<string> {
  const file = await fs.open(path, 'read')
  try {
    let bytes: Buffer = Buffer.alloc(0)
    while (bytes.length < LONGEST_HEADER) {
      const chunk = await file.read(Math.max(CHUNK, bytes.length), bytes.length)
      if (chunk.length === 0) break
      bytes = Buffer.concat([bytes, chunk])
      const line = encoding.headerLine(bytes, path)
      if (line !== undefined) return line
    }
  } finally {
    await file.close()
  }
  return corrupt(path, 'its header is missing or was never finished')
}
