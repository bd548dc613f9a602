import * as vscode from 'vscode'
import { PlanModeError } from '../../session/errors.ts'
import type { Session } from '../../session/session.ts'
import { EXPLORER_SCHEME } from '../ids.ts'
import type { PlanWindow } from '../window.ts'
import { explorerLabel } from './explorer-label.ts'
import { transcriptText } from './transcript-text.ts'

/** Shows what an explorer did as a read-only text that grows while the explorer works. */
export class ExplorerDocuments implements vscode.TextDocumentContentProvider {
  readonly #window: PlanWindow
  readonly #changed = new vscode.EventEmitter<vscode.Uri>()
  readonly #provider: vscode.Disposable

  constructor(window: PlanWindow) {
    this.#window = window
    this.#provider = vscode.workspace.registerTextDocumentContentProvider(EXPLORER_SCHEME, this)
  }

  get onDidChange(): vscode.Event<vscode.Uri> {
    return this.#changed.event
  }

  async provideTextDocumentContent({ query }: vscode.Uri): Promise<string> {
    return transcriptText(await this.#session(query))
  }

  /** @throws PlanModeError `NOT_FOUND`, or why its log cannot be read. */
  async show(sessionId: string): Promise<void> {
    const name = explorerLabel(await this.#session(sessionId)) ?? 'explorer'
    const path = `/${name.replace(/[\\/:*?"<>|]+/g, ' ').trim()}.md`
    const uri = vscode.Uri.from({ scheme: EXPLORER_SCHEME, path, query: sessionId })
    await vscode.window.showTextDocument(uri, { preview: true })
  }

  /** Draws the text of an explorer anew, where it is open. */
  refresh(sessionId: string): void {
    for (const { uri } of vscode.workspace.textDocuments) {
      if (uri.scheme === EXPLORER_SCHEME && uri.query === sessionId) this.#changed.fire(uri)
    }
  }

  dispose(): void {
    this.#provider.dispose()
    this.#changed.dispose()
  }

  async #session(id: string): Promise<Session> {
    for (const project of this.#window.projects) {
      const { session } = await project.describe(id).catch(elsewhere)
      if (session !== undefined) return session
    }
    throw new PlanModeError('NOT_FOUND', 'The log of this explorer is not in any folder of this window.')
  }
}

/** Another folder may have it; what is wrong with a log that is there is told. */
function elsewhere(error: unknown): { readonly session: undefined } {
  if (error instanceof PlanModeError && error.code === 'NOT_FOUND') return { session: undefined }
  throw error
}
