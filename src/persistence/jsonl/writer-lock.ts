import { join } from 'node:path'
import { PlanModeError } from '../../session/errors.ts'
import { storageCodes, systemCode } from '../errors.ts'
import { createFile, type FileSystem, ignoreFailedCleanup, publishFile } from '../file-system.ts'
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

const LOCK_NAME = /^writer\.([1-9]\d{0,14})\.(lock|released|taken)$/
const ATTEMPTS = 5

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
      await publish(this.#fs, this.#folder, this.#record)
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
 * @throws `WRITER_BUSY` while a live owner holds it, or is just taking it by force; the system's error when the folder
 * cannot be written.
 */
export async function claimWriter(
  fs: FileSystem,
  folder: string,
  options: LockOptions = {},
  claiming: Claiming = 'when-free',
): Promise<WriterLock> {
  const { now = Date.now, processes = processTable } = options
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const highest = await highestClaim(fs, folder)
    const standing = await standingOf(fs, folder, highest, options)
    if (standing === undefined) continue
    if (!standing.free && (claiming === 'when-free' || standing.taking)) throw busy(standing.taking)
    const record: LockRecord = {
      ...processes.self(),
      epoch: highest.epoch + 1,
      owner: crypto.randomUUID(),
      claimedAt: now(),
      ...(standing.taking || standing.mayWork ? { takesOver: true } : {}),
    }
    if (!(await publish(fs, folder, record))) continue
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
  if (confirmed) await removeBelow(fs, folder, record.epoch).catch(ignoreFailedCleanup)
  return confirmed
}

/** True when nobody alive holds the folder's lock, or there is none. */
export async function isWriterFree(fs: FileSystem, folder: string, options: LockOptions = {}): Promise<boolean> {
  // Gone since it was listed: it was released or outbid just now, so ask again later.
  return (await standingOf(fs, folder, await highestClaim(fs, folder), options))?.free ?? false
}

/** What a claim means to the next claimer. */
interface Standing {
  /** Its owner let go of it, is dead, or has said nothing for long. */
  readonly free: boolean
  /** Its owner may be at work, and an append of his under way. */
  readonly mayWork: boolean
  /** It displaced somebody who may be at work, and did not get as far as to fence him off. */
  readonly taking: boolean
}

/** Undefined when the claim went away since it was listed. */
async function standingOf(
  fs: FileSystem,
  folder: string,
  claim: Highest,
  options: LockOptions,
): Promise<Standing | undefined> {
  if (claim.epoch === 0) return { free: true, mayWork: false, taking: false }
  const { now = Date.now, processes = processTable, abandoned } = options
  const path = lockPath(folder, claim.epoch)
  try {
    const record = parseRecord(await fs.read(path))
    // Of a claim that says nothing the worst is assumed.
    const taking = !claim.taken && (record === undefined || record.takesOver === true)
    if (claim.released || (record !== undefined && abandoned?.has(record.owner))) {
      return { free: true, mayWork: false, taking }
    }
    const lives = record && ownerLives(record, processes)
    const free = lives === undefined ? now() - (await fs.stat(path)).mtimeMs > SILENT_MS : !lives
    return { free, mayWork: lives !== false, taking }
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error
    return claim.released ? { free: true, mayWork: false, taking: true } : undefined
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
  readonly state: string
}

interface Highest {
  readonly epoch: number
  readonly released: boolean
  readonly taken: boolean
}

/** Epoch 0 when there was no claim yet. */
async function highestClaim(fs: FileSystem, folder: string): Promise<Highest> {
  const claims = await claimsIn(fs, folder)
  const epoch = Math.max(0, ...claims.map(claim => claim.epoch))
  const is = (state: string) => claims.some(claim => claim.epoch === epoch && claim.state === state)
  return { epoch, released: is('released'), taken: is('taken') }
}

async function claimsIn(fs: FileSystem, folder: string): Promise<Claim[]> {
  const claims: Claim[] = []
  for (const { name } of await fs.entries(folder)) {
    const [, epoch, state] = LOCK_NAME.exec(name) ?? []
    if (epoch !== undefined && state !== undefined) claims.push({ name, epoch: Number(epoch), state })
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
