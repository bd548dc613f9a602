import * as vscode from 'vscode'
import { describeForm } from '../persistence/root-form.ts'
import { PlanModeError } from '../session/errors.ts'
import type { PanelAct } from '../webview/review-messages.ts'
import { attempt, continueHere } from './acts.ts'
import { carryOutElsewhere } from './carry-out.ts'
import { ChangeDocuments } from './change-documents.ts'
import type { ApprovalCard } from './conversations/approval-cards.ts'
import type { Conversation } from './conversations/conversation.ts'
import { ExplorerDocuments } from './explorers/explorer-documents.ts'
import { CONVERSATION_VIEW, REVIEW_PANEL } from './ids.ts'
import { LogDocuments } from './log-documents.ts'
import { LoggedChanges } from './logged-changes.ts'
import { ConversationView } from './pages/conversation-view.ts'
import { pinnedPlan } from './pages/plan-state.ts'
import type { ReviewPanel } from './pages/review-panel.ts'
import { ReviewPanels } from './pages/review-panels.ts'
import { plainMessage } from './plain-message.ts'
import type { PlanListing } from './plans/plan-listing.ts'
import { PlansView } from './plans/plans-view.ts'
import type { OpenQuestion } from './questions/open-questions.ts'
import { questionNotice } from './questions/question-notice.ts'
import { NativeReview } from './review/native-review.ts'
import { ModeSurfaces } from './status-bar.ts'
import type { PlanWindow } from './window.ts'
import { type StatusBarView, statusBarView } from './window-view.ts'

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
    const options = { webviewOptions: { retainContextWhenHidden: true } }
    this.#parts = [
      vscode.window.registerWebviewViewProvider(CONVERSATION_VIEW, this.#view, options),
      vscode.window.registerWebviewPanelSerializer(REVIEW_PANEL, this.#panels),
      window.conversations.changed.on(() => this.render()),
      window.conversations.anyChanged.on(conversation => this.#follow(conversation)),
      window.conversations.lost.on(conversation => void this.#announceLoss(conversation)),
      window.problems.changed.on(() => this.#showProblems()),
      window.cards.asked.on(card => void this.#announceApproval(card)),
      window.cards.settled.on(() => this.render()),
      window.questions.open.opened.on(open => void this.#announceQuestion(open)),
      window.questions.open.closed.on(() => this.render()),
      window.explorerChanged.on(sessionId => this.#showExplorer(sessionId)),
    ]
    this.#showProblems()
    void window.started.then(() => this.#offerConversions())
  }

  /** The status bar's text, as it is shown. */
  get statusBarText(): string {
    return this.#mode.text
  }

  render(): void {
    const state = this.#window.state()
    this.#mode.render(state, this.#hover(statusBarView(state)))
    this.#view.render()
  }

  /** Draws everything again after a setting changed. */
  renderAll(): void {
    this.render()
    this.#panels.renderAll()
    this.#offerConversions()
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
    void this.#announceReview(conversation, review.title)
  }

  async #announceReview(conversation: Conversation, title: string): Promise<void> {
    const open = vscode.l10n.t('Open Review')
    const chosen = await vscode.window.showInformationMessage(
      plainMessage(vscode.l10n.t('A plan waits for your review: {0}', title)),
      open,
    )
    if (chosen === open) await this.openReview(conversation)
  }

  async #announceLoss(conversation: Conversation): Promise<void> {
    const back = vscode.l10n.t('Continue Here')
    const chosen = await vscode.window.showWarningMessage(
      plainMessage(vscode.l10n.t('"{0}" goes on in another window. It is read-only here now.', conversation.title)),
      back,
    )
    const current = this.#window.conversations.find(conversation.id)
    if (chosen === back) await attempt(this.#window, () => continueHere(this.#window, current))
  }

  /** The diff is shown at once; the question is in its conversation, and in a notification while that is not in view. */
  async #announceApproval(card: ApprovalCard): Promise<void> {
    this.render()
    this.#view.refresh(card.id)
    await this.#changes.show(card)
    if (this.#view.shows(card.call.agent)) return
    const allow = vscode.l10n.t('Allow')
    const refuse = vscode.l10n.t('Refuse')
    const open = vscode.l10n.t('Open Conversation')
    const text = card.warning === undefined ? card.reason : `${card.reason} ${card.warning}`
    const chosen = await vscode.window.showWarningMessage(plainMessage(text), allow, refuse, open)
    if (chosen === open) await this.showConversation(this.#window.conversations.of(card.call.agent))
    else if (chosen !== undefined) this.#window.cards.decide(card.id, chosen === allow)
  }

  /** The card is in its conversation; a notification leads there, or takes a plain choice, while that is not in view. */
  async #announceQuestion({ id, request: { agent, questions } }: OpenQuestion): Promise<void> {
    this.render()
    const conversation = this.#window.conversations.of(agent)
    if (conversation === undefined || this.#view.shows(agent)) return
    const { text, choices } = questionNotice(questions, conversation.title)
    const open = { title: vscode.l10n.t('Open') }
    const answers = choices.map(label => ({ title: label }))
    const chosen = await vscode.window.showInformationMessage(plainMessage(text), ...answers, open)
    if (chosen === undefined) return
    if (chosen === open) return await this.showConversation(conversation)
    const answer = { id: questions[0]?.id ?? '', selected: [chosen.title] }
    await attempt(this.#window, async () => this.#window.questions.open.answer(id, { answers: [answer] }))
  }

  #showProblems(): void {
    this.render()
    const message = this.#window.problems.first?.error.message
    if (message === this.#announcedProblem) return
    this.#announcedProblem = message
    if (message !== undefined) void vscode.commands.executeCommand('planMode.showProblem')
  }

  /** A root that has logs keeps its form; the settings apply to an empty one. */
  #offerConversions(): void {
    for (const { project, wanted } of this.#window.wantedForms()) {
      const text = `The logs of ${project.name} stay ${describeForm(project.form)}. The settings ask for ${describeForm(wanted)}, which applies to a root without logs.`
      if (this.#announced.has(text)) continue
      this.#announced.add(text)
      void this.#offerConversion(text)
    }
  }

  async #offerConversion(text: string): Promise<void> {
    const convert = vscode.l10n.t('Convert Logs')
    const chosen = await vscode.window.showInformationMessage(plainMessage(text), convert)
    if (chosen === convert) await this.run('planMode.convertLogs')
  }

  #hover({ description }: StatusBarView): vscode.MarkdownString {
    const { shown } = this.#window.conversations
    const hover = new vscode.MarkdownString(undefined, true)
    const commands = [
      'planMode.toggle',
      'planMode.showConversation',
      'planMode.openConversation',
      'planMode.openReview',
    ]
    hover.isTrusted = { enabledCommands: commands }
    hover.appendMarkdown('**Plan mode** · guided  \n').appendText(description)
    if (shown !== undefined) {
      const revision = shown.reviewWaiting === undefined ? '' : ` · revision ${shown.reviewWaiting.revision}`
      hover.appendText(`\n\n${shown.title}${revision} · ${this.#window.models.describe().label}`)
    }
    const key = process.platform === 'darwin' ? '⌘⌥P' : 'Ctrl+Alt+P'
    return hover.appendMarkdown(
      `\n\n[Toggle](command:planMode.toggle) (${key}) · [Conversation](command:planMode.showConversation) · [Others](command:planMode.openConversation)`,
    )
  }
}
