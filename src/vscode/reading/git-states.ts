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
const repository = z.looseObject({
  rootUri: uri,
  state: z.looseObject({
    workingTreeChanges: z.array(change),
    indexChanges: z.array(change),
    mergeChanges: z.array(change),
    untrackedChanges: z.array(change).default([]),
  }),
})
const gitExports = z.looseObject({ getAPI: z.custom<(version: 1) => unknown>(value => typeof value === 'function') })

/** What the built-in git extension knows of a folder by now. Without it, or outside of a repository, nothing. */
export function gitStates(folder: string): TreeStates {
  const git = vscode.extensions.getExtension('vscode.git')
  if (git?.isActive !== true) return UNKNOWN
  try {
    const api = z.looseObject({ repositories: z.array(z.unknown()) }).parse(gitExports.parse(git.exports).getAPI(1))
    const known = api.repositories.map(each => repository.parse(each))
    const one = known.find(({ rootUri }) => folder === rootUri.fsPath || isInside(rootUri.fsPath, folder))
    if (one === undefined) return UNKNOWN
    const { workingTreeChanges, indexChanges, mergeChanges, untrackedChanges } = one.state
    const changes = [...workingTreeChanges, ...indexChanges, ...mergeChanges, ...untrackedChanges]
    const states = new Map<string, NamedFile['tree']>()
    for (const each of changes) states.set(each.uri.fsPath, each.status === UNTRACKED ? 'untracked' : 'changed')
    return path => states.get(path) ?? 'clean'
  } catch {
    // Another shape of the extension's own interface: the plan is read without it.
    return UNKNOWN
  }
}
