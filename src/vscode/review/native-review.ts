import * as vscode from 'vscode'
import { reviewHistory } from '../../review/revisions.ts'
import type { Conversation } from '../conversations/conversation.ts'
import type { ContextKey } from '../ids.ts'
import type { PlanWindow } from '../window.ts'
import { CommentThreads } from './comment-threads.ts'
import { FileReviews } from './file-reviews.ts'
import { PlanEdits } from './plan-edits.ts'
import { PlanFiles } from './plan-files.ts'
import { planPlaceOf } from './plan-uri.ts'
import type { RemarkKeeper } from './thread-view.ts'

/** Events come in bursts; the eye needs no more drawings than this. */
const DRAW_AFTER_MS = 30

/** The review in VS Code's own editors, beside the panel: both draw the same review at work and write into it. */
export class NativeReview {
  readonly files: PlanFiles
  readonly edits: PlanEdits
  readonly threads: CommentThreads
  readonly fileReviews: FileReviews
  readonly #window: PlanWindow
  readonly #parts: (Disposable | vscode.Disposable)[]
  readonly #keys = new Map<ContextKey, boolean>()
  readonly #stale = new Set<Conversation>()
  #timer: NodeJS.Timeout | undefined

  constructor(window: PlanWindow) {
    this.#window = window
    this.files = new PlanFiles(window)
    this.edits = new PlanEdits(window, this.files)
    this.fileReviews = new FileReviews(window)
    this.threads = new CommentThreads(uri => this.#keeperOf(uri))
    const soon = () => this.#drawSoon()
    this.#parts = [
      window.conversations.anyChanged.on(conversation => {
        this.#stale.add(conversation)
        soon()
      }),
      window.conversations.changed.on(soon),
      this.fileReviews.changed.on(soon),
      this.fileReviews.listed.on(() => this.threads.askAgain()),
      vscode.workspace.onDidOpenTextDocument(soon),
      vscode.workspace.onDidCloseTextDocument(soon),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (this.#keeperOf(document.uri) !== undefined) soon()
      }),
      vscode.window.onDidChangeActiveTextEditor(soon),
    ]
    soon()
  }

  /** The conversation that the active editor's plan belongs to, else the one shown. */
  get conversation(): Conversation | undefined {
    const { conversations } = this.#window
    const active = vscode.window.activeTextEditor?.document.uri
    const place = active === undefined ? undefined : planPlaceOf(active)
    return (place === undefined ? undefined : conversations.find(place.sessionId)) ?? conversations.shown
  }

  /** Brings what is typed into native editors and boxes, and was not kept yet, into the review. */
  gather(conversation: Conversation): void {
    this.edits.gather(conversation)
    this.threads.gather(uri => planPlaceOf(uri)?.sessionId === conversation.id)
  }

  dispose(): void {
    clearTimeout(this.#timer)
    for (const part of this.#parts) Symbol.dispose in part ? part[Symbol.dispose]() : part.dispose()
    this.edits.dispose()
    this.threads.dispose()
    this.files.dispose()
  }

  #keeperOf(uri: vscode.Uri): RemarkKeeper | undefined {
    const place = planPlaceOf(uri)
    if (place === undefined) return this.fileReviews.of(uri)
    if (place.kind !== 'source') return undefined
    const review = this.#window.conversations.find(place.sessionId)?.review
    return review?.shown === undefined ? undefined : review
  }

  #drawSoon(): void {
    this.#timer ??= setTimeout(() => this.#draw(), DRAW_AFTER_MS)
  }

  #draw(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (const conversation of this.#stale) this.files.refresh(conversation)
    this.#stale.clear()
    this.threads.render()
    const { conversation } = this
    const revisions = conversation?.session.state(reviewHistory).revisions.length ?? 0
    const active = vscode.window.activeTextEditor?.document.uri
    this.#set('planMode.hasPlan', revisions > 0)
    this.#set('planMode.hasRevisions', revisions > 1)
    this.#set('planMode.hasEdits', conversation?.review.edited !== undefined)
    this.#set('planMode.fileUnderReview', active !== undefined && this.fileReviews.of(active) !== undefined)
  }

  #set(key: ContextKey, value: boolean): void {
    if (this.#keys.get(key) === value) return
    this.#keys.set(key, value)
    void vscode.commands.executeCommand('setContext', key, value)
  }
}
