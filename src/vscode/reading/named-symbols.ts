import * as vscode from 'vscode'
import type { ReachView } from '../../webview/review-messages.ts'
import { isInside } from '../settings.ts'

/** Names looked up for one plan, ms for each, and ms in all. */
const BOUNDS = { names: 40, each: 2_000, all: 8_000 }
/** Of a preview: lines, characters of each, and bytes of a file that is opened for it. */
const PREVIEW = { lines: 8, characters: 200, bytes: 1_000_000 }

export interface FoundSymbol {
  readonly name: string
  readonly location: vscode.Location
}

/**
 * Asks the language servers for names, each exactly. Where none of all names is found, no server knows this folder and
 * the answer tells nothing: the list is empty.
 */
export async function lookUpSymbols(
  folder: string,
  names: readonly string[],
): Promise<{ readonly found: ReadonlyMap<string, FoundSymbol>; readonly view: ReachView['symbols'] }> {
  const found = new Map<string, FoundSymbol>()
  const asked: string[] = []
  const end = Date.now() + BOUNDS.all
  for (const name of names.slice(0, BOUNDS.names)) {
    if (Date.now() > end) break
    const symbol = await lookUp(folder, name)
    asked.push(name)
    if (symbol !== undefined) found.set(name, symbol)
  }
  if (found.size === 0) return { found, view: [] }
  return { found, view: await Promise.all(asked.map(name => viewOf(name, found.get(name)))) }
}

async function lookUp(folder: string, name: string): Promise<FoundSymbol | undefined> {
  const asked = vscode.commands
    .executeCommand<vscode.SymbolInformation[] | undefined>('vscode.executeWorkspaceSymbolProvider', name)
    .then(
      symbols => symbols ?? [],
      () => [],
    )
  const { promise: late, resolve } = Promise.withResolvers<vscode.SymbolInformation[]>()
  const timer = setTimeout(() => resolve([]), BOUNDS.each)
  const symbols = await Promise.race([asked, late])
  clearTimeout(timer)
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
