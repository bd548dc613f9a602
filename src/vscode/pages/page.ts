import * as vscode from 'vscode'
import type { z } from 'zod'
import { pageHtml } from './page-html.ts'

/** What a page is made of: the built script and style of that name under `dist/webview`. */
export interface PageOptions<From> {
  readonly extensionUri: vscode.Uri
  readonly name: 'conversation' | 'review'
  readonly title: string
  /** Parses every message of the page; what it refuses goes to `onRefused` and nowhere else. */
  readonly messages: z.ZodType<From>
  readonly onMessage: (message: From) => void | Promise<void>
  readonly onRefused: (error: unknown) => void
}

/** One page in one webview: its document under a strict policy, and the typed door between page and host. */
export class Page<To, From> {
  readonly #webview: vscode.Webview
  readonly #listening: vscode.Disposable

  constructor(webview: vscode.Webview, options: PageOptions<From>) {
    this.#webview = webview
    const built = vscode.Uri.joinPath(options.extensionUri, 'dist', 'webview')
    webview.options = { enableScripts: true, enableCommandUris: false, localResourceRoots: [built] }
    this.#listening = webview.onDidReceiveMessage(raw => receive(raw, options))
    const uri = (file: string) => webview.asWebviewUri(vscode.Uri.joinPath(built, file)).toString()
    webview.html = pageHtml({
      title: options.title,
      lang: vscode.env.language,
      nonce: crypto.randomUUID().replaceAll('-', ''),
      cspSource: webview.cspSource,
      scriptUri: uri(`${options.name}.js`),
      styleUris: [uri(`${options.name}.css`)],
      codiconUri: uri('codicon.css'),
    })
  }

  /** Sends to the page; a page that is gone or not loaded yet asks again with `ready`. */
  post(message: To): void {
    void this.#webview.postMessage(message)
  }

  dispose(): void {
    this.#listening.dispose()
  }
}

async function receive<From>(raw: unknown, options: PageOptions<From>): Promise<void> {
  const parsed = options.messages.safeParse(raw)
  if (!parsed.success) return options.onRefused(parsed.error)
  try {
    await options.onMessage(parsed.data)
  } catch (error) {
    options.onRefused(error)
  }
}
