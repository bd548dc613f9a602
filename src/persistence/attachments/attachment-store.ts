import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { PlanModeError } from '../../session/errors.ts'
import { imageFacts } from '../../session/image-facts.ts'
import type { ImageAttachment } from '../../session/messages.ts'
import { systemCode } from '../errors.ts'
import { ensureDirectory, type FileSystem, ignoreFailedCleanup, nodeFileSystem, publishFile } from '../file-system.ts'
import { RootFolder } from '../root-folder.ts'
import { storageError } from '../storage-error.ts'

/**
 * Beside the projects' folders of a root. No project is named so (session-log format, section 1.1), and no file in it
 * ends like a log, so that neither this reader nor the ancestor's takes it for one.
 */
export const ATTACHMENTS_FOLDER = '.attachments'

/** What one picture may be: bytes of its file, pixels of a side. */
export const imageBounds = { bytes: 5 * 1024 * 1024, side: 8000 } as const

export const attachmentCodes = {
  /** The bytes are no PNG, JPEG, WebP or GIF. */
  badImage: 'BAD_IMAGE',
  /** The picture is beyond `imageBounds`. */
  tooLarge: 'IMAGE_TOO_LARGE',
} as const

const MAX_NAME = 120

const extensions = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/webp': 'webp', 'image/gif': 'gif' } as const
const fileForm = /^([0-9a-f]{64})\.(png|jpg|webp|gif)$/

/**
 * The pictures of one root, by the SHA-256 of their bytes: `<root>/.attachments/<sha256>.<ext>`, mode 0600. A file is
 * written once, is shared by every session and fork that names it, and is never removed or changed here.
 */
export class AttachmentStore {
  readonly #fs: FileSystem
  readonly #root: RootFolder
  readonly #folder: string

  constructor(root: string, fs: FileSystem = nodeFileSystem) {
    this.#fs = fs
    this.#root = new RootFolder(fs, root)
    this.#folder = join(root, ATTACHMENTS_FOLDER)
  }

  /**
   * Keeps a picture; durable when it resolves, so that an event may name it. The same bytes are one file. `name` is for
   * people only. @throws PlanModeError `BAD_IMAGE`, `IMAGE_TOO_LARGE`, `STORAGE`, `NOT_WRITABLE`.
   */
  async put(bytes: Uint8Array, name?: string): Promise<ImageAttachment> {
    const attachment = judge(bytes, name)
    await this.#keep(this.locate(attachment), bytes, attachment.attachmentId)
    return attachment
  }

  /** The bytes of a picture and their file; undefined when they are missing or damaged. @throws `STORAGE`. */
  async find(attachmentId: string): Promise<{ readonly bytes: Buffer; readonly file: string } | undefined> {
    for (const extension of Object.values(extensions)) {
      const name = `${attachmentId}.${extension}`
      // An id of another program's log is no path of this store.
      if (!fileForm.test(name)) return undefined
      const bytes = await this.#read(join(this.#folder, name))
      if (bytes !== undefined && hashOf(bytes) === attachmentId) return { bytes, file: join(this.#folder, name) }
    }
    return undefined
  }

  /** The bytes of a picture; undefined when they are missing, damaged or cannot be read. */
  async read({ attachmentId }: Pick<ImageAttachment, 'attachmentId'>): Promise<Uint8Array | undefined> {
    try {
      const found = await this.find(attachmentId)
      return found && new Uint8Array(found.bytes.buffer, found.bytes.byteOffset, found.bytes.length)
    } catch (error) {
      if (error instanceof PlanModeError) return undefined
      throw error
    }
  }

  /** Where the bytes of a picture of this store are; no I/O. */
  locate({ attachmentId, mediaType }: Pick<ImageAttachment, 'attachmentId' | 'mediaType'>): string {
    return join(this.#folder, `${attachmentId}.${extensions[mediaType]}`)
  }

  /** Puts every whole picture of this store into another; resolves to how many. A damaged file is left. */
  async copyInto(other: AttachmentStore): Promise<number> {
    let copied = 0
    for (const name of await this.#names()) {
      const [, attachmentId = ''] = fileForm.exec(name) ?? []
      const found = await this.find(attachmentId)
      if (found === undefined) continue
      await other.#keep(join(other.#folder, name), found.bytes, attachmentId)
      copied++
    }
    return copied
  }

  async #names(): Promise<readonly string[]> {
    try {
      return (await this.#fs.entries(this.#folder)).map(({ name }) => name)
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return []
      throw storageError('read', this.#folder, error)
    }
  }

  async #read(file: string): Promise<Buffer | undefined> {
    try {
      return await this.#fs.read(file)
    } catch (error) {
      if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return undefined
      throw storageError('read', file, error)
    }
  }

  async #keep(file: string, bytes: Uint8Array, attachmentId: string): Promise<void> {
    try {
      await this.#root.make()
      await ensureDirectory(this.#fs, this.#folder)
      await this.#write(file, bytes, attachmentId)
    } catch (error) {
      throw storageError('write', file, error)
    }
  }

  /** A file that is there is right or damaged; a damaged one is put right, in one step. */
  async #write(file: string, bytes: Uint8Array, attachmentId: string): Promise<void> {
    const stored = await this.#read(file)
    const temporary = `${file}.${crypto.randomUUID().slice(0, 8)}.tmp`
    if (stored === undefined) await this.#publish(file, temporary, bytes)
    else if (hashOf(stored) !== attachmentId) await this.#replace(file, temporary, bytes)
    await this.#fs.syncDirectory(this.#folder)
  }

  async #publish(file: string, temporary: string, bytes: Uint8Array): Promise<void> {
    try {
      await publishFile(this.#fs, file, temporary, bytes)
    } catch (error) {
      // Another window was faster; its bytes are the same.
      if (systemCode(error) !== 'EEXIST') throw error
    }
  }

  async #replace(file: string, temporary: string, bytes: Uint8Array): Promise<void> {
    await publishFile(this.#fs, `${temporary}.new`, temporary, bytes)
    try {
      await this.#fs.replace(`${temporary}.new`, file)
    } catch (error) {
      await this.#fs.remove(`${temporary}.new`).catch(ignoreFailedCleanup)
      throw error
    }
  }
}

/** A name a person reads: one line, without characters that hide or turn others. */
function plainName(name: string | undefined): string | undefined {
  const plain = name
    ?.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_NAME)
  return plain === '' ? undefined : plain
}

function judge(bytes: Uint8Array, given: string | undefined): ImageAttachment {
  const name = plainName(given)
  const called = name === undefined ? 'The image' : `"${name}"`
  if (bytes.length > imageBounds.bytes) {
    throw new PlanModeError(
      attachmentCodes.tooLarge,
      `${called} has ${megabytes(bytes.length)}; at most ${megabytes(imageBounds.bytes)} can be sent. Make it smaller.`,
    )
  }
  const facts = imageFacts(bytes)
  if (facts === undefined) {
    throw new PlanModeError(
      attachmentCodes.badImage,
      `${called} is no PNG, JPEG, WebP or GIF image, whatever its name says. Save it as one of these first.`,
    )
  }
  const { width, height } = facts
  if (Math.max(width, height) > imageBounds.side) {
    throw new PlanModeError(
      attachmentCodes.tooLarge,
      `${called} is ${width} x ${height}; at most ${imageBounds.side} pixels a side can be sent. Make it smaller.`,
    )
  }
  const attachmentId = hashOf(bytes)
  return { attachmentId, bytes: bytes.length, ...facts, ...(name === undefined ? {} : { name }) }
}

function megabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1).replace(/\.0$/, '')} MB`
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
