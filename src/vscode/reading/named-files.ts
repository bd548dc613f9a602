import { open, stat } from 'node:fs/promises'
import { isTest } from '../../review/reach.ts'
import { Workspace } from '../../tools/files/workspace.ts'
import type { NamedFile } from '../../webview/review-messages.ts'
import type { TreeStates } from './git-states.ts'

/** Of a preview, the first lines and at most so many bytes. */
const PREVIEW = { lines: 8, bytes: 2_000 }
/** Files looked up side by side. */
const AT_ONCE = 8

/**
 * Looks up files that a plan names. What lies outside of the folder, or is reached by a link out of it, counts as
 * missing, and nothing of it is read.
 */
export async function lookUpFiles(
  folder: string,
  forbidden: readonly string[],
  paths: readonly string[],
  states: TreeStates,
): Promise<readonly NamedFile[]> {
  const workspace = new Workspace(folder, forbidden)
  const found: NamedFile[] = []
  for (let at = 0; at < paths.length; at += AT_ONCE) {
    found.push(...(await Promise.all(paths.slice(at, at + AT_ONCE).map(path => lookUp(workspace, path, states)))))
  }
  return found
}

async function lookUp(workspace: Workspace, path: string, states: TreeStates): Promise<NamedFile> {
  const missing: NamedFile = { path, exists: false, test: isTest(path), tree: null, preview: '' }
  try {
    const { real } = await workspace.locate(path)
    const stats = await stat(real)
    if (!stats.isFile()) return { ...missing, exists: stats.isDirectory() }
    return { ...missing, exists: true, tree: states(real), preview: await firstLines(real) }
  } catch {
    // Not there, not allowed, or not readable: for a reader of the plan there is no such file.
    return missing
  }
}

async function firstLines(path: string): Promise<string> {
  await using file = await open(path)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(PREVIEW.bytes), 0, PREVIEW.bytes, 0)
  const head = buffer.subarray(0, bytesRead)
  if (head.includes(0)) return ''
  return head.toString('utf8').replace(/\r/g, '').split('\n').slice(0, PREVIEW.lines).join('\n').trimEnd()
}
