import * as vscode from 'vscode'
import { z } from 'zod'
import { Diagrams } from '../../diagrams/diagrams.ts'
import type { PanelAct } from '../../webview/review-messages.ts'
import type { Conversation } from '../conversations/conversation.ts'
import { REVIEW_PANEL } from '../ids.ts'
import type { Surfaces } from '../surfaces.ts'
import type { PlanWindow } from '../window.ts'
import type { CarryOut } from './review-decision.ts'
import { ReviewPanel, type ReviewPanelParts } from './review-panel.ts'

const keptState = z.looseObject({ sessionId: z.string().min(1) })

/** The review panels of the window, one for each conversation. Closing one is no answer: the review stays waiting. */
export class ReviewPanels implements vscode.WebviewPanelSerializer {
  readonly #window: PlanWindow
  readonly #parts: ReviewPanelParts
  readonly #panels = new Map<string, ReviewPanel>()

  constructor(window: PlanWindow, surfaces: Surfaces, carryOut?: CarryOut) {
    this.#window = window
    const worker = vscode.Uri.joinPath(window.extensionUri, 'dist', 'diagram-worker.js').fsPath
    const gather = (conversation: Conversation) => surfaces.native.gather(conversation)
    this.#parts = { window, surfaces, carryOut, gather, diagrams: new Diagrams(worker) }
  }

  /** Resolves when what the panel of a conversation holds and had not said is in the review. */
  async gather(conversation: Conversation): Promise<void> {
    await this.#panels.get(conversation.id)?.gather()
  }

  /** Opens or reveals the panel of a conversation. */
  open(conversation: Conversation): ReviewPanel {
    const known = this.#panels.get(conversation.id)
    known?.panel.reveal()
    if (known !== undefined) return known
    const panel = vscode.window.createWebviewPanel(REVIEW_PANEL, 'Plan review', vscode.ViewColumn.Active, {})
    return this.#adopt(panel, conversation.id)
  }

  /** Lets a command act in the panel that has the focus; false when none has. */
  actInActive(act: PanelAct): boolean {
    const active = [...this.#panels.values()].find(({ panel }) => panel.active)
    active?.act(act)
    return active !== undefined
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
    this.#panels.get(conversation.id)?.draw()
  }

  renderAll(): void {
    for (const known of this.#panels.values()) known.draw()
  }

  dispose(): void {
    for (const known of this.#panels.values()) known.dispose()
    void this.#parts.diagrams[Symbol.asyncDispose]()
  }

  #adopt(panel: vscode.WebviewPanel, sessionId: string): ReviewPanel {
    const adopted = new ReviewPanel(panel, sessionId, this.#parts)
    this.#panels.set(sessionId, adopted)
    panel.onDidDispose(() => {
      adopted.dispose()
      this.#panels.delete(sessionId)
    })
    this.renderAll()
    return adopted
  }
}
