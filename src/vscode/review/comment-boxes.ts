import * as vscode from 'vscode'

/** VS Code's own scheme of the texts inside comment boxes. */
const SCHEME = 'comment'
const PAUSE_MS = 300

/** A remark whose words are being changed in its native box. */
export interface CommentBox {
  /** Hands over what is typed and was not handed over yet. */
  now(): void
  end(): void
}

interface Open {
  readonly text: string
  readonly keep: (text: string) => void
  document: vscode.TextDocument | undefined
  timer: NodeJS.Timeout | undefined
}

/**
 * What is typed into native comment boxes. VS Code hands the words of a box over when it is saved; until then they are
 * a document that extensions see, so that they are kept at every pause and go along with a verdict.
 */
export class CommentBoxes {
  readonly #open = new Set<Open>()
  readonly #parts: vscode.Disposable

  constructor() {
    this.#parts = vscode.Disposable.from(
      vscode.workspace.onDidOpenTextDocument(document => this.#match(document)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.#typed(document)),
      vscode.workspace.onDidCloseTextDocument(document => this.#closed(document)),
    )
  }

  /** A box that is about to open with this text; `keep` gets what it says later. */
  begin(text: string, keep: (text: string) => void): CommentBox {
    const open: Open = { text, keep, document: undefined, timer: undefined }
    this.#open.add(open)
    return {
      now: () => handOver(open),
      end: () => {
        clearTimeout(open.timer)
        this.#open.delete(open)
      },
    }
  }

  dispose(): void {
    for (const { timer } of this.#open) clearTimeout(timer)
    this.#parts.dispose()
  }

  /** A box says nothing of the comment it is for: it is known by the words that it opens with. */
  #match(document: vscode.TextDocument): void {
    if (document.uri.scheme !== SCHEME) return
    const text = document.getText()
    const open = [...this.#open].find(each => each.document === undefined && each.text === text)
    if (open !== undefined) open.document = document
  }

  #closed(document: vscode.TextDocument): void {
    for (const open of this.#open) if (open.document === document) handOver(open)
  }

  #typed(document: vscode.TextDocument): void {
    const open = [...this.#open].find(each => each.document === document)
    if (open === undefined) return
    clearTimeout(open.timer)
    open.timer = setTimeout(() => handOver(open), PAUSE_MS)
  }
}

function handOver(open: Open): void {
  if (open.timer === undefined) return
  clearTimeout(open.timer)
  open.timer = undefined
  if (open.document !== undefined) open.keep(open.document.getText())
}
