import * as vscode from 'vscode'
import { PlanModeError } from '../session/errors.ts'
import type { PanelAct } from '../webview/review-messages.ts'
import { announceApproval, announceLoss, announceQuestion, announceReview } from './announcements.ts'
import { carryOutElsewhere } from './carry-out.ts'
import { ChangeDocuments } from './change-documents.ts'
import type { ApprovalCard } from './conversations/approval-cards.ts'
import type { Conversation } from './conversations/conversation.ts'
import { ExplorerDocuments } from './explorers/explorer-documents.ts'
import { CONVERSATION_VIEW, REVIEW_PANEL } from './ids.ts'
import { LogDocuments } from './log-documents.ts'
import { LogOffers } from './log-offers.ts'
import { LoggedChanges } from './logged-changes.ts'
import { ConversationView } from './pages/conversation-view.ts'
import { pinnedPlan } from './pages/plan-state.ts'
import type { ReviewPanel } from './pages/review-panel.ts'
import { ReviewPanels } from './pages/review-panels.ts'
import type { PlanListing } from './plans/plan-listing.ts'
import { PlansView } from './plans/plans-view.ts'
import type { OpenQuestion } from './questions/open-questions.ts'
import { NativeReview } from './review/native-review.ts'
import { ModeSurfaces } from './status-bar.ts'
import { statusHover } from './status-hover.ts'
import type { PlanWindow } from './window.ts'
import { statusBarView } from './window-view.ts'

/** Every surface of a window, drawn from the one window state, and the notifications that lead to them. */
export class Surfaces {
  readonly #window: PlanWindow
  readonly #mode = new ModeSurfaces()
  readonly #view: ConversationView
  readonly #panels: ReviewPanels
  readonly #changes: ChangeDocuments
  readonly #logs: LogDocuments
  readonly #explorers: ExplorerDocuments
  readonly #logged: LoggedChanges
  readonly #plans: PlansView
  readonly #offers: LogOffers
  /** The review in native editors. */
  readonly native: NativeReview
  readonly #parts: (Disposable | vscode.Disposable)[]
  readonly #announced = new Set<string>()
  #announcedProblem: string | undefined

  constructor(window: PlanWindow) {
    this.#window = window
    this.#view = new ConversationView(window, this)
    this.#panels = new ReviewPanels(window, this, async (conversation, reviewId) => {
      await carryOutElsewhere(window, conversation, reviewId)
    })
    this.#changes = new ChangeDocuments(window.cards)
    this.#logs = new LogDocuments(window.conversations)
    this.#explorers = new ExplorerDocuments(window)
    this.#logged = new LoggedChanges(window)
    this.#plans = new PlansView(window)
    this.native = new NativeReview(window)
    this.#offers = new LogOffers(window)
    const options = { webviewOptions: { retainContextWhenHidden: true } }
    this.#parts = [
      vscode.window.registerWebviewViewProvider(CONVERSATION_VIEW, this.#view, options),
      vscode.window.registerWebviewPanelSerializer(REVIEW_PANEL, this.#panels),
      window.conversations.changed.on(() => this.render()),
      window.conversations.anyChanged.on(conversation => this.#follow(conversation)),
      window.conversations.lost.on(conversation => void announceLoss(window, conversation)),
      window.problems.changed.on(() => this.#showProblems()),
      window.cards.asked.on(card => void this.#followApproval(card)),
      window.cards.settled.on(() => this.render()),
      window.questions.open.opened.on(open => void this.#followQuestion(open)),
      window.questions.open.closed.on(() => this.render()),
      window.explorerChanged.on(sessionId => this.#showExplorer(sessionId)),
    ]
    this.#showProblems()
    void window.started.then(() => this.#offers.show())
  }

  /** The status bar's text, as it is shown. */
  get statusBarText(): string {
    return this.#mode.text
  }

  render(): void {
    const state = this.#window.state()
    this.#mode.render(state, statusHover(this.#window, statusBarView(state)))
    this.#view.render()
  }

  /** Draws everything again after a setting changed. */
  renderAll(): void {
    this.render()
    this.#panels.renderAll()
    this.#offers.show()
  }

  async run(command: string): Promise<void> {
    const own: Record<string, readonly [string, string?]> = {
      'planMode.openSettings': ['workbench.action.openSettings', 'planMode'],
      'planMode.openFolder': ['workbench.action.files.openFolder'],
    }
    const [id, argument] = own[command] ?? [command]
    await vscode.commands.executeCommand(id, argument)
  }

  /** Brings the conversation view forward, with the conversation given or the one shown last: its question, if one waits. */
  async showConversation(conversation?: Conversation): Promise<void> {
    if (conversation !== undefined) await this.#window.conversations.show(conversation.project, conversation.id)
    await vscode.commands.executeCommand(`${CONVERSATION_VIEW}.focus`)
    this.#view.focus()
  }

  /** Opens the review panel of the conversation given, else of the one shown, else of any whose review waits. */
  async openReview(conversation?: Conversation): Promise<ReviewPanel | undefined> {
    await this.#window.started
    const { shown, all } = this.#window.conversations
    const waiting = shown?.reviewWaiting === undefined ? [...all].find(each => each.reviewWaiting !== undefined) : shown
    const target = conversation ?? waiting ?? shown
    if (target === undefined) {
      void vscode.window.showInformationMessage('No plan was presented yet.')
      return undefined
    }
    return this.#panels.open(target)
  }

  /** Opens the panel of the conversation shown, to read along what the model writes. */
  async watchPlan(): Promise<void> {
    const panel = await this.openReview(this.#window.conversations.shown)
    panel?.act('watch')
  }

  /** Lets a command of the review act in the panel that has the focus, else in that of the review that waits. */
  async actInReview(act: PanelAct): Promise<void> {
    if (!this.#panels.actInActive(act)) (await this.openReview())?.act(act)
  }

  /** Shows the diff of an approval that waits. */
  async showChange(id: string): Promise<void> {
    const card = this.#window.cards.find(id)
    if (card !== undefined) await this.#changes.show(card)
  }

  /** Shows changes of one file that a conversation has logged. */
  showLoggedChange(
    conversation: Conversation,
    path: string,
    refs: Parameters<LoggedChanges['show']>[2],
  ): Promise<void> {
    return this.#logged.show(conversation, path, refs)
  }

  /** Shows how far the plan of the conversation shown was carried out. */
  async checkPlan(): Promise<void> {
    const { shown } = this.#window.conversations
    if (shown === undefined || pinnedPlan(shown.session, { asked: true, running: false }) === null) {
      throw new PlanModeError('NO_PLAN', 'No approved plan is being carried out in this conversation.')
    }
    this.#view.check(shown)
    await this.showConversation()
  }

  /** Resolves when everything that is typed about a conversation's plan is in its review, whatever surface it is typed in. */
  async gather(conversation: Conversation): Promise<void> {
    this.native.gather(conversation)
    await this.#panels.gather(conversation)
  }

  /** All plans of the window's folders. */
  get plans(): PlanListing {
    return this.#plans.listing
  }

  /** Shows a conversation's log as text. */
  showLog(conversation: Conversation): Promise<void> {
    return this.#logs.show(conversation)
  }

  /** Shows what an explorer said and did, as text. */
  openExplorer(sessionId: string): Promise<void> {
    return this.#explorers.show(sessionId)
  }

  /** Goes on from the end of a turn in a new conversation, ready to be typed into. @throws as `Conversations.fork` */
  async fork(sessionId: string, turn: number): Promise<void> {
    const { conversations } = this.#window
    const parent = conversations.find(sessionId)
    if (parent === undefined) throw new PlanModeError('NOT_FOUND', 'This conversation is closed. Open it to fork it.')
    await conversations.fork(parent, turn)
    await this.showConversation()
  }

  dispose(): void {
    for (const part of this.#parts) Symbol.dispose in part ? part[Symbol.dispose]() : part.dispose()
    this.#view.dispose()
    this.#panels.dispose()
    this.#changes.dispose()
    this.#logs.dispose()
    this.#explorers.dispose()
    this.#logged.dispose()
    this.#plans.dispose()
    this.native.dispose()
    this.#mode.dispose()
  }

  #showExplorer(sessionId: string): void {
    this.#view.refreshExplorer(sessionId)
    this.#panels.renderAll()
    this.#explorers.refresh(sessionId)
  }

  #follow(conversation: Conversation): void {
    this.#panels.render(conversation)
    const review = conversation.reviewWaiting
    // A review in another window is that window's to announce.
    if (review === undefined || conversation.writtenElsewhere || this.#announced.has(review.reviewId)) return
    this.#announced.add(review.reviewId)
    if (this.#panels.isVisible(conversation)) return
    void announceReview(this, conversation, review.title)
  }

  /** The diff is shown at once. */
  async #followApproval(card: ApprovalCard): Promise<void> {
    this.render()
    this.#view.refresh(card.id)
    await this.#changes.show(card)
    if (!this.#view.shows(card.call.agent)) await announceApproval(this.#window, this, card)
  }

  async #followQuestion(open: OpenQuestion): Promise<void> {
    this.render()
    if (!this.#view.shows(open.request.agent)) await announceQuestion(this.#window, this, open)
  }

  #showProblems(): void {
    this.render()
    const message = this.#window.problems.first?.error.message
    if (message === this.#announcedProblem) return
    this.#announcedProblem = message
    if (message !== undefined) void vscode.commands.executeCommand('planMode.showProblem')
  }
}
