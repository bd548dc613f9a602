import { join } from 'node:path'
import { systemCode } from '../errors.ts'
import { type FileSystem, ignoreFailedCleanup, publishFile } from '../file-system.ts'
import type { LockRecord } from '../lock-owner.ts'

const LOCK_NAME = /^writer\.([1-9]\d{0,14})\.(lock|released|taken)$/

/** One of the files beside a log that say who may write it. */
export interface Claim {
  readonly name: string
  readonly epoch: number
  readonly state: string
}

/** The claim that counts: of all that lie in the folder the one with the highest epoch. */
export interface HighestClaim {
  /** 0 when there was no claim yet. */
  readonly epoch: number
  readonly released: boolean
  readonly taken: boolean
}

export async function claimsIn(fs: FileSystem, folder: string): Promise<Claim[]> {
  const claims: Claim[] = []
  for (const { name } of await fs.entries(folder)) {
    const [, epoch, state] = LOCK_NAME.exec(name) ?? []
    if (epoch !== undefined && state !== undefined) claims.push({ name, epoch: Number(epoch), state })
  }
  return claims
}

export async function highestClaim(fs: FileSystem, folder: string): Promise<HighestClaim> {
  const claims = await claimsIn(fs, folder)
  const epoch = Math.max(0, ...claims.map(claim => claim.epoch))
  const is = (state: string) => claims.some(claim => claim.epoch === epoch && claim.state === state)
  return { epoch, released: is('released'), taken: is('taken') }
}

/** False when somebody else has made a claim of this epoch. */
export async function publishClaim(fs: FileSystem, folder: string, record: LockRecord): Promise<boolean> {
  const temporary = join(folder, `writer.${crypto.randomUUID().slice(0, 8)}.tmp`)
  try {
    await publishFile(fs, lockPath(folder, record.epoch), temporary, Buffer.from(`${JSON.stringify(record)}\n`))
    return true
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false
    throw error
  }
}

export async function removeClaimsBelow(fs: FileSystem, folder: string, epoch: number): Promise<void> {
  for (const old of await claimsIn(fs, folder)) {
    if (old.epoch < epoch) await fs.remove(join(folder, old.name)).catch(ignoreFailedCleanup)
  }
}

export function lockPath(folder: string, epoch: number): string {
  return join(folder, `writer.${epoch}.lock`)
}
