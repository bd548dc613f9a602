// Where the tools may go: one folder, resolved through symbolic links, without what is forbidden in it.
import { readlink, realpath, stat } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { FileError, fileErrorOf, isMissing } from './file-error.ts'

/** A checked place. `real` has no symbolic link left in it; `path` is `real` relative to the workspace ('.' is the root). */
export interface Place {
  readonly real: string
  readonly path: string
}

/** A place that may be written. `warning` is one sentence for the human when such a file can run things. */
export interface WritablePlace extends Place {
  readonly warning?: string
}

const maxLinks = 32

/**
 * Confinement of the workspace tools. Every path of a model goes through `locate` or `locateForWrite`; what they return
 * is the only path that is opened afterwards, so a check and its use never see two different spellings.
 */
export class Workspace {
  readonly root: string
  readonly #forbidden: readonly string[]

  /** `forbidden` are absolute folders (the log root) that need not exist yet; nothing in them is ever reached. */
  constructor(root: string, forbidden: readonly string[]) {
    this.root = resolve(root)
    this.#forbidden = forbidden.map(folder => resolve(this.root, folder))
  }

  /**
   * Resolves a workspace-relative or absolute path, whether or not it exists.
   * @throws FileError `FS_BAD_PATH`, `FS_OUTSIDE_WORKSPACE` or `FS_FORBIDDEN`.
   */
  async locate(path: string): Promise<Place> {
    const absolute = this.#absolute(path)
    const root = await this.realRoot()
    const real = await resolveLinks(absolute, path)
    const inside = relative(root, real)
    if (leaves(inside)) {
      throw new FileError('FS_OUTSIDE_WORKSPACE', `${path} is outside the workspace; only paths inside it can be used.`)
    }
    if (await this.#forbids(real, root)) {
      throw new FileError('FS_FORBIDDEN', `${path} belongs to the session log, which no tool can read or change.`)
    }
    return { real, path: toPosix(inside) || '.' }
  }

  /**
   * Like `locate`, and refuses what no edit may touch: `.git` and `.plan-mode` at any depth (a folder below may be a
   * workspace folder of its own), by the name that was given as well as by the place it leads to.
   */
  async locateForWrite(path: string): Promise<WritablePlace> {
    const place = await this.locate(path)
    const given = relative(this.root, this.#absolute(path))
    const spellings = [place.path, toPosix(given)].map(spelling => spelling.split('/').map(fold))
    if (spellings.some(segments => segments.includes('.git') || segments.includes('.plan-mode'))) {
      throw new FileError('FS_FORBIDDEN', `${path} cannot be edited: .git and .plan-mode are not open to edits.`)
    }
    const risky = spellings.flat().find(segment => canRunThings(segment))
    if (risky === undefined) return place
    return { ...place, warning: `Files such as ${risky} can make VS Code run programs; read this change closely.` }
  }

  /** The workspace folder without symbolic links. */
  async realRoot(): Promise<string> {
    try {
      return await realpath(this.root)
    } catch (error) {
      throw fileErrorOf(error, 'The workspace folder')
    }
  }

  /** True for a folder that is forbidden itself; `real` must come from a walk that follows no links. */
  async forbidsFolder(real: string): Promise<boolean> {
    for (const forbidden of await this.forbiddenFolders()) {
      if (contains(forbidden, real) || (await same(forbidden, real))) return true
    }
    return false
  }

  /** The forbidden folders without symbolic links, whether or not they exist. */
  async forbiddenFolders(): Promise<readonly string[]> {
    return await Promise.all(this.#forbidden.map(folder => resolveLinks(folder, folder)))
  }

  #absolute(path: string): string {
    if (path.trim() === '') throw new FileError('FS_BAD_PATH', 'The path is empty; "." names the workspace folder.')
    if (path.includes('\0')) throw new FileError('FS_BAD_PATH', 'The path holds a NUL character.')
    return resolve(this.root, path)
  }

  /** By name, and by identity of every folder on the way: a file system may know one folder under many spellings. */
  async #forbids(real: string, root: string): Promise<boolean> {
    for (const forbidden of await this.forbiddenFolders()) {
      if (contains(forbidden, real)) return true
      for (let at = real; at !== root && at !== dirname(at); at = dirname(at)) {
        if (await same(forbidden, at)) return true
      }
    }
    return false
  }
}

export function toPosix(path: string): string {
  return sep === '/' ? path : path.split(sep).join('/')
}

function leaves(inside: string): boolean {
  return inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)
}

/** True when `path` is `folder` or lies below it, in any spelling that some file system takes for the same. */
function contains(folder: string, path: string): boolean {
  const outer = folder.split(sep).map(fold)
  const inner = path.split(sep).map(fold)
  return outer.every((segment, index) => inner[index] === segment)
}

/**
 * One spelling for names that look or resolve alike: case, Unicode forms, invisible characters, and the endings that
 * Windows drops (dots, spaces, streams after a colon).
 */
function fold(segment: string): string {
  const plain = segment
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .toLowerCase()
  return plain.replace(/(?<=.):.*$/s, '').replace(/(?<=[^. ])[. ]+$/, '')
}

function canRunThings(segment: string): boolean {
  return segment === '.vscode' || segment === '.devcontainer' || segment.endsWith('.code-workspace')
}

async function same(one: string, other: string): Promise<boolean> {
  try {
    const [left, right] = await Promise.all([stat(one, { bigint: true }), stat(other, { bigint: true })])
    return left.ino !== 0n && left.ino === right.ino && left.dev === right.dev
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

/** The real path of the deepest part that exists, with the rest appended; follows dangling links to where they lead. */
async function resolveLinks(absolute: string, shown: string, links = 0): Promise<string> {
  try {
    return await realpath(absolute)
  } catch (error) {
    if (!isMissing(error)) throw fileErrorOf(error, shown)
  }
  const parent = dirname(absolute)
  if (parent === absolute) return absolute
  const realParent = await resolveLinks(parent, shown, links)
  const here = join(realParent, basename(absolute))
  const target = await linkTarget(here)
  if (target === undefined) return here
  if (links >= maxLinks) throw new FileError('FS_BAD_PATH', `${shown} goes through too many symbolic links.`)
  return await resolveLinks(resolve(realParent, target), shown, links + 1)
}

async function linkTarget(path: string): Promise<string | undefined> {
  try {
    return await readlink(path)
  } catch {
    // Not a link, or nothing at all: either way the name stands for itself.
    return undefined
  }
}
