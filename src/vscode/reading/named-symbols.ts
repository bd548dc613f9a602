import * as vscode from 'vscode'
import type { ReachView } from '../../webview/messages.ts'
import { isInside } from '../settings.ts'

/** Names looked up for one plan, ms for each, and ms in all. */
const BOUNDS = { names: 40, each: 2_000, all: 8_000 }

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
  const view = asked.map(name => ({ name, exists: found.has(name), where: whereIs(found.get(name)) }))
  return { found, view: found.size === 0 ? [] : view }
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

function whereIs(symbol: FoundSymbol | undefined): string {
  if (symbol === undefined) return ''
  return `${vscode.workspace.asRelativePath(symbol.location.uri)}:${symbol.location.range.start.line + 1}`
}
