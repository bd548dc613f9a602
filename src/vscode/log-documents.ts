import * as vscode from 'vscode'
import type { Conversation } from './conversations/conversation.ts'
import type { Conversations } from './conversations/conversations.ts'
import { LOG_SCHEME } from './ids.ts'

/** Shows a conversation's log as text: its own file where that is text, else the same lines in a read-only document. */
export class LogDocuments implements vscode.TextDocumentContentProvider {
  readonly #conversations: Conversations
  readonly #provider: vscode.Disposable

  constructor(conversations: Conversations) {
    this.#conversations = conversations
    this.#provider = vscode.workspace.registerTextDocumentContentProvider(LOG_SCHEME, this)
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    const session = this.#conversations.find(uri.query)?.session
    if (session === undefined) return ''
    return [session.header, ...session.from()].map(line => `${JSON.stringify(line)}\n`).join('')
  }

  async show({ id, location }: Conversation): Promise<void> {
    const uri = location.endsWith('.jsonl')
      ? vscode.Uri.file(location)
      : vscode.Uri.from({ scheme: LOG_SCHEME, path: '/session.jsonl', query: id, fragment: `${Date.now()}` })
    await vscode.window.showTextDocument(uri, { preview: true })
  }

  dispose(): void {
    this.#provider.dispose()
  }
}
