import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { systemCode } from '../errors.ts'
import { createFile, type FileSystem, ignoreFailedCleanup } from '../file-system.ts'

/** Between two attempts while somebody has the log open, and for how long in all: Windows replaces no open file. */
const RETRY_MS = 50
const PATIENCE_MS = 3000
const inUse: ReadonlySet<string | undefined> = new Set(['EPERM', 'EACCES', 'EBUSY'])

/**
 * Gives the log a file of its own, of the same content: whoever opened the old one writes into a file that has no name
 * any more. Only for the one who may replace it: a writer whose claim takes over and is not marked as taken yet. Does
 * nothing where there is no log. @throws the system's error; the log is whole then, the old file or the new.
 */
export async function fenceLog(fs: FileSystem, file: string): Promise<void> {
  let bytes: Buffer
  try {
    bytes = await fs.read(file)
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return
    throw error
  }
  const temporary = `${file}.${crypto.randomUUID().replaceAll('-', '').slice(0, 12)}.tmp`
  await createFile(fs, temporary, bytes)
  try {
    await replacePatiently(fs, temporary, file)
  } catch (error) {
    await fs.remove(temporary).catch(ignoreFailedCleanup)
    throw error
  }
  await fs.syncDirectory(dirname(file))
}

async function replacePatiently(fs: FileSystem, from: string, to: string): Promise<void> {
  for (let waited = 0; ; waited += RETRY_MS) {
    try {
      return await fs.replace(from, to)
    } catch (error) {
      if (process.platform !== 'win32' || !inUse.has(systemCode(error)) || waited >= PATIENCE_MS) throw error
    }
    await delay(RETRY_MS)
  }
}
