import { dirname } from 'node:path'
import { PlanModeError } from '../../session/errors.ts'
import { storageCodes, systemCode } from '../errors.ts'
import { type FileSystem, ignoreFailedCleanup, type OpenFile, publishFile, writeAll } from '../file-system.ts'
import type { WriterLock } from './writer-lock.ts'

export interface LogFileParts {
  readonly fs: FileSystem
  readonly path: string
  readonly lock: WriterLock
  /** Bytes that hold. */
  readonly size: number
  /** Something else may lie behind them. */
  readonly torn: boolean
}

/**
 * The file of a log in the hands of its writer: published whole, then one write and one sync per batch; what failed is
 * cut back.
 *
 * Every change is fenced. Whoever takes over from a writer that may be at work claims first, then gives the log a new
 * file, then reads it. So this one opens the file, then makes sure that it is still its own (the file it knows, or else
 * the claim), changes what it opened, and before a batch counts as stored looks at the claim. What comes too late
 * reaches the old file at most, and what counts was there before the next writer read the log.
 */
export class LogFile {
  readonly path: string
  readonly #fs: FileSystem
  readonly #lock: WriterLock
  #size: number
  /** Something of a failed attempt may still lie behind `#size`. */
  #dirty: boolean
  /** The file that this writer has last had a claim on. */
  #identity: string | undefined

  constructor({ fs, path, lock, size, torn }: LogFileParts) {
    this.path = path
    this.#fs = fs
    this.#lock = lock
    this.#size = size
    this.#dirty = torn
  }

  /** True when a cut is owed. */
  get dirty(): boolean {
    return this.#dirty
  }

  /** The whole log, under a name that nobody has yet. @throws `ALREADY_EXISTS`, and what the lock and the system do. */
  async publish(bytes: Uint8Array): Promise<void> {
    await this.#lock.assertHeld()
    if (this.#dirty) await this.#unpublish()
    const temporary = `${this.path}.${hex12()}.tmp`
    try {
      await publishFile(this.#fs, this.path, temporary, bytes)
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error
      throw new PlanModeError(storageCodes.alreadyExists, `${this.path} is there already; nothing was written.`)
    }
    try {
      await this.#fs.syncDirectory(dirname(this.path))
      await this.#lock.assertHeld()
    } catch (error) {
      if (isLost(error)) throw error
      this.#dirty = true
      await this.#unpublish().catch(ignoreFailedCleanup)
      throw error
    }
    this.#size = bytes.length
  }

  /** As `publish`, where the log was gone: what lies at its name now is not ours to remove. */
  async publishAnew(bytes: Uint8Array): Promise<void> {
    this.#dirty = false
    await this.publish(bytes)
  }

  /** Behind what holds. The batch is made while the system opens the file. */
  async extend(make: () => Promise<Uint8Array>): Promise<void> {
    if (this.#dirty) await this.cutBack()
    const opening = this.#fs.open(this.path, 'append')
    const making = make()
    // Where there is no file, nobody waits for its batch.
    making.catch(() => undefined)
    await closedAfter(await opening, async file => {
      const { size, identity } = await file.state()
      if (identity !== this.#identity) await this.#lock.assertHeld()
      this.#identity = identity
      if (size !== this.#size) throw this.#changed(size)
      const bytes = await making
      await this.#write(file, bytes)
      this.#size = size + bytes.length
    })
  }

  /** Back to what holds. */
  async cutBack(): Promise<void> {
    await this.#fenced('cut', async file => {
      const size = await file.size()
      if (size < this.#size) throw this.#changed(size)
      await file.truncate(this.#size)
      await file.sync()
      this.#dirty = false
    })
  }

  /**
   * What is left of the file is kept up to where `rest` says and gets behind it what `rest` gives; undefined when it is
   * nothing to go on from. False when there is no file.
   */
  async complete(rest: (bytes: Buffer) => Promise<Completion | undefined>): Promise<boolean> {
    try {
      await this.#fenced('append', async file => {
        const bytes = await this.#fs.read(this.path)
        const completion = await rest(bytes)
        if (completion === undefined) throw this.#changed(bytes.length)
        const { kept, missing } = completion
        if (bytes.length > kept) {
          await this.#fenced('cut', async cut => {
            await cut.truncate(kept)
            await cut.sync()
          })
        }
        await writeAll(file, missing)
        await file.sync()
        await this.#lock.assertHeld()
        this.#size = kept + missing.length
        this.#dirty = false
      })
      return true
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return false
      throw error
    }
  }

  /** Cut back again when it fails, unless the log is another's. */
  async #write(file: OpenFile, bytes: Uint8Array): Promise<void> {
    try {
      await writeAll(file, bytes)
      await file.sync()
      await this.#lock.assertHeld()
    } catch (error) {
      if (isLost(error)) throw error
      this.#dirty = true
      await this.cutBack().catch(ignoreFailedCleanup)
      throw error
    }
  }

  async #unpublish(): Promise<void> {
    try {
      await this.#fs.remove(this.path)
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw error
    }
    this.#dirty = false
  }

  async #fenced(how: 'append' | 'cut', act: (file: OpenFile) => Promise<void>): Promise<void> {
    await closedAfter(await this.#fs.open(this.path, how), async file => {
      await this.#lock.assertHeld()
      await act(file)
    })
  }

  #changed(size: number): PlanModeError {
    return size < this.#size
      ? new PlanModeError(
          storageCodes.logGone,
          `${this.path} was cut short by something else (${size} bytes instead of ${this.#size}). Nothing was written, and all of the conversation is still here: put the file back, or try again to write what is missing.`,
        )
      : new PlanModeError(
          storageCodes.storage,
          `${this.path} was changed by something else (${size} bytes instead of ${this.#size}). Nothing was written; put the file back or open the session anew.`,
        )
  }
}

/** How a file that was cut short becomes whole again. */
export interface Completion {
  /** Bytes of it that stay. */
  readonly kept: number
  readonly missing: Uint8Array
}

async function closedAfter(file: OpenFile, act: (file: OpenFile) => Promise<void>): Promise<void> {
  try {
    await act(file)
  } finally {
    // The batch is judged by its sync; a failing close cannot take it back.
    await file.close().catch(ignoreFailedCleanup)
  }
}

function isLost(error: unknown): boolean {
  return error instanceof PlanModeError && error.code === storageCodes.writerLost
}

export function hex12(): string {
  return crypto.randomUUID().replaceAll('-', '').slice(0, 12)
}
