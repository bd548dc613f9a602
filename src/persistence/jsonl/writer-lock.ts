import { join } from 'node:path'
import { PlanModeError } from '../../session/errors.ts'
import { storageCodes } from '../errors.ts'
import { createFile, type FileSystem, ignoreFailedCleanup } from '../file-system.ts'
import { Heartbeat } from '../heartbeat.ts'
import { type LockOptions, type LockRecord, ownRecord } from '../lock-owner.ts'
import { standingOf } from './claim-standing.ts'
import { claimsIn, highestClaim, lockPath, publishClaim, removeClaimsBelow } from './claims.ts'

const ATTEMPTS = 5

export { isWriterFree } from './claim-standing.ts'
export type { LockOptions }

/** `when-free`: only from an owner that let go, died or fell silent. `by-force`: from a live one, too. */
export type Claiming = 'when-free' | 'by-force'

/**
 * One writer per session, across processes: claim files `writer.<epoch>.lock` beside the log, created exclusively; the
 * highest epoch is the writer. Epochs only grow: a released lock stays, with `writer.<epoch>.released` beside it, and a
 * dead owner's is outbid. A claim that displaced an owner who may still be at work says so, and stands alone until
 * `writer.<epoch>.taken` says that this owner's writes reach the log no more.
 */
export class WriterLock {
  readonly epoch: number
  readonly #fs: FileSystem
  readonly #folder: string
  readonly #record: LockRecord
  readonly #abandoned: Set<string> | undefined
  readonly #heartbeat: Heartbeat
  #lost = false

  /** Only `claimWriter` makes one. */
  constructor(fs: FileSystem, folder: string, record: LockRecord, options: LockOptions) {
    this.#fs = fs
    this.#folder = folder
    this.#record = record
    this.#abandoned = options.abandoned
    this.epoch = record.epoch
    this.#heartbeat = new Heartbeat(() => fs.touch(lockPath(folder, record.epoch)), options.timers)
  }

  /** Whether an owner was displaced who may still be at work. */
  get takesOver(): boolean {
    return this.#record.takesOver ?? false
  }

  /** Says that the displaced owner's writes reach the log no more: from now on this claim may be displaced itself. */
  async taken(): Promise<void> {
    const path = lockPath(this.#folder, this.epoch)
    await createFile(this.#fs, path.replace(/lock$/, 'taken'), Buffer.alloc(0))
  }

  /**
   * @throws `WRITER_LOST` when a higher epoch was claimed; the lock is given up for good then. `LOG_GONE` when
   * something else removed the claim.
   */
  async assertHeld(): Promise<void> {
    if (this.#lost) throw this.#lostError()
    // A folder that is read while claims come and go may show neither the new one nor the old: the second look tells.
    for (let look = 0; look < 2; look++) {
      const { epoch } = await highestClaim(this.#fs, this.#folder)
      if (epoch === this.epoch) return
      if (epoch < this.epoch) continue
      this.#giveUp()
      throw this.#lostError()
    }
    throw new PlanModeError(
      storageCodes.logGone,
      `${lockPath(this.#folder, this.epoch)} was deleted by something else, so nothing is written. All of the conversation is still here; try again to put it back.`,
    )
  }

  /** Puts a claim back that something else removed. @throws as `assertHeld`, but for `LOG_GONE`. */
  async restore(): Promise<void> {
    try {
      await this.assertHeld()
    } catch (error) {
      if (!(error instanceof PlanModeError) || error.code !== storageCodes.logGone) throw error
      await publishClaim(this.#fs, this.#folder, this.#record)
      await this.assertHeld()
    }
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

  #lostError(): PlanModeError {
    return new PlanModeError(
      storageCodes.writerLost,
      `Another window took over writing ${this.#folder}. Nothing more is written from here; reopen the conversation to go on.`,
    )
  }

  #giveUp(): void {
    this.#lost = true
    this.#heartbeat[Symbol.dispose]()
  }
}

/**
 * Claims the session folder, which must exist.
 * @throws `WRITER_BUSY` while a live owner holds it, or is just taking it by force; the system's error when the folder
 * cannot be written.
 */
export async function claimWriter(
  fs: FileSystem,
  folder: string,
  options: LockOptions = {},
  claiming: Claiming = 'when-free',
): Promise<WriterLock> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const highest = await highestClaim(fs, folder)
    const standing = await standingOf(fs, folder, highest, options)
    if (standing === undefined) continue
    if (!standing.free && (claiming === 'when-free' || standing.taking)) throw busy(standing.taking)
    const record: LockRecord = {
      ...ownRecord(highest.epoch + 1, options),
      ...(standing.taking || standing.mayWork ? { takesOver: true } : {}),
    }
    if (!(await publishClaim(fs, folder, record))) continue
    if (await isConfirmed(fs, folder, record, options)) return new WriterLock(fs, folder, record, options)
  }
  throw busy(false)
}

function busy(taking: boolean): PlanModeError {
  return new PlanModeError(
    storageCodes.writerBusy,
    taking
      ? 'Another window is just taking this conversation over. It is read-only here; try again in a moment.'
      : 'Another window is writing this conversation. It is read-only here.',
  )
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
  if (confirmed) await removeClaimsBelow(fs, folder, record.epoch).catch(ignoreFailedCleanup)
  return confirmed
}
