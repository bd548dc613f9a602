import type * as vscode from 'vscode'
import type { Agent } from '../../agent/agent.ts'
import { assertNever } from '../../session/errors.ts'
import type { Session } from '../../session/session.ts'
import { type FromConversation, fromConversation, type ToConversation } from '../../webview/messages.ts'
import type { Item } from '../../webview/transcript-messages.ts'
import { attempt, openFile, openLink, send } from '../acts.ts'
import { describeCard } from '../conversations/approval-cards.ts'
import type { Conversation } from '../conversations/conversation.ts'
import type { Surfaces } from '../surfaces.ts'
import { shownImage } from '../transcript/shown-images.ts'
import type { TranscriptChange } from '../transcript/transcript.ts'
import type { PlanWindow } from '../window.ts'
import { keepChoices, questionViews, refusalOf, withUnsent } from './conversation-questions.ts'
import { conversationState } from './conversation-state.ts'
import { Page } from './page.ts'
import { PageImages } from './page-images.ts'
import { assertTypedFor, composerPlace } from './typed-for.ts'

/** Entries of the transcript that are sent at first, and with each "show earlier". */
const SHARE = 200

/** The conversation view: draws the conversation shown last and turns what a person does in it into acts of the window. */
export class ConversationView implements vscode.WebviewViewProvider {
  readonly #window: PlanWindow
  readonly #surfaces: Surfaces
  readonly #images: PageImages
  #view: vscode.WebviewView | undefined
  #page: Page<ToConversation, FromConversation> | undefined
  #conversation: Conversation | undefined
  #following: Disposable | undefined
  #first = 0
  /** Where the words come from that are on their way into the log. */
  #sending: string | undefined
  /** The page has said that it is there; before that it hears nothing. */
  #ready = false
  #focusWanted = false
  /** Conversations whose plan a person wants checked. */
  readonly #checks = new WeakSet<Session>()
  #drawing: NodeJS.Timeout | undefined

  constructor(window: PlanWindow, surfaces: Surfaces) {
    this.#window = window
    this.#surfaces = surfaces
    this.#images = new PageImages(window, message => this.#page?.post(message))
    // What was typed for a conversation that never began is found only then.
    void window.started.then(() => {
      if (this.#ready && this.#conversation === undefined) this.#sendTranscript()
    })
  }

  /** Whether the conversation of this agent is before a person's eyes. */
  shows(agent: Agent): boolean {
    return this.#view?.visible === true && this.#window.conversations.shown?.agent === agent
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.#view = view
    const page = new Page<ToConversation, FromConversation>(view.webview, {
      extensionUri: this.#window.extensionUri,
      name: 'conversation',
      title: 'Conversation',
      messages: fromConversation,
      onMessage: message => this.#receive(message),
      onRefused: error => this.#window.report(error),
    })
    this.#page = page
    this.#ready = false
    view.onDidDispose(() => {
      page.dispose()
      if (this.#page === page) this.#page = undefined
    })
  }

  /** Draws soon; many calls in a row draw once. */
  render(): void {
    this.#drawing ??= setTimeout(() => {
      this.#drawing = undefined
      this.#draw()
    }, 10)
  }

  /** Sends an entry again: what it shows beside the log has changed. */
  refresh(itemId: string): void {
    const item = this.#conversation?.transcript.items.findLast(({ id }) => id === itemId)
    if (item !== undefined) this.#relay({ kind: 'upsert', items: [item] })
  }

  /** Sends the call again that sent an explorer out, if the conversation shown has it. */
  refreshExplorer(sessionId: string): void {
    const item = this.#conversation?.transcript.items.findLast(
      each => each.kind === 'tool' && each.explorer?.sessionId === sessionId,
    )
    if (item !== undefined) this.#relay({ kind: 'upsert', items: [item] })
  }

  /** Shows the closing check of the plan that a conversation carries out. */
  check({ session }: Conversation): void {
    this.#checks.add(session)
    this.render()
  }

  /** Puts the focus on the question that waits, else into the composer, as soon as there is one. */
  focus(): void {
    this.#view?.show(false)
    this.#focusWanted = true
    this.#passFocus()
  }

  #passFocus(): void {
    if (!this.#ready || !this.#focusWanted) return
    this.#focusWanted = false
    const { shown } = this.#window.conversations
    const [question] = shown === undefined ? [] : questionViews(shown, this.#window.drafts)
    if (question !== undefined) this.#draw() // the page has its card before the focus goes there
    this.#page?.post(question === undefined ? { kind: 'focusComposer' } : { kind: 'focusQuestion', id: question.id })
  }

  dispose(): void {
    clearTimeout(this.#drawing)
    this.#following?.[Symbol.dispose]()
    this.#page?.dispose()
  }

  #draw(): void {
    const { shown } = this.#window.conversations
    if (shown !== this.#conversation) this.#follow(shown)
    const questions = shown === undefined ? [] : questionViews(shown, this.#window.drafts)
    if (this.#view !== undefined) this.#view.badge = badgeOf(shown)
    this.#page?.post({
      kind: 'state',
      state: conversationState(shown, {
        ...this.#window.surroundings(),
        earlier: this.#first,
        checkAsked: shown !== undefined && this.#checks.has(shown.session),
        questions,
      }),
    })
  }

  #follow(conversation: Conversation | undefined): void {
    this.#following?.[Symbol.dispose]()
    this.#conversation = conversation
    this.#following = conversation?.transcript.onChange(change => this.#relay(change))
    this.#sendTranscript()
  }

  #sendTranscript(): void {
    const items = this.#conversation?.transcript.items ?? []
    this.#first = Math.max(0, items.length - SHARE)
    this.#page?.post({ kind: 'transcript', items: items.slice(this.#first).map(this.#complete) })
    const draft = this.#window.drafts.read(composerPlace(this.#conversation?.id ?? null))
    this.#page?.post({ kind: 'composer', ...draft, whenEmpty: true })
  }

  /** Passes a change on, but for entries before the first one the page has. */
  #relay(change: TranscriptChange): void {
    if (change.kind === 'delta') {
      this.#page?.post(change)
      return
    }
    const all = this.#conversation?.transcript.items ?? []
    const sent = change.items.filter(({ id }) => all.findLastIndex(known => known.id === id) >= this.#first)
    if (sent.length > 0) this.#page?.post({ kind: 'upsert', items: sent.map(this.#complete) })
  }

  /** Adds what the log does not keep: a waiting approval's change, what an explorer does, words typed and never sent. */
  readonly #complete = (item: Item): Item => {
    if (item.kind === 'tool' && item.explorer !== undefined && item.status === 'running') {
      const { sessionId } = item.explorer
      const activity = this.#conversation?.project.explorers.activityOf(sessionId) ?? null
      return { ...item, explorer: { sessionId, activity } }
    }
    const card = item.kind === 'approval' ? this.#window.cards.find(item.id) : undefined
    if (card !== undefined) return { ...item, ...describeCard(card) }
    return withUnsent(item, this.#conversation?.id ?? '', this.#window.drafts)
  }

  /** Acts of a person in the page; what fails is shown where every failed act is shown. */
  #receive(message: FromConversation): Promise<void> {
    return attempt(this.#window, () => this.#act(message))
  }

  async #act(message: FromConversation): Promise<void> {
    const window = this.#window
    const conversation = this.#conversation
    switch (message.kind) {
      case 'ready':
        this.#ready = true
        this.#follow(window.conversations.shown)
        this.#draw()
        return this.#passFocus()
      case 'send':
        return await this.#send(message)
      case 'stop':
        return conversation?.agent.cancel()
      case 'toggleMode':
        return await this.#surfaces.run('planMode.toggle')
      case 'openReview':
        return await this.#surfaces.run('planMode.openReview')
      case 'answerApproval':
        return void window.cards.decide(message.id, message.allow)
      case 'showChange':
        return await this.#surfaces.showChange(message.id)
      case 'showLoggedChange':
        return conversation && (await this.#surfaces.showLoggedChange(conversation, message.path, message.refs))
      case 'unqueue':
        return void conversation?.agent.unqueue(message.id)
      case 'runQueue':
        return conversation?.agent.wake()
      case 'draft':
        // The page empties its box as it sends; the words are kept until they are in the log.
        return this.#keepDraft(composerPlace(message.sessionId), message)
      case 'addImage':
        return await this.#addImage(message)
      case 'loadImage':
        return await this.#images.load(message.attachmentId)
      case 'openImage':
        return await this.#images.open(message.attachmentId)
      case 'answerQuestion':
      case 'dismissQuestion':
        return this.#refuse(message.id, refusalOf(window, message))
      case 'questionDraft':
        keepChoices(window.drafts, message.sessionId, message.id, message.choices)
        return this.refresh(message.id)
      case 'loadEarlier':
        return this.#loadEarlier()
      case 'fork':
        return await this.#surfaces.fork(message.sessionId, message.turn)
      case 'openExplorer':
        return await this.#surfaces.openExplorer(message.sessionId)
      case 'openFile':
        return await openFile(conversation?.project.folder, message.path)
      case 'openLink':
        return await openLink(message.href)
      case 'command':
        return await this.#surfaces.run(message.command)
      default:
        return assertNever(message)
    }
  }

  async #addImage(message: Extract<FromConversation, { kind: 'addImage' }>): Promise<void> {
    const { conversations, drafts, projects } = this.#window
    const project = conversations.find(message.sessionId ?? '')?.project ?? conversations.shown?.project ?? projects[0]
    const place = composerPlace(message.sessionId)
    await this.#images.add(project, message, image => drafts.addImage(place, shownImage(image)))
  }

  #keepDraft(place: string, { text, images }: Extract<FromConversation, { kind: 'draft' }>): void {
    if (place !== this.#sending) this.#window.drafts.keep(place, text, images)
  }

  /** What cannot be sent goes back into its composer; the draft is let go of once the words are in the log. */
  async #send({ sessionId, text, images = [] }: Extract<FromConversation, { kind: 'send' }>): Promise<void> {
    const place = composerPlace(sessionId)
    this.#window.drafts.keep(place, text, images)
    let sent = false
    this.#sending = place
    try {
      const { shown } = this.#window.conversations
      assertTypedFor(sessionId, shown)
      sent = await send(this.#window, text, shown, images)
    } finally {
      this.#sending = undefined
      if (sent) this.#window.drafts.keep(place, '')
      else this.#page?.post({ kind: 'composer', sessionId, text, images, whenEmpty: true, at: Date.now() })
    }
  }

  /** What does not count is said on the card, which stays as it is. */
  #refuse(id: string, text: string | undefined): void {
    if (text !== undefined) this.#page?.post({ kind: 'questionRefused', id, text })
  }

  #loadEarlier(): void {
    const end = this.#first
    this.#first = Math.max(0, end - SHARE)
    const items = this.#conversation?.transcript.items.slice(this.#first, end) ?? []
    this.#page?.post({ kind: 'prepend', items: items.map(this.#complete) })
    this.#draw()
  }
}

/** Reviews that wait are counted by the Plans view. */
function badgeOf(shown: Conversation | undefined): vscode.ViewBadge | undefined {
  return shown !== undefined && shown.questions.length > 0
    ? { value: 1, tooltip: 'The agent waits for your answer' }
    : undefined
}
