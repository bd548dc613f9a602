// The folders that a window opens: copies of the sample.
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { sample } from '../harness/paths.ts'

export interface Workspace {
  /** Holds the folders of the workspace. */
  readonly folder: string
  /** The names of those folders, none for an empty window. */
  readonly names: readonly string[]
}

/** Path to text, in the first folder of a workspace. */
export type Files = Readonly<Record<string, string>>

export async function makeWorkspace({ folder, names }: Workspace, files: Files): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const name of names) await cp(sample, join(folder, name), { recursive: true })
  await write(join(folder, names[0] ?? ''), files)
  if (names.length > 1) {
    const workspace = { folders: names.map(name => ({ path: name })) }
    await writeFile(join(folder, 'all.code-workspace'), JSON.stringify(workspace))
  }
}

/** Makes a folder the sample again, with `files`, but keeps its log. What is as it should be is not touched. */
export async function restoreFolder(folder: string, files: Files): Promise<void> {
  const wanted = { ...(await filesIn(sample)), ...files }
  const found = await filesIn(folder)
  for (const path of Object.keys(found)) if (wanted[path] === undefined) await rm(join(folder, path))
  const changed = Object.entries(wanted).filter(([path, text]) => found[path] !== text)
  await write(folder, Object.fromEntries(changed))
}

/** What the workbench is asked to open. */
export function queryOf({ folder, names }: Workspace): string {
  const [first] = names
  if (first === undefined) return 'ew=true'
  const [key, name] = names.length > 1 ? ['workspace', 'all.code-workspace'] : ['folder', first]
  return new URLSearchParams({ [key]: join(folder, name) }).toString()
}

async function write(folder: string, files: Files): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
  }
}

async function filesIn(folder: string): Promise<Files> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .map(file => relative(folder, file))
    .filter(path => !path.startsWith('.plan-mode'))
  const texts = paths.map(async path => [path, await readFile(join(folder, path), 'utf8')] as const)
  return Object.fromEntries(await Promise.all(texts))
}
