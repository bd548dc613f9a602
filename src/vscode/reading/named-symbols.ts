import * as vscode from 'vscode'
import type { ReachView } from '../../webview/review-messages.ts'
import { isInside } from '../settings.ts'

/** Names looked up for one plan, at once, and ms in all. */
const BOUNDS = { names: 40, atOnce: 4, all: 15_000 }
/** Of a preview: lines, characters of each, and bytes of a file that is opened for it. */
const PREVIEW = { lines: 8, characters: 200, bytes: 1_000_000 }

export interface FoundSymbol {
  readonly name: string
  readonly location: vscode.Location
}

/**
 * Asks the language servers for names, each exactly. A name that nobody has answered for in time is left out. Where none
 * of all names is found, no server knows this folder and the answer tells nothing: the list is empty.
 */
export async function lookUpSymbols(
  folder: string,
  names: readonly string[],
): Promise<{ readonly found: ReadonlyMap<string, FoundSymbol>; readonly view: ReachView['symbols'] }> {
  const found = new Map<string, FoundSymbol>()
  const answered = new Set<string>()
  const waiting = names.slice(0, BOUNDS.names)
  const late = AbortSignal.timeout(BOUNDS.all)
  const over = new Promise<void>(resolve => late.addEventListener('abort', () => resolve(), { once: true }))
  const ask = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined && !late.aborted; name = waiting.shift()) {
      const symbol = await lookUp(folder, name)
      if (late.aborted) return
      answered.add(name)
      if (symbol !== undefined) found.set(name, symbol)
    }
  }
  await Promise.race([Promise.all(Array.from({ length: BOUNDS.atOnce }, ask)), over])
  if (found.size === 0) return { found, view: [] }
  const asked = names.filter(name => answered.has(name))
  return { found, view: await Promise.all(asked.map(name => viewOf(name, found.get(name)))) }
}

async function lookUp(folder: string, name: string): Promise<FoundSymbol | undefined> {
  const symbols = await vscode.commands
    .executeCommand<vscode.SymbolInformation[] | undefined>('vscode.executeWorkspaceSymbolProvider', name)
    .then(
      all => all ?? [],
      () => [],
    )
  const same = symbols.find(each => each.name.replace(/\(.*\)$/, '') === name && isHere(folder, each.location.uri))
  return same && { name, location: same.location }
}

function isHere(folder: string, uri: vscode.Uri): boolean {
  return uri.scheme === 'file' && isInside(folder, uri.fsPath)
}

async function viewOf(name: string, symbol: FoundSymbol | undefined): Promise<ReachView['symbols'][number]> {
  if (symbol === undefined) return { name, exists: false, where: '', preview: '' }
  const { uri, range } = symbol.location
  const where = `${vscode.workspace.asRelativePath(uri)}:${range.start.line + 1}`
  return { name, exists: true, where, preview: await linesAt(symbol.location) }
}

async function linesAt({ uri, range }: vscode.Location): Promise<string> {
  try {
    if ((await vscode.workspace.fs.stat(uri)).size > PREVIEW.bytes) return ''
    const lines = Buffer.from(await vscode.workspace.fs.readFile(uri))
      .toString('utf8')
      .split(/\r?\n/)
    const shown = lines.slice(range.start.line, range.start.line + PREVIEW.lines)
    return shown
      .map(line => line.slice(0, PREVIEW.characters))
      .join('\n')
      .trimEnd()
  } catch {
    // Gone since the language server read it: its place is told without a preview.
    return ''
  }
}
