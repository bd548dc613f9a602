import { z } from 'zod'
import type { Tool } from '../agent/tool.ts'
import { FileError, fileOutcome } from './files/file-error.ts'
import { type FolderEntry, readFolder, rulesInside, skippedNames } from './files/folders.ts'
import { IgnoreRules } from './files/ignore-rules.ts'
import type { Place, Workspace } from './files/workspace.ts'

const maxEntries = 500

const parameters = z.strictObject({
  path: z.string().optional().describe('Folder, relative to the workspace. Default: the workspace folder.'),
  recursive: z
    .boolean()
    .optional()
    .describe('Also list subfolders, without .git, node_modules and what .gitignore leaves out. Default: false.'),
})

/** `list_files`: one folder, or everything below it level by level up to a bound. Folders end in a slash, links in @. */
export function listFiles(workspace: Workspace): Tool<z.infer<typeof parameters>> {
  return {
    name: 'list_files',
    description: `Lists the files of a workspace folder, one path per line. Folders end in "/", symbolic links in "@". At most ${maxEntries} entries.`,
    parameters,
    parallel: true,
    async run({ path = '.', recursive = false }, call) {
      return await fileOutcome(path, async () => {
        const folder = await workspace.locate(path)
        const entries = recursive ? await walk(workspace, folder, call.signal) : await readOne(workspace, folder)
        const shown = entries.slice(0, maxEntries)
        const lines = shown.map(entry => entry.path + mark(entry))
        if (recursive) lines.sort()
        if (entries.length === 0) lines.push('(the folder is empty)')
        if (entries.length > maxEntries) lines.push(`(only the first ${maxEntries} entries; list a subfolder for more)`)
        return { kind: 'success', text: lines.join('\n'), meta: { path: folder.path, entries: shown.length } }
      })
    },
  }
}

async function readOne(workspace: Workspace, folder: Place): Promise<readonly FolderEntry[]> {
  try {
    return await readFolder(workspace, folder)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOTDIR') {
      throw new FileError('FS_NOT_A_FOLDER', `${folder.path} is a file; read it with read_file.`)
    }
    throw error
  }
}

/** Level by level, so that a bounded list shows the whole shape before it shows depth. */
async function walk(workspace: Workspace, start: Place, signal: AbortSignal): Promise<readonly FolderEntry[]> {
  const listed: FolderEntry[] = []
  const queue: {
    readonly folder: Place
    readonly inherited: IgnoreRules
    readonly entries?: readonly FolderEntry[]
  }[] = [{ folder: start, inherited: await rulesAbove(workspace, start), entries: await readOne(workspace, start) }]
  for (let next = queue.shift(); next !== undefined && listed.length <= maxEntries; next = queue.shift()) {
    signal.throwIfAborted()
    const entries = next.entries ?? (await readFolder(workspace, next.folder).catch(() => []))
    const rules = await rulesInside(next.folder, entries, next.inherited)
    for (const entry of entries) {
      if (skippedNames.has(entry.name) || rules.ignores(entry.path, entry.kind === 'folder')) continue
      listed.push(entry)
      if (entry.kind === 'folder') queue.push({ folder: entry, inherited: rules })
    }
  }
  return listed
}

/** The .gitignore rules of the folders between the workspace folder and `folder`. */
async function rulesAbove(workspace: Workspace, folder: Place): Promise<IgnoreRules> {
  let rules = IgnoreRules.none
  const segments = folder.path === '.' ? [] : folder.path.split('/')
  for (const depth of segments.keys()) {
    const above = await workspace.locate(segments.slice(0, depth).join('/') || '.')
    rules = await rulesInside(above, await readFolder(workspace, above), rules)
  }
  return rules
}

function mark(entry: FolderEntry): string {
  if (entry.kind === 'folder') return '/'
  return entry.kind === 'link' ? '@' : ''
}
