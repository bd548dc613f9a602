import * as vscode from 'vscode'
import type { Conversation } from '../conversations/conversation.ts'
import { PLAN_SCHEME } from '../ids.ts'
import type { PlanWindow } from '../window.ts'
import { type PlanPlace, planPlaceOf } from './plan-uri.ts'

interface Known {
  text: string
  mtime: number
}

/**
 * The documents of plans: a file system, since VS Code brings only files back after a reload. Everything is read-only
 * but a person's own version of the plan under review, which the review keeps.
 */
export class PlanFiles implements vscode.FileSystemProvider {
  readonly #window: PlanWindow
  readonly #known = new Map<string, Known>()
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>()
  readonly #parts: vscode.Disposable[]
  readonly onDidChangeFile = this.#changed.event

  constructor(window: PlanWindow) {
    this.#window = window
    const options = { isCaseSensitive: true }
    this.#parts = [this.#changed, vscode.workspace.registerFileSystemProvider(PLAN_SCHEME, this, options)]
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { place, text } = await this.#read(uri)
    const key = uri.toString()
    const known = this.#known.get(key)
    const now = known?.text === text ? known : { text, mtime: Math.min(agedNow(), (known?.mtime ?? Infinity) - 1) }
    this.#known.set(key, now)
    const size = Buffer.byteLength(text)
    const base = { type: vscode.FileType.File, ctime: 0, mtime: now.mtime, size }
    return place.kind === 'edits' ? base : { ...base, permissions: vscode.FilePermission.Readonly }
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return Buffer.from((await this.#read(uri)).text)
  }

  /** Keeps a person's version at once. Refused where a newer revision waits: what was typed stays in the editor. */
  async writeFile(uri: vscode.Uri, content: Uint8Array): Promise<void> {
    const { place, conversation } = await this.#read(uri)
    if (place.kind !== 'edits') throw vscode.FileSystemError.NoPermissions(uri)
    if (place.reviewId !== conversation.review.shown?.reviewId) {
      throw vscode.FileSystemError.NoPermissions(
        vscode.l10n.t('A newer revision was presented. Copy what you need: "Plan: Edit Plan" edits the new one.'),
      )
    }
    conversation.review.setEdited(new TextDecoder().decode(content))
    await conversation.review.flush()
  }

  /** Tells VS Code which of the open documents of a conversation hold another text now. */
  refresh(conversation: Conversation): void {
    const stale = vscode.workspace.textDocuments.filter(({ uri }) => {
      const place = planPlaceOf(uri)
      if (place?.sessionId !== conversation.id) return false
      const known = this.#known.get(uri.toString())
      return known !== undefined && known.text !== textAt(conversation, place)
    })
    if (stale.length === 0) return
    this.#changed.fire(stale.map(({ uri }) => ({ type: vscode.FileChangeType.Changed, uri })))
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => {})
  }

  readDirectory(): [string, vscode.FileType][] {
    return []
  }

  createDirectory(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri)
  }

  delete(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri)
  }

  rename(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri)
  }

  dispose(): void {
    for (const part of this.#parts) part.dispose()
  }

  async #read(uri: vscode.Uri): Promise<{ place: PlanPlace; conversation: Conversation; text: string }> {
    const place = planPlaceOf(uri)
    await this.#window.started
    const conversation = place === undefined ? undefined : await this.#window.openById(place.sessionId)
    if (place === undefined || conversation === undefined) throw vscode.FileSystemError.FileNotFound(uri)
    await conversation.review.loaded
    return { place, conversation, text: textAt(conversation, place) }
  }
}

/**
 * A time that falls while the clock goes on. VS Code refuses to save over a file that is younger than what it read; here
 * nobody but the editor and the review writes, and what the editor holds is always the newest.
 */
function agedNow(): number {
  return 4_000_000_000_000 - Date.now()
}

function textAt({ review }: Conversation, place: PlanPlace): string {
  switch (place.kind) {
    case 'source':
      return review.textOf()
    case 'revision':
      return review.textOf(place.reviewId)
    case 'edits': {
      const { edited } = review.draft
      return edited?.on === place.reviewId ? edited.text : review.textOf(place.reviewId)
    }
  }
}
