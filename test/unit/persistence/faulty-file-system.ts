import { type FileSystem, nodeFileSystem, type OpenFile } from '../../../src/persistence/file-system.ts'

/** The real file system, counting its calls and failing those it is told to. */
export class FaultyFileSystem {
  /** What was called so far, in order: the operation's name. */
  readonly calls: string[] = []
  readonly fileSystem: FileSystem
  #fails: (operation: string, index: number) => string | undefined = () => undefined
  #shortWrites = false
  #pause: { readonly index: number; readonly reached: () => void; readonly until: Promise<void> } | undefined

  constructor() {
    this.fileSystem = {
      makeDirectory: path => this.#call('makeDirectory', () => nodeFileSystem.makeDirectory(path)),
      entries: path => this.#call('entries', () => nodeFileSystem.entries(path)),
      read: path => this.#call('read', () => nodeFileSystem.read(path)),
      stat: path => this.#call('stat', () => nodeFileSystem.stat(path)),
      realPath: path => this.#call('realPath', () => nodeFileSystem.realPath(path)),
      open: (path, how) => this.#call(`open ${how}`, async () => this.#file(await nodeFileSystem.open(path, how))),
      link: (from, to) => this.#call('link', () => nodeFileSystem.link(from, to)),
      replace: (from, to) => this.#call('replace', () => nodeFileSystem.replace(from, to)),
      remove: path => this.#call('remove', () => nodeFileSystem.remove(path)),
      touch: path => this.#call('touch', () => nodeFileSystem.touch(path)),
      syncDirectory: path => this.#call('syncDirectory', () => nodeFileSystem.syncDirectory(path)),
      // Never tells anything, so that looking now and then has to do.
      watch: () => ({ [Symbol.dispose]: () => {} }),
    }
  }

  /** `decide` gives the system's error code for a call that shall fail; `index` counts from now. */
  failWhen(decide: (operation: string, index: number) => string | undefined): void {
    const from = this.calls.length
    this.#fails = (operation, index) => decide(operation, index - from)
  }

  /** Every write takes half of what it is given, then the call behind it is judged by `failWhen` as usual. */
  writeInHalves(): void {
    this.#shortWrites = true
  }

  /** Holds the call of that index, counted from now, until it is resumed, as a process that is frozen there. */
  pauseAt(index: number): { readonly reached: Promise<void>; readonly resume: () => void } {
    const { promise: reached, resolve } = Promise.withResolvers<void>()
    const { promise: until, resolve: resume } = Promise.withResolvers<void>()
    this.#pause = { index: this.calls.length + index, reached: resolve, until }
    return { reached, resume }
  }

  heal(): void {
    this.#fails = () => undefined
    this.#shortWrites = false
  }

  #file(file: OpenFile): OpenFile {
    return {
      read: (length, position) => this.#call('readAt', () => file.read(length, position)),
      write: bytes =>
        this.#call('write', () => {
          const half = Math.max(1, Math.floor(bytes.length / 2))
          return file.write(this.#shortWrites ? bytes.subarray(0, half) : bytes)
        }),
      size: () => this.#call('size', () => file.size()),
      state: () => this.#call('size', () => file.state()),
      truncate: size => this.#call('truncate', () => file.truncate(size)),
      sync: () => this.#call('sync', () => file.sync()),
      close: async () => {
        // A close that fails still frees the handle, as the system's does.
        await file.close()
        await this.#call('close', async () => {})
      },
    }
  }

  async #call<T>(operation: string, act: () => Promise<T>): Promise<T> {
    const index = this.calls.length
    const code = this.#fails(operation, index)
    this.calls.push(operation)
    if (this.#pause?.index === index) {
      this.#pause.reached()
      await this.#pause.until
    }
    if (code !== undefined) throw Object.assign(new Error(`${code}: ${operation}`), { code })
    return act()
  }
}
