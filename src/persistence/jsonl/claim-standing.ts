import { systemCode } from '../errors.ts'
import type { FileSystem } from '../file-system.ts'
import { isAbandoned, isSilent, type LockOptions, type LockRecord, lockRecord, ownerLives } from '../lock-owner.ts'
import { type HighestClaim, highestClaim, lockPath } from './claims.ts'

/** What a claim means to the next claimer. */
export interface Standing {
  /** Its owner let go of it, is dead, or has said nothing for long. */
  readonly free: boolean
  /** Its owner may be at work, and an append of his under way. */
  readonly mayWork: boolean
  /** It displaced somebody who may be at work, and did not get as far as to fence him off. */
  readonly taking: boolean
}

/** Undefined when the claim went away since it was listed. */
export async function standingOf(
  fs: FileSystem,
  folder: string,
  claim: HighestClaim,
  options: LockOptions,
): Promise<Standing | undefined> {
  if (claim.epoch === 0) return { free: true, mayWork: false, taking: false }
  const path = lockPath(folder, claim.epoch)
  try {
    const record = parseRecord(await fs.read(path))
    // Of a claim that says nothing the worst is assumed.
    const taking = !claim.taken && (record === undefined || record.takesOver === true)
    if (claim.released || isAbandoned(record, options)) return { free: true, mayWork: false, taking }
    const lives = ownerLives(record, options)
    const free = lives === undefined ? isSilent((await fs.stat(path)).mtimeMs, options) : !lives
    return { free, mayWork: lives !== false, taking }
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error
    return claim.released ? { free: true, mayWork: false, taking: true } : undefined
  }
}

/** True when nobody alive holds the folder's lock, or there is none. */
export async function isWriterFree(fs: FileSystem, folder: string, options: LockOptions = {}): Promise<boolean> {
  // Gone since it was listed: it was released or outbid just now, so ask again later.
  return (await standingOf(fs, folder, await highestClaim(fs, folder), options))?.free ?? false
}

/** Undefined for a claim that is still being written, or was never finished. */
function parseRecord(bytes: Buffer): LockRecord | undefined {
  try {
    return lockRecord.safeParse(JSON.parse(bytes.toString('utf8'))).data
  } catch {
    return undefined
  }
}
