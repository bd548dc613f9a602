import * as vscode from 'vscode'
import type { ApprovalCard, ApprovalCards } from './conversations/approval-cards.ts'
import { CHANGE_SCHEME } from './ids.ts'

type Side = 'before' | 'after'

/** Shows a proposed change in the native diff editor: two read-only documents that exist while the approval waits. */
export class ChangeDocuments implements vscode.TextDocumentContentProvider {
  readonly #cards: ApprovalCards
  readonly #parts: Disposable[]
  readonly #provider: vscode.Disposable

  constructor(cards: ApprovalCards) {
    this.#cards = cards
    this.#provider = vscode.workspace.registerTextDocumentContentProvider(CHANGE_SCHEME, this)
    this.#parts = [cards.settled.on(card => void close(card))]
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    const query = new URLSearchParams(uri.query)
    const change = this.#cards.find(query.get('id') ?? '')?.change
    return (query.get('side') === 'before' ? change?.before : change?.after) ?? ''
  }

  /** Opens the diff without taking the focus from where the person types. */
  async show(card: ApprovalCard): Promise<void> {
    const { change } = card
    if (change === undefined) return
    const title = `${change.path} (${change.before === undefined ? 'new file' : 'proposed change'})`
    const options: vscode.TextDocumentShowOptions = { preview: true, preserveFocus: true }
    await vscode.commands.executeCommand('vscode.diff', uriOf(card, 'before'), uriOf(card, 'after'), title, options)
  }

  dispose(): void {
    for (const part of this.#parts) part[Symbol.dispose]()
    this.#provider.dispose()
  }
}

function uriOf({ id, change }: ApprovalCard, side: Side): vscode.Uri {
  return vscode.Uri.from({
    scheme: CHANGE_SCHEME,
    path: `/${change?.path ?? ''}`,
    query: new URLSearchParams({ id, side }).toString(),
  })
}

async function close(card: ApprovalCard): Promise<void> {
  const shown = vscode.window.tabGroups.all
    .flatMap(group => group.tabs)
    .filter(tab => tab.input instanceof vscode.TabInputTextDiff && isOf(card, tab.input.modified))
  if (shown.length > 0) await vscode.window.tabGroups.close(shown, true)
}

function isOf(card: ApprovalCard, uri: vscode.Uri): boolean {
  return uri.scheme === CHANGE_SCHEME && new URLSearchParams(uri.query).get('id') === card.id
}
