// Reading folders for the tools: sorted, without links followed, without what is forbidden.
import type { Dirent } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { IgnoreRules } from './ignore-rules.ts'
import type { Place, Workspace } from './workspace.ts'

export interface FolderEntry extends Place {
  readonly name: string
  readonly kind: 'file' | 'folder' | 'link' | 'other'
}

/** Folders that a walk never enters, whatever .gitignore says. */
export const skippedNames: ReadonlySet<string> = new Set(['.git', 'node_modules'])

/** The entries of one folder by name (byte order), without forbidden folders. Rejects with the system's error. */
export async function readFolder(workspace: Workspace, folder: Place): Promise<readonly FolderEntry[]> {
  const found = await readdir(folder.real, { withFileTypes: true })
  const entries: FolderEntry[] = []
  for (const dirent of found.sort(byName)) {
    const real = join(folder.real, dirent.name)
    if (dirent.isDirectory() && (await workspace.forbidsFolder(real))) continue
    const path = folder.path === '.' ? dirent.name : `${folder.path}/${dirent.name}`
    entries.push({ name: dirent.name, kind: kindOf(dirent), real, path })
  }
  return entries
}

/** The rules that hold inside a folder: its own .gitignore before the inherited ones. */
export async function rulesInside(
  folder: Place,
  entries: readonly FolderEntry[],
  inherited: IgnoreRules,
): Promise<IgnoreRules> {
  const own = entries.find(entry => entry.name === '.gitignore' && entry.kind === 'file')
  const rules = inherited.inside(folder.path)
  if (own === undefined) return rules
  try {
    return rules.with(folder.path, (await readFile(own.real, 'utf8')).replace(/^\uFEFF/, ''))
  } catch {
    // An unreadable .gitignore leaves out nothing; the walk goes on.
    return rules
  }
}

function byName(one: Dirent, other: Dirent): number {
  return Buffer.compare(Buffer.from(one.name), Buffer.from(other.name))
}

function kindOf(dirent: Dirent): FolderEntry['kind'] {
  if (dirent.isDirectory()) return 'folder'
  if (dirent.isFile()) return 'file'
  return dirent.isSymbolicLink() ? 'link' : 'other'
}
