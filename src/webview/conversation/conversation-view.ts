// The conversation view: takes the host's messages, draws at most once a frame, and sends what a person does.
import { html, nothing, type TemplateResult } from 'lit'
import type { Host } from '../host.ts'
import type { ImageAnswer } from '../images/image-adding.ts'
import { AttachEvent, ImagesEvent } from '../images/image-strip.ts'
import { ImageEvent, imageText, takeBytes } from '../images/image-thumb.ts'
import { words as imageWords } from '../images/words.ts'
import { OpenEvent } from '../markdown/markdown-view.ts'
import type { ConversationState, FromConversation, OpenQuestion, ToConversation } from '../messages.ts'
import { PageElement } from '../page-element.ts'
import type { Item } from '../transcript-messages.ts'
import { ActEvent, act } from './act.ts'
import { announcement } from './announce.ts'
import { banners } from './banners.ts'
import { TypedEvent } from './composer.ts'
import { ComposerDraft } from './composer-draft.ts'
import type { Draft, SavedDrafts } from './drafts.ts'
import { emptyState } from './empty-state.ts'
import './header.ts'
import { KeptWords } from './kept-words.ts'
import './plan-steps.ts'
import { ChosenEvent } from './question-card.ts'
import { receiveItems } from './transcript.ts'
import { TakeEvent } from './transcript-entry.ts'
import './transcript-view.ts'
import { words } from './words.ts'

/** Milliseconds that offered text waits for a state before it counts for the conversation shown. */
const offerDelay = 100

/** `<conversation-view>`; `host` is set before it is connected. */
export class ConversationView extends PageElement {
  declare host: Host<FromConversation, SavedDrafts>

  readonly #kept = new KeptWords(() => this.host)
  #state: ConversationState | null = null
  #items: readonly Item[] = []
  readonly #draft = new ComposerDraft(this.#kept, message => this.host.post(message))
  #announcement = ''
  #frame: number | undefined
  #offered: Extract<ToConversation, { kind: 'composer' }> | undefined
  #offering: ReturnType<typeof setTimeout> | undefined

  constructor() {
    super()
    this.addEventListener('act', event => {
      if (event instanceof ActEvent) this.#act(event.message)
    })
    this.addEventListener('typed', event => {
      if (event instanceof TypedEvent) this.#change({ text: event.text })
    })
    this.addEventListener('attach', event => {
      if (event instanceof AttachEvent) this.#attach(event.files)
    })
    this.addEventListener('images', event => {
      if (event instanceof ImagesEvent) this.#change({ images: event.images })
    })
    this.addEventListener('image', event => {
      if (event instanceof ImageEvent) this.host.post({ kind: event.kind, attachmentId: event.attachmentId })
    })
    this.addEventListener('hold', () => {
      this.#draft.hold()
      this.#say(imageWords.sendsWhenStored)
      this.#drawSoon()
    })
    this.addEventListener('open-target', event => {
      if (!(event instanceof OpenEvent)) return
      const { what, address } = event
      this.host.post(what === 'file' ? { kind: 'openFile', path: address } : { kind: 'openLink', href: address })
    })
    this.addEventListener('leave', () => this.querySelector<HTMLElement>('conversation-header')?.focus())
    this.addEventListener('chosen', event => {
      const sessionId = this.#state?.sessionId
      if (event instanceof ChosenEvent && sessionId) this.#kept.keepChoices(sessionId, event.id, event.choices)
    })
    this.addEventListener('take', event => {
      if (event instanceof TakeEvent) this.#take(event)
    })
    this.addEventListener('go-to-question', () => this.querySelector('question-card')?.focus())
    for (const name of ['blur', 'pagehide']) window.addEventListener(name, () => this.#keepDrafts())
  }

  get #composer(): HTMLElementTagNameMap['message-composer'] | null {
    return this.querySelector('message-composer')
  }

  /** Takes a message of the host; what it changes is drawn in the next frame. */
  receive(message: ToConversation): void {
    switch (message.kind) {
      case 'state':
        this.#receiveState(message.state)
        break
      case 'composer':
        if (message.sessionId && message.sessionId !== this.#state?.sessionId) {
          this.#kept.putBack(message.sessionId, { text: message.text, images: message.images ?? [] })
          break
        }
        this.#offered = message
        this.#offering = setTimeout(() => this.#takeOffered(), offerDelay)
        break
      case 'focusComposer':
        void this.#drawn().then(() => this.#composer?.focus())
        break
      case 'focusQuestion':
        void this.#drawn().then(() => this.#card(message.id)?.focus())
        break
      case 'questionRefused':
        this.#card(message.id)?.refuse(message.text)
        break
      case 'imageAdded':
      case 'imageRefused':
        this.#receiveImage(message)
        break
      case 'imageBytes':
        takeBytes(this, message.attachmentId, message.data)
        break
      default:
        this.#say(announcement(this.#items, message))
        this.#items = receiveItems(this.#items, message)
    }
    this.#drawSoon()
  }

  #receiveState(state: ConversationState): void {
    const before = this.#state
    if (before === null) this.#draft.open(state.sessionId)
    else if (before.sessionId !== state.sessionId) {
      this.#composer?.keepDraft()
      this.#draft.turnTo(state.sessionId)
    }
    this.#hearQuestions(before, state)
    this.#state = state
    this.#takeOffered()
    if (before?.running && !state.running && !state.reviewWaiting) this.#say(words.finished)
  }

  /** Text the host offers may come just before the state that says for which conversation it is. */
  #takeOffered(): void {
    const offered = this.#offered
    if (!offered || !this.#state) return
    clearTimeout(this.#offering)
    this.#offered = undefined
    this.#draft.offer(offered)
    this.#drawSoon()
  }

  #change(draft: Partial<Draft>): void {
    this.#draft.change(draft)
    this.#draft.adding.holding = false
    this.#drawSoon()
    if (draft.images === undefined) return
    this.#draft.adding.problem = null
    this.#composer?.keepDraftSoon()
  }

  #attach(files: readonly File[]): void {
    this.#draft.attach(files)
    this.#drawSoon()
  }

  #receiveImage(message: ImageAnswer): void {
    const added = this.#draft.answer(message)
    if (added === undefined) return
    this.#say(imageWords.imageAdded(imageText(added)))
    this.#composer?.keepDraftSoon()
    if (this.#draft.release()) void this.#drawn().then(() => this.#composer?.send())
  }

  /** Says what newly waits. */
  #hearQuestions(before: ConversationState | null, { sessionId, questions }: ConversationState): void {
    const known = new Set(before?.questions.map(({ id }) => id))
    const came = before?.sessionId === sessionId ? questions.find(({ id }) => !known.has(id)) : undefined
    if (came !== undefined) this.#say(words.asked(came.questions[0]?.question ?? '', came.questions.length))
    this.#kept.handOver(sessionId, questions)
  }

  /** Words typed for a question that waits no more go into the message box, after what stands there. */
  #take({ id, text }: TakeEvent): void {
    const sessionId = this.#state?.sessionId
    if (!sessionId) return
    const typed = this.#draft.text
    this.#change({ text: typed === '' ? text : `${typed}\n\n${text}` })
    this.host.post({ kind: 'draft', sessionId, text: this.#draft.text, ...this.#draft.along })
    this.host.post({ kind: 'questionDraft', sessionId, id, choices: [] })
    void this.#drawn().then(() => this.#composer?.focus())
  }

  #card(id: string): HTMLElementTagNameMap['question-card'] | undefined {
    return [...this.querySelectorAll('question-card')].find(card => card.question.id === id)
  }

  #keepDrafts(): void {
    this.#composer?.keepDraft()
    for (const card of this.querySelectorAll('question-card')) card.keepDraft()
  }

  #say(text: string | null): void {
    if (text !== null) this.#announcement = text
  }

  #act(message: FromConversation): void {
    if (message.kind === 'command' || message.kind === 'openReview') this.#composer?.keepDraft()
    if (message.kind === 'send') this.querySelector('transcript-view')?.toEnd()
    this.host.post(message)
  }

  #drawSoon(): void {
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = undefined
      this.requestUpdate()
    })
  }

  async #drawn(): Promise<void> {
    this.requestUpdate()
    await this.updateComplete
    await this.#composer?.updateComplete
  }

  protected override render(): TemplateResult {
    const state = this.#state
    if (!state) return html`<p class="nothing dim">${words.loading}</p>`
    this.toggleAttribute('read-only', state.readOnly !== null)
    const empty = this.#items.length === 0 && state.earlier === 0 && !state.running && state.questions.length === 0
    return html`
      <div class="hidden" role="status">${this.#announcement}</div>
      <conversation-header .state=${state}></conversation-header>
      ${banners(state, message => act(this, message))}
      ${
        empty
          ? html`<div class="scroll" tabindex="0" role="region" aria-label=${words.transcript}>
              ${state.noFolder ? nothing : emptyState(this.#starts(state))}
            </div>`
          : html`<transcript-view
              .items=${this.#items}
              .earlier=${state.earlier}
              .activity=${state.activity ?? (state.running && !state.waitsForYou ? words.working : null)}
              .questions=${state.questions}
              .sessionId=${state.sessionId}
              .kept=${(question: OpenQuestion) => this.#kept.choices(state.sessionId, question)}
            ></transcript-view>`
      }
      ${
        state.plan === null
          ? nothing
          : html`<plan-steps .plan=${state.plan} .quiet=${state.readOnly !== null} .running=${state.running}></plan-steps>`
      }
      ${
        state.noFolder || state.readOnly !== null
          ? nothing
          : html`<message-composer
              .state=${state}
              .text=${this.#draft.text}
              .images=${this.#draft.images}
              .adding=${this.#draft.adding.of(state.sessionId)}
              .holding=${this.#draft.adding.holding}
              .imageProblem=${this.#draft.adding.problem}
            ></message-composer>`
      }
    `
  }

  #starts(state: ConversationState): Parameters<typeof emptyState>[0] {
    return {
      plan: () => {
        if (state.mode.active === state.mode.pending) act(this, { kind: 'toggleMode' })
        this.#composer?.focus()
      },
      demo: () => {
        if (this.#draft.text === '') this.#change({ text: words.demoPrompt })
        this.#composer?.focus()
      },
      open: () => act(this, { kind: 'command', command: 'planMode.openConversation' }),
    }
  }
}

customElements.define('conversation-view', ConversationView)
