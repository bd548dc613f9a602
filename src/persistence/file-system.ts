import { type BigIntStats, closeSync, constants, fstatSync, openSync, read, readSync, watch } from 'node:fs'
import {
  type FileHandle,
  link,
  mkdir,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  stat,
  unlink,
  utimes,
} from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { systemCode } from './errors.ts'

const readAsync = promisify(read)

/** The file-system calls this backend makes, one by one, so that each can be made to fail in a test. */
export interface FileSystem {
  /** One level, mode 0700. @throws EEXIST, ENOENT without its parent. */
  makeDirectory(path: string): Promise<void>
  entries(path: string): Promise<readonly Entry[]>
  read(path: string): Promise<Buffer>
  stat(path: string): Promise<FileStat>
  realPath(path: string): Promise<string>
  /** `create` is exclusive, mode 0600; the others never create. Only a file that is open to `cut` can be truncated. */
  open(path: string, how: 'create' | 'append' | 'cut' | 'read'): Promise<OpenFile>
  link(from: string, to: string): Promise<void>
  /** Puts one file in another's place, in one step. Windows refuses while anybody has the other one open. */
  replace(from: string, to: string): Promise<void>
  remove(path: string): Promise<void>
  /** Sets the modification time to now. */
  touch(path: string): Promise<void>
  syncDirectory(path: string): Promise<void>
  /** Calls back soon after something in the folder changed, where the system tells; whoever watches looks by himself, too. */
  watch(path: string, onChange: () => void): Disposable
  /** The file as it is now, for reading at once; what is put in its place later does not matter. */
  hold?(path: string): HeldFile
}

/** Whoever holds a file closes it, when nothing is being read any more. */
export interface HeldFile {
  /** Up to `length` bytes from `position`; fewer only at the end. Synchronous: an event that is asked for cannot wait. */
  read(length: number, position: number): Buffer
  /** The same into `bytes`, from `position` of the file, while others go on; resolves with how many there were. */
  readInto(bytes: Uint8Array, position: number): Promise<number>
  close(): void
}

export interface Entry {
  readonly name: string
  readonly isDirectory: boolean
}

export interface FileStat {
  readonly mtimeMs: number
  /** Changes with every change of the file (session-log format, section 18): `dev:ino:size:mtimeNs:ctimeNs`. */
  readonly revision: string
  /** Tells one file from another that takes its name later: `dev:ino`. */
  readonly identity: string
}

export interface FileState {
  readonly size: number
  /** As `FileStat.revision`. */
  readonly revision: string
  /** Of this file alone: no file that takes its name later, or its number once it is gone, has the same. */
  readonly identity: string
}

export interface OpenFile {
  /** Up to `length` bytes from `position`; fewer only at the end. */
  read(length: number, position: number): Promise<Buffer>
  /** How many bytes were written, which may be fewer than given. */
  write(bytes: Uint8Array): Promise<number>
  size(): Promise<number>
  state(): Promise<FileState>
  /** As `FileStat.revision`, of the file that is open. */
  revision?(): Promise<string>
  truncate(size: number): Promise<void>
  sync(): Promise<void>
  close(): Promise<void>
}

/** A log is a plain file: a link is not followed, a pipe is not waited for. Windows has neither flag. */
const PLAIN = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

const flags = {
  create: constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL,
  append: constants.O_WRONLY | constants.O_APPEND | PLAIN,
  // Windows truncates no file that is open to append.
  cut: constants.O_WRONLY | PLAIN,
  read: constants.O_RDONLY | PLAIN,
}

export const nodeFileSystem: FileSystem = {
  makeDirectory: path => mkdir(path, { mode: 0o700 }),
  entries: async path => {
    const found = await readdir(path, { withFileTypes: true })
    return found.map(entry => ({ name: entry.name, isDirectory: entry.isDirectory() || entry.isSymbolicLink() }))
  },
  read: path => readFile(path, { flag: flags.read }),
  stat: async path => statOf(await stat(path, { bigint: true })),
  realPath: path => realpath(path),
  open: async (path, how) => openFile(await open(path, flags[how], 0o600)),
  link,
  replace: rename,
  remove: unlink,
  touch: path => utimes(path, new Date(), new Date()),
  syncDirectory: async path => {
    // Windows neither can nor needs to sync a directory.
    if (process.platform === 'win32') return
    const directory = await open(path, constants.O_RDONLY)
    try {
      await directory.sync()
    } finally {
      await directory.close()
    }
  },
  watch: (path, onChange) => {
    try {
      const watcher = watch(path, { persistent: false }, () => onChange())
      watcher.on('error', () => watcher.close())
      return { [Symbol.dispose]: () => watcher.close() }
    } catch {
      // No watch is left, or the folder is gone: looking now and then has to do.
      return { [Symbol.dispose]: () => {} }
    }
  },
  hold: holdFile,
}

function statOf({ dev, ino, size, mtimeNs, ctimeNs, mtimeMs }: BigIntStats): FileStat {
  const identity = `${dev}:${ino}`
  return { mtimeMs: Number(mtimeMs), revision: [identity, size, mtimeNs, ctimeNs].join(':'), identity }
}

function holdFile(path: string): HeldFile {
  const descriptor = openSync(path, flags.read)
  return {
    read: (length, position) => {
      const bytes = Buffer.allocUnsafe(length)
      let read = 0
      for (let got = -1; got !== 0 && read < length; read += got) {
        got = readSync(descriptor, bytes, read, length - read, position + read)
      }
      return bytes.subarray(0, read)
    },
    readInto: async (bytes, position) => (await readAsync(descriptor, bytes, 0, bytes.length, position)).bytesRead,
    close: () => closeSync(descriptor),
  }
}

function openFile(handle: FileHandle): OpenFile {
  return {
    read: async (length, position) => {
      const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(length), 0, length, position)
      return buffer.subarray(0, bytesRead)
    },
    write: async bytes => (await handle.write(bytes)).bytesWritten,
    size: async () => (await handle.stat()).size,
    state: async () => {
      // At once: what the system knows of a file that is open costs less than a turn of the thread pool.
      const found = fstatSync(handle.fd, { bigint: true })
      const { revision, identity } = statOf(found)
      return { size: Number(found.size), revision, identity: `${identity}:${found.birthtimeNs}` }
    },
    revision: async () => statOf(fstatSync(handle.fd, { bigint: true })).revision,
    truncate: size => handle.truncate(size),
    sync: () => handle.sync(),
    close: () => handle.close(),
  }
}

/** Writes all of it, however the system cuts it up. */
export async function writeAll(file: OpenFile, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const written = await file.write(bytes.subarray(at))
    if (written === 0) throw new Error('the system wrote nothing and gave no reason')
    at += written
  }
}

/** Creates a file of this content, durably. Removed again on failure. @throws EEXIST when the name is taken. */
export async function createFile(fs: FileSystem, path: string, bytes: Uint8Array): Promise<void> {
  const file = await fs.open(path, 'create')
  try {
    try {
      await writeAll(file, bytes)
      await file.sync()
    } finally {
      await file.close()
    }
  } catch (error) {
    await fs.remove(path).catch(ignoreFailedCleanup)
    throw error
  }
}

/** Creates the directory and its parents, each synced into its own parent. Resolves to whether it was created now. */
export async function ensureDirectory(fs: FileSystem, path: string, stopAt?: string): Promise<boolean> {
  try {
    await fs.makeDirectory(path)
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false
    const parent = dirname(path)
    if (systemCode(error) !== 'ENOENT' || parent === path || parent === stopAt) throw error
    await ensureDirectory(fs, parent, stopAt)
    return ensureDirectory(fs, path, stopAt)
  }
  await fs.syncDirectory(dirname(path))
  return true
}

/** What is left behind by a failed cleanup is ignored by every reader; the first failure is the one to tell. */
export function ignoreFailedCleanup(): void {}

const unlinkable: ReadonlySet<string | undefined> = new Set([
  'EPERM',
  'EACCES',
  // What Windows gives on file systems without links.
  'EISDIR',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EMLINK',
  'EXDEV',
])

/**
 * Publishes a complete, synced file under a name that nobody has yet: a hard link of a temporary file, or exclusive
 * creation where links are not possible. @throws EEXIST when the name is taken.
 */
export async function publishFile(fs: FileSystem, path: string, temporary: string, bytes: Uint8Array): Promise<void> {
  await createFile(fs, temporary, bytes)
  try {
    await fs.link(temporary, path)
  } catch (error) {
    if (!unlinkable.has(systemCode(error))) throw error
    await createFile(fs, path, bytes)
  } finally {
    await fs.remove(temporary).catch(ignoreFailedCleanup)
  }
}
