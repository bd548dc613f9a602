import { join } from 'node:path'
import { PlanModeError } from '../../session/errors.ts'
import { storageCodes, systemCode } from '../errors.ts'
import {
  HEARTBEAT_MS,
  type LockOptions,
  type LockRecord,
  lockRecord,
  ownerLives,
  processTable,
  SILENT_MS,
} from '../lock-owner.ts'
import { realTimers, type Timers } from '../timers.ts'
import { createFile, type FileSystem, ignoreFailedCleanup, publishFile } from './file-system.ts'

const LOCK_NAME = /^writer\.([1-9]\d{0,14})\.(lock|released)$/
const ATTEMPTS = 5

export type { LockOptions }

/**
 * One writer per session, across processes: claim files `writer.<epoch>.lock` beside the log, created exclusively; the
 * highest epoch is the writer. Epochs only grow: a released lock stays, with `writer.<epoch>.released` beside it, and a
 * dead owner's is outbid.
 */
export class WriterLock {
  readonly epoch: number
  readonly #fs: FileSystem
  readonly #folder: string
  readonly #record: LockRecord
  readonly #timers: Timers
  readonly #abandoned: Set<string> | undefined
  #heartbeat: Disposable | undefined
  #lost = false

  /** Only `claimWriter` makes one. */
  constructor(fs: FileSystem, folder: string, record: LockRecord, options: LockOptions) {
    this.#fs = fs
    this.#folder = folder
    this.#record = record
    this.#timers = options.timers ?? realTimers
    this.#abandoned = options.abandoned
    this.epoch = record.epoch
    this.#beat()
  }

  /** @throws `WRITER_LOST` when a higher epoch was claimed, or ours is gone; the lock is given up for good then. */
  async assertHeld(): Promise<void> {
    if (!this.#lost && (await highestClaim(this.#fs, this.#folder)).epoch !== this.epoch) this.#giveUp()
    if (!this.#lost) return
    throw new PlanModeError(
      storageCodes.writerLost,
      `Another window took over writing ${this.#folder}. Nothing more is written from here; reopen the conversation to go on.`,
    )
  }

  /** Leaves a tombstone, so that the next claim gets a higher epoch. Never throws. */
  async release(): Promise<void> {
    const held = !this.#lost
    this.#giveUp()
    if (!held) return
    try {
      await this.#leaveTombstone()
    } catch {
      // For other processes the lock then falls free when this one ends.
      this.#abandoned?.add(this.#record.owner)
    }
  }

  /** Beside the lock, not in its place: a folder that is read meanwhile never lacks the epoch. */
  async #leaveTombstone(): Promise<void> {
    const path = lockPath(this.#folder, this.epoch)
    const tombstone = path.replace(/lock$/, 'released')
    await this.#fs.link(path, tombstone).catch(() => createFile(this.#fs, tombstone, Buffer.alloc(0)))
  }

  #giveUp(): void {
    this.#lost = true
    this.#heartbeat?.[Symbol.dispose]()
    this.#heartbeat = undefined
  }

  #beat(): void {
    this.#heartbeat = this.#timers.after(HEARTBEAT_MS, () => void this.#touch(), 'background')
  }

  async #touch(): Promise<void> {
    // A failed touch shows at the next append, which looks at the folder itself.
    await this.#fs.touch(lockPath(this.#folder, this.epoch)).catch(ignoreFailedCleanup)
    if (!this.#lost) this.#beat()
  }
}

/**
 * Claims the session folder, which must exist.
 * @throws `WRITER_BUSY` while a live owner holds it; the system's error when the folder cannot be written.
 */
export async function claimWriter(fs: FileSystem, folder: string, options: LockOptions = {}): Promise<WriterLock> {
  const { now = Date.now, processes = processTable } = options
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const highest = await highestClaim(fs, folder)
    if (!(await isFree(fs, folder, highest, options))) break
    const record = { ...processes.self(), epoch: highest.epoch + 1, owner: crypto.randomUUID(), claimedAt: now() }
    if (!(await publish(fs, folder, record))) continue
    if (await isConfirmed(fs, folder, record, options)) return new WriterLock(fs, folder, record, options)
  }
  throw new PlanModeError(storageCodes.writerBusy, 'Another window is writing this conversation. It is read-only here.')
}

/** A claimer that read the folder long ago may have made an epoch that was used and cleaned up since: it steps back. */
async function isConfirmed(fs: FileSystem, folder: string, record: LockRecord, options: LockOptions): Promise<boolean> {
  let confirmed = false
  try {
    const [own, ...rivals] = (await claimsIn(fs, folder)).filter(claim => claim.epoch >= record.epoch)
    // Cleaning up may have taken our file away, too, so one claim alone need not be ours.
    confirmed = own !== undefined && rivals.length === 0 && join(folder, own.name) === lockPath(folder, record.epoch)
  } finally {
    if (!confirmed) {
      options.abandoned?.add(record.owner)
      await fs.remove(lockPath(folder, record.epoch)).catch(ignoreFailedCleanup)
    }
  }
  if (confirmed) await removeBelow(fs, folder, record.epoch).catch(ignoreFailedCleanup)
  return confirmed
}

/** True when nobody alive holds the folder's lock, or there is none. */
export async function isWriterFree(fs: FileSystem, folder: string, options: LockOptions = {}): Promise<boolean> {
  return isFree(fs, folder, await highestClaim(fs, folder), options)
}

async function isFree(
  fs: FileSystem,
  folder: string,
  claim: Omit<Claim, 'name'>,
  options: LockOptions,
): Promise<boolean> {
  const { now = Date.now, processes = processTable, abandoned } = options
  if (claim.released) return true
  const path = lockPath(folder, claim.epoch)
  try {
    const record = parseRecord(await fs.read(path))
    if (record !== undefined && abandoned?.has(record.owner)) return true
    const lives = record && ownerLives(record, processes)
    return lives === undefined ? now() - (await fs.stat(path)).mtimeMs > SILENT_MS : !lives
  } catch (error) {
    // Gone since it was listed: it was released or outbid just now, so ask again later.
    if (systemCode(error) === 'ENOENT') return false
    throw error
  }
}

/** Undefined for a claim that is still being written, or was never finished. */
function parseRecord(bytes: Buffer): LockRecord | undefined {
  try {
    return lockRecord.safeParse(JSON.parse(bytes.toString('utf8'))).data
  } catch {
    return undefined
  }
}

async function publish(fs: FileSystem, folder: string, record: LockRecord): Promise<boolean> {
  try {
    await publishFile(fs, lockPath(folder, record.epoch), temporaryIn(folder), toBytes(record))
    return true
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false
    throw error
  }
}

interface Claim {
  readonly name: string
  readonly epoch: number
  readonly released: boolean
}

/** Epoch 0, and free, when there was no claim yet. */
async function highestClaim(fs: FileSystem, folder: string): Promise<{ epoch: number; released: boolean }> {
  const claims = await claimsIn(fs, folder)
  const epoch = Math.max(0, ...claims.map(claim => claim.epoch))
  return { epoch, released: epoch === 0 || claims.some(claim => claim.epoch === epoch && claim.released) }
}

async function claimsIn(fs: FileSystem, folder: string): Promise<Claim[]> {
  const claims: Claim[] = []
  for (const { name } of await fs.entries(folder)) {
    const [, epoch, state] = LOCK_NAME.exec(name) ?? []
    if (epoch !== undefined) claims.push({ name, epoch: Number(epoch), released: state === 'released' })
  }
  return claims
}

async function removeBelow(fs: FileSystem, folder: string, epoch: number): Promise<void> {
  for (const old of await claimsIn(fs, folder)) {
    if (old.epoch < epoch) await fs.remove(join(folder, old.name)).catch(ignoreFailedCleanup)
  }
}

function lockPath(folder: string, epoch: number): string {
  return join(folder, `writer.${epoch}.lock`)
}

function temporaryIn(folder: string): string {
  return join(folder, `writer.${crypto.randomUUID().slice(0, 8)}.tmp`)
}

function toBytes(record: LockRecord): Uint8Array {
  return Buffer.from(`${JSON.stringify(record)}\n`)
}
