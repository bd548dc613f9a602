import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import { systemCode } from './errors.ts'
import { ensureDirectory, type FileSystem, nodeFileSystem, publishFile } from './file-system.ts'
import { RootFolder } from './root-folder.ts'
import { storageError } from './storage-error.ts'

/** Beside the projects' folders of a root, as that of the attachments. */
export const FIRST_ANSWERS_FOLDER = '.first-answers'

const stored = z.strictObject({ question: z.string(), answer: z.string() })

/**
 * Questions that all windows on a root must answer alike: the first answer counts for good, whichever process gives it.
 * One small file each, made in one step and never changed.
 */
export class FirstAnswers {
  readonly #fs: FileSystem
  readonly #root: RootFolder
  readonly #folder: string

  constructor(root: string, fs: FileSystem = nodeFileSystem) {
    this.#fs = fs
    this.#root = new RootFolder(fs, root)
    this.#folder = join(root, FIRST_ANSWERS_FOLDER)
  }

  /** The answer that counts: this one, unless another was there before. Durable when it resolves. @throws `STORAGE`. */
  async settle(question: string, answer: string): Promise<string> {
    const name = createHash('sha256').update(question).digest('hex').slice(0, 32)
    const file = join(this.#folder, `${name}.json`)
    const bytes = Buffer.from(JSON.stringify({ question, answer } satisfies z.infer<typeof stored>))
    try {
      await this.#root.make()
      await ensureDirectory(this.#fs, this.#folder)
      await publishFile(this.#fs, file, `${file}.${crypto.randomUUID().slice(0, 8)}.tmp`, bytes)
      await this.#fs.syncDirectory(this.#folder)
      return answer
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw storageError('write', file, error)
    }
    return await this.#read(file)
  }

  async #read(file: string): Promise<string> {
    try {
      return stored.parse(JSON.parse((await this.#fs.read(file)).toString())).answer
    } catch (error) {
      throw storageError('read', file, error)
    }
  }
}
