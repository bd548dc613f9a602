import { type FileSystem, ignoreFailedCleanup, type OpenFile } from '../../file-system.ts'

/** The size in a revision. */
export function sizeOf(revision: string): number {
  return Number(revision.split(':')[2])
}

/**
 * Follows a log's revision through its writer's own appends: while each begins where the last one ended, nobody else
 * has touched the file, and what was judged of it before still holds.
 */
export class Custody {
  #revision: string | undefined
  #size: number
  /** The look at the revision behind the last append. */
  #following: Promise<void> = Promise.resolve()
  readonly #closing = new Set<Promise<void>>()

  constructor(revision: string | undefined) {
    this.#revision = revision
    this.#size = revision === undefined ? 0 : sizeOf(revision)
  }

  /** Bytes of the log, as far as they came by here. */
  get size(): number {
    return this.#size
  }

  /** True when this is the state in which the writer left the log. */
  async holds(revision: string): Promise<boolean> {
    await this.rest()
    return this.#revision === revision
  }

  /** Begins anew with a state that was read just now. */
  anchor(revision: string): void {
    this.#revision = revision
  }

  /** Resolves when no file is open any more. */
  async rest(): Promise<void> {
    await Promise.all(this.#closing)
  }

  /** The same calls, watched. */
  watched(fs: FileSystem): FileSystem {
    return {
      ...fs,
      open: async (path, how) => {
        const file = await fs.open(path, how)
        return how === 'append' ? this.#watched(file) : file
      },
    }
  }

  /** The looks at the revision cost no time of their own: they are made while the writer looks at its claim. */
  #watched(file: OpenFile): OpenFile {
    const state = file.state()
    const before = state.then(({ revision }) => revision)
    let begun = false
    // Whoever asks for it is told of its failure.
    before.catch(() => undefined)
    return {
      read: (length, position) => file.read(length, position),
      state: () => state,
      truncate: size => file.truncate(size),
      size: async () => (await state).size,
      write: async bytes => {
        if (!begun) await this.#begin(before)
        begun = true
        const written = await file.write(bytes)
        this.#size += written
        return written
      },
      sync: async () => {
        await file.sync()
        this.#following = this.#follow(file)
      },
      // A batch is judged by its sync, so nobody need wait for this.
      close: async () => {
        const closing = this.#close(file).finally(() => this.#closing.delete(closing))
        this.#closing.add(closing)
      },
    }
  }

  async #close(file: OpenFile): Promise<void> {
    await this.#following
    await file.close().catch(ignoreFailedCleanup)
  }

  async #begin(before: Promise<string | undefined>): Promise<void> {
    await this.#following
    if ((await before) !== this.#revision) this.#revision = undefined
  }

  async #follow(file: OpenFile): Promise<void> {
    if (this.#revision !== undefined) this.#revision = await file.revision?.().catch(() => undefined)
  }
}
