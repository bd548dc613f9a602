import * as vscode from 'vscode'
import { z } from 'zod'
import { assertNever, messageOf } from '../../session/errors.ts'
import { type FromReview, fromReview, type ToReview } from '../../webview/messages.ts'
import { attempt, continueHere, openFile, openLink, toggle } from '../acts.ts'
import type { Conversation } from '../conversations/conversation.ts'
import { REVIEW_PANEL } from '../ids.ts'
import type { Surfaces } from '../surfaces.ts'
import type { PlanWindow } from '../window.ts'
import { Page } from './page.ts'
import { ReviewReading } from './review-reading.ts'
import { reviewView } from './review-view.ts'

const keptState = z.looseObject({ sessionId: z.string().min(1) })

interface Panel {
  readonly panel: vscode.WebviewPanel
  readonly page: Page<ToReview, FromReview>
  readonly reading: ReviewReading
  sessionId: string
  shown: string | undefined
}

/** The review panels of the window, one for each conversation. Closing one is no answer: the review stays waiting. */
export class ReviewPanels implements vscode.WebviewPanelSerializer {
  readonly #window: PlanWindow
  readonly #surfaces: Surfaces
  readonly #panels = new Map<string, Panel>()

  constructor(window: PlanWindow, surfaces: Surfaces) {
    this.#window = window
    this.#surfaces = surfaces
  }

  /** Opens or reveals the panel of a conversation. */
  open(conversation: Conversation): void {
    const known = this.#panels.get(conversation.id)
    if (known !== undefined) known.panel.reveal()
    else
      this.#adopt(
        vscode.window.createWebviewPanel(REVIEW_PANEL, 'Plan review', vscode.ViewColumn.Active, {}),
        conversation.id,
      )
  }

  /** Brings a panel back after a window reload. */
  async deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const parsed = keptState.safeParse(state)
    if (!parsed.success || this.#panels.has(parsed.data.sessionId)) return panel.dispose()
    await this.#window.started
    const conversation = await this.#window.openById(parsed.data.sessionId)
    if (conversation === undefined) return panel.dispose()
    this.#adopt(panel, conversation.id)
  }

  /** Whether the panel of a conversation is before a person's eyes. */
  isVisible(conversation: Conversation): boolean {
    return this.#panels.get(conversation.id)?.panel.visible === true
  }

  /** Draws a conversation's panel, if there is one. */
  render(conversation: Conversation): void {
    const known = this.#panels.get(conversation.id)
    if (known !== undefined) this.#draw(known)
  }

  renderAll(): void {
    for (const known of this.#panels.values()) this.#draw(known)
  }

  dispose(): void {
    for (const { page, reading } of this.#panels.values()) {
      reading[Symbol.dispose]()
      page.dispose()
    }
  }

  #adopt(panel: vscode.WebviewPanel, sessionId: string): void {
    panel.iconPath = vscode.Uri.joinPath(this.#window.extensionUri, 'media', 'icon.svg')
    const page = new Page<ToReview, FromReview>(panel.webview, {
      extensionUri: this.#window.extensionUri,
      name: 'review',
      title: 'Plan review',
      messages: fromReview,
      onMessage: message => attempt(this.#window, () => this.#receive(sessionId, message)),
      onRefused: error => this.#window.report(error),
    })
    const reading = new ReviewReading(message => page.post(message))
    this.#panels.set(sessionId, { panel, page, reading, sessionId, shown: undefined })
    panel.onDidDispose(() => {
      reading[Symbol.dispose]()
      page.dispose()
      this.#panels.delete(sessionId)
    })
    this.renderAll()
  }

  #draw(known: Panel): void {
    const conversation = this.#window.conversations.find(known.sessionId)
    if (conversation === undefined) return
    known.reading.follow(conversation)
    const review = reviewView(conversation, this.#window.carriedOutWith())
    if (review === undefined) {
      known.page.post({ kind: 'empty', text: 'No plan was presented in this conversation yet.' })
      return
    }
    const title = `Plan: ${review.title}`
    if (known.panel.title !== title) known.panel.title = title
    const drawing = JSON.stringify({ ...review, markdown: '' })
    if (drawing === known.shown) return
    known.shown = drawing
    known.page.post({ kind: 'review', review })
    known.reading.draw(conversation, review)
  }

  async #receive(sessionId: string, message: FromReview): Promise<void> {
    const conversation = this.#window.conversations.find(sessionId)
    const known = this.#panels.get(sessionId)
    if (conversation !== undefined && known !== undefined) await this.#act(conversation, known, message)
  }

  async #act(conversation: Conversation, known: Panel, message: FromReview): Promise<void> {
    const { drafts } = this.#window
    switch (message.kind) {
      case 'ready':
        return this.#welcome(conversation, known)
      case 'decide':
        return await this.#decide(conversation, known, message)
      case 'draft':
        return drafts.keep(`review:${message.reviewId}`, message.text)
      case 'toggleMode':
        return void (await toggle(conversation))
      case 'continueHere':
        return await continueHere(this.#window, conversation)
      case 'showConversation':
        return await this.#surfaces.showConversation(conversation)
      case 'openFile':
        return await openFile(conversation.project.folder, message.path)
      case 'openSymbol':
        return await known.reading.openSymbol(message.name)
      case 'openLink':
        return await openLink(message.href)
      default:
        return assertNever(message)
    }
  }

  /** A page that has just loaded gets the review, and what was typed for it before. */
  #welcome(conversation: Conversation, known: Panel): void {
    known.shown = undefined
    known.reading.reset()
    this.#draw(known)
    const reviewId = reviewView(conversation, '')?.reviewId
    if (reviewId === undefined) return
    known.page.post({ kind: 'draft', reviewId, ...this.#window.drafts.read(`review:${reviewId}`) })
  }

  async #decide(
    conversation: Conversation,
    known: Panel,
    message: Extract<FromReview, { kind: 'decide' }>,
  ): Promise<void> {
    const { reviewId, planHash, decision, feedback } = message
    try {
      await conversation.project.desk.decide(conversation.agent, { reviewId, planHash, decision, feedback })
      this.#window.drafts.keep(`review:${reviewId}`, '')
    } catch (error) {
      known.page.post({ kind: 'refused', reviewId, text: messageOf(error) })
      known.shown = undefined
      this.#draw(known)
    }
  }
}
