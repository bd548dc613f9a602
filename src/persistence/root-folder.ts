import { basename, dirname, join } from 'node:path'
import { systemCode } from './errors.ts'
import { createFile, ensureDirectory, type FileSystem } from './file-system.ts'

const OWN_FOLDER = '.plan-mode'

/** The folder under which a store keeps its sessions; a new one ignores itself, so that no log is committed by accident. */
export class RootFolder {
  readonly path: string
  readonly #fs: FileSystem
  /** New folders that do not ignore themselves yet. */
  readonly #unignored = new Set<string>()

  constructor(fs: FileSystem, path: string) {
    this.#fs = fs
    this.path = path
  }

  /** Makes it unless it is there, mode 0700. @throws the system's error. */
  async make(): Promise<void> {
    const parent = dirname(this.path)
    // The workspace folder itself is never made: if it went away, saying so is right.
    if (basename(parent) === OWN_FOLDER) await this.#makeIgnored(parent, dirname(parent))
    // A `.plan-mode` that was there already is somebody's, and may not ignore itself; the new folder in it does.
    await this.#makeIgnored(this.path)
  }

  async #makeIgnored(folder: string, stopAt?: string): Promise<void> {
    if (await ensureDirectory(this.#fs, folder, stopAt)) this.#unignored.add(folder)
    if (!this.#unignored.has(folder)) return
    try {
      await createFile(this.#fs, join(folder, '.gitignore'), Buffer.from('*\n'))
    } catch (error) {
      // Somebody else's is as good, and never touched.
      if (systemCode(error) !== 'EEXIST') throw error
    }
    this.#unignored.delete(folder)
  }
}
