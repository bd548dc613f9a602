import * as vscode from 'vscode'
import { z } from 'zod'
import type { NamedFile } from '../../webview/review-messages.ts'
import { isInside } from '../settings.ts'

/** The state in version control of a file (absolute path); null: not known. */
export type TreeStates = (path: string) => NamedFile['tree']

const UNKNOWN: TreeStates = () => null
/** As the built-in git extension numbers it. */
const UNTRACKED = 7

const uri = z.looseObject({ fsPath: z.string() })
const change = z.looseObject({ uri, status: z.number() })
const rooted = z.looseObject({ rootUri: uri, state: z.unknown() })
const changes = z.looseObject({
  workingTreeChanges: z.array(change),
  indexChanges: z.array(change),
  mergeChanges: z.array(change),
  untrackedChanges: z.array(change).default([]),
})
const gitExports = z.looseObject({ getAPI: z.custom<(version: 1) => unknown>(value => typeof value === 'function') })
const gitApi = z.looseObject({ repositories: z.array(z.unknown()) })

/** What the built-in git extension knows of a folder by now. Without it, or outside of a repository, nothing. */
export function gitStates(folder: string): TreeStates {
  const git = vscode.extensions.getExtension('vscode.git')
  return git?.isActive === true ? statesIn(git.exports, folder) : UNKNOWN
}

/** The same from what that extension exports. */
export function statesIn(exports: unknown, folder: string): TreeStates {
  try {
    // Its methods are those of the object itself, not of a parsed copy.
    const api = gitApi.parse(gitExports.parse(exports).getAPI.call(exports, 1))
    const roots = api.repositories.map(each => rooted.parse(each))
    const one = roots.find(({ rootUri }) => folder === rootUri.fsPath || isInside(rootUri.fsPath, folder))
    if (one === undefined) return UNKNOWN
    const { workingTreeChanges, indexChanges, mergeChanges, untrackedChanges } = changes.parse(one.state)
    const all = [...workingTreeChanges, ...indexChanges, ...mergeChanges, ...untrackedChanges]
    const states = new Map<string, NamedFile['tree']>()
    for (const each of all) states.set(each.uri.fsPath, each.status === UNTRACKED ? 'untracked' : 'changed')
    return path => states.get(path) ?? 'clean'
  } catch {
    // Another shape of the extension's own interface: the plan is read without it.
    return UNKNOWN
  }
}
