import * as vscode from 'vscode'
import { PlanModeError } from '../../session/errors.ts'
import type { Conversation } from '../conversations/conversation.ts'
import { plainMessage } from '../plain-message.ts'
import type { PlanWindow } from '../window.ts'
import type { PlanFiles } from './plan-files.ts'
import { names, planPlaceOf, planUri } from './plan-uri.ts'

const PAUSE_MS = 300

interface Typed {
  readonly timer: NodeJS.Timeout | undefined
  /** What was saved last, undefined for the plan as presented. */
  readonly saved: string | undefined
}

/** A person's own version of a plan in a native editor: kept by the review at every pause in typing. */
export class PlanEdits {
  readonly #window: PlanWindow
  readonly #files: PlanFiles
  readonly #typed = new Map<string, Typed>()
  readonly #parts: vscode.Disposable

  constructor(window: PlanWindow, files: PlanFiles) {
    this.#window = window
    this.#files = files
    this.#parts = vscode.Disposable.from(
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0) this.#type(document)
      }),
      vscode.workspace.onDidSaveTextDocument(({ uri }) => this.#forget(uri)),
      vscode.workspace.onDidCloseTextDocument(document => void this.#close(document)),
    )
  }

  /** Opens the editor of the shown plan. Edits of an earlier revision that were never sent go into a file of their own. */
  async open({ id, review }: Conversation): Promise<void> {
    const { shown } = review
    if (shown === undefined) throw new PlanModeError('NO_PLAN', 'There is no plan to edit yet.')
    const { edited } = review.draft
    if (edited !== null && edited.on !== shown.reviewId) {
      await aside(edited.text)
      review.setEdited(undefined)
    }
    const uri = planUri({ kind: 'edits', sessionId: id, reviewId: shown.reviewId }, names.edits())
    await vscode.window.showTextDocument(uri, { preview: false })
  }

  /** Makes a text the person's own version; another one that it takes the place of goes into a file of its own. */
  async set(conversation: Conversation, text: string): Promise<void> {
    const { review } = conversation
    const before = review.draft.edited?.text
    if (before !== undefined && before !== text) await aside(before)
    await this.#put(conversation, text)
    await this.open(conversation)
  }

  async discard(conversation: Conversation): Promise<void> {
    const before = conversation.review.edited
    await this.#put(conversation, undefined)
    if (before === undefined) return
    const back = vscode.l10n.t('Bring Back')
    void vscode.window
      .showInformationMessage(plainMessage(vscode.l10n.t('Your edits to the plan were dropped.')), back)
      .then(chosen => {
        if (chosen === back) void this.#put(conversation, before)
      })
  }

  /** Keeps at once what was typed into the editors of a conversation's plan. */
  gather({ id }: Conversation): void {
    for (const document of vscode.workspace.textDocuments) {
      const place = planPlaceOf(document.uri)
      if (place?.sessionId === id && this.#typed.has(document.uri.toString())) this.#keep(document)
    }
  }

  dispose(): void {
    for (const { timer } of this.#typed.values()) clearTimeout(timer)
    this.#parts.dispose()
  }

  #type(document: vscode.TextDocument): void {
    const place = planPlaceOf(document.uri)
    if (place?.kind !== 'edits') return
    const key = document.uri.toString()
    const known = this.#typed.get(key)
    clearTimeout(known?.timer)
    const saved = known === undefined ? this.#conversation(document)?.review.edited : known.saved
    this.#typed.set(key, { saved, timer: setTimeout(() => this.#keep(document), PAUSE_MS) })
  }

  #keep(document: vscode.TextDocument): void {
    const place = planPlaceOf(document.uri)
    const review = this.#conversation(document)?.review
    // A newer revision is shown: these words stay in the editor, and saving says so.
    if (review === undefined || place?.kind !== 'edits' || place.reviewId !== review.shown?.reviewId) return
    const text = document.getText()
    const own = withLf(text) === withLf(review.textOf()) ? undefined : text
    if (own !== review.edited) review.setEdited(own)
  }

  #forget(uri: vscode.Uri): void {
    clearTimeout(this.#typed.get(uri.toString())?.timer)
    this.#typed.delete(uri.toString())
  }

  /** An editor that is closed without saving takes its words back to the last save, and offers them once more. */
  async #close(document: vscode.TextDocument): Promise<void> {
    const typed = this.#typed.get(document.uri.toString())
    this.#forget(document.uri)
    const conversation = this.#conversation(document)
    if (typed === undefined || conversation === undefined) return
    const { review } = conversation
    const text = review.edited
    if (text === typed.saved) return
    review.setEdited(typed.saved)
    this.#files.refresh(conversation)
    const back = vscode.l10n.t('Bring Back')
    const said = vscode.l10n.t('Your edits to the plan since the last save were dropped.')
    const chosen = await vscode.window.showInformationMessage(plainMessage(said), back)
    if (chosen === back && text !== undefined) await this.set(conversation, text)
  }

  #conversation({ uri }: vscode.TextDocument): Conversation | undefined {
    const place = planPlaceOf(uri)
    return place === undefined ? undefined : this.#window.conversations.find(place.sessionId)
  }

  /** Into the review and into an editor that holds other words. */
  async #put(conversation: Conversation, text: string | undefined): Promise<void> {
    const { review } = conversation
    review.setEdited(text)
    await review.flush()
    const wanted = review.edited ?? review.textOf()
    for (const document of vscode.workspace.textDocuments) {
      const place = planPlaceOf(document.uri)
      if (place?.kind !== 'edits' || place.sessionId !== conversation.id || place.reviewId !== review.shown?.reviewId) {
        continue
      }
      if (!document.isDirty || document.getText() === wanted) continue
      const change = new vscode.WorkspaceEdit()
      change.replace(document.uri, new vscode.Range(0, 0, document.lineCount, 0), wanted)
      await vscode.workspace.applyEdit(change)
      await document.save()
    }
    this.#files.refresh(conversation)
  }
}

async function aside(text: string): Promise<void> {
  const document = await vscode.workspace.openTextDocument({ language: 'markdown', content: text })
  await vscode.window.showTextDocument(document, { preview: false, preserveFocus: true })
  void vscode.window.showInformationMessage(
    plainMessage(vscode.l10n.t('Your earlier edits are kept in an untitled file.')),
  )
}

function withLf(text: string): string {
  return text.replace(/\r\n?/g, '\n')
}
