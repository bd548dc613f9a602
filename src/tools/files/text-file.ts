// Files on disk: read whole, text strictly as UTF-8, written atomically.
import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { access, chmod, mkdir, open, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { FileError, isMissing } from './file-error.ts'
import type { Place } from './workspace.ts'

/** Bytes; larger files are neither read nor written by the tools. */
export const maxFileBytes = 5 * 1024 * 1024

/** `mode` holds the permission bits. A byte order mark stays part of `text`. */
export interface TextFile {
  readonly text: string
  readonly mode: number
}

/**
 * Reads a regular file. Never waits on a pipe or device and never follows a link that appeared after the check.
 * @throws FileError `FS_NOT_A_FILE`, `FS_IS_FOLDER` or `FS_TOO_LARGE`; system errors as they are.
 */
export async function readBytes(place: Place): Promise<{ readonly bytes: Buffer; readonly mode: number }> {
  // Both flags are absent on Windows, where neither pipes nor links need them.
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0)
  await using file = await open(place.real, flags)
  const facts = await file.stat()
  if (facts.isDirectory()) throw new FileError('FS_IS_FOLDER', `${place.path} is a folder, not a file.`)
  if (!facts.isFile()) throw new FileError('FS_NOT_A_FILE', `${place.path} is not a regular file.`)
  if (facts.size > maxFileBytes) throw tooLarge(place.path, facts.size)
  return { bytes: await file.readFile(), mode: facts.mode & 0o7777 }
}

/** The text of a file. @throws as `readBytes`, and FileError `FS_BINARY`. */
export async function readTextFile(place: Place): Promise<TextFile> {
  const { bytes, mode } = await readBytes(place)
  return { text: decode(bytes, place.path), mode }
}

/** Like `readTextFile`; undefined when there is nothing at that place. */
export async function readTextFileIfThere(place: Place): Promise<TextFile | undefined> {
  try {
    return await readTextFile(place)
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/**
 * Replaces or creates a file in one step (a temporary file beside it, then a rename) and keeps its permission bits.
 * Missing folders are created. A file that the system calls read-only stays so.
 */
export async function writeTextFile(place: Place, text: string, mode: number | undefined): Promise<void> {
  const folder = dirname(place.real)
  if (mode === undefined) await mkdir(folder, { recursive: true })
  else await access(place.real, constants.W_OK)
  const temporary = join(folder, `.plan-mode-${randomUUID()}.tmp`)
  try {
    await writeFile(temporary, text, { flag: 'wx' })
    if (mode !== undefined) await chmod(temporary, mode)
    await rename(temporary, place.real)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

export function tooLarge(path: string, bytes: number): FileError {
  const size = `${(bytes / 1024 / 1024).toFixed(1)} MB`
  return new FileError(
    'FS_TOO_LARGE',
    `${path} is too large (${size}; the limit is 5 MB). Use search_text to look into it.`,
  )
}

/** @throws FileError `FS_BINARY` for what is no UTF-8 text. */
export function decode(bytes: Uint8Array, path: string): string {
  const binary = new FileError('FS_BINARY', `${path} is a binary file, not UTF-8 text.`)
  if (bytes.includes(0)) throw binary
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw binary
  }
}
