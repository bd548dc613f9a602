// The conversation view: takes the host's messages, draws at most once a frame, and sends what a person does.
import { html, nothing, type TemplateResult } from 'lit'
import type { Host } from '../host.ts'
import { OpenEvent } from '../markdown/markdown-view.ts'
import {
  type ConversationState,
  type FromConversation,
  fromConversation,
  type Item,
  type OpenQuestion,
  type ToConversation,
} from '../messages.ts'
import { PageElement } from '../page-element.ts'
import { banner } from '../parts.ts'
import { ActEvent, act } from './act.ts'
import { announcement } from './announce.ts'
import { TypedEvent } from './composer.ts'
import type { SavedDrafts } from './drafts.ts'
import { emptyState } from './empty-state.ts'
import './header.ts'
import { KeptWords } from './kept-words.ts'
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
  #text = ''
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
      if (event instanceof TypedEvent) this.#keepText(event.text)
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
          this.#kept.putBack(message.sessionId, message.text)
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
      default:
        this.#say(announcement(this.#items, message))
        this.#items = receiveItems(this.#items, message)
    }
    this.#drawSoon()
  }

  #receiveState(state: ConversationState): void {
    const before = this.#state
    const kept = this.#kept.text(state.sessionId)
    if (before === null) {
      this.#text ||= kept
    } else if (before.sessionId !== state.sessionId) {
      this.#composer?.keepDraft()
      // What is typed before a conversation begins goes along into it.
      const begins = before.sessionId === null && kept === ''
      const text = begins ? this.#text : kept
      if (begins) this.#keepText('')
      this.#text = text
    }
    this.#hearQuestions(before, state)
    this.#state = state
    this.#takeOffered()
    if (before?.sessionId !== state.sessionId) this.#keepText(this.#text)
    if (before?.running && !state.running && !state.reviewWaiting) this.#say(words.finished)
  }

  /** Text the host offers may come just before the state that says for which conversation it is. */
  #takeOffered(): void {
    const offered = this.#offered
    if (!offered || !this.#state) return
    clearTimeout(this.#offering)
    this.#offered = undefined
    const typedAt = this.#kept.time(this.#state.sessionId)
    const later = offered.text !== '' && (offered.at ?? 0) > typedAt
    if (!offered.whenEmpty || this.#text === '' || later) this.#keepText(offered.text)
  }

  #keepText(text: string): void {
    this.#text = text
    this.#kept.keepText(this.#state?.sessionId ?? null, text)
    this.#drawSoon()
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
    this.#keepText(this.#text === '' ? text : `${this.#text}\n\n${text}`)
    this.host.post({ kind: 'draft', sessionId, text: this.#text })
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
      ${this.#banners(state)}
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
        state.noFolder || state.readOnly !== null
          ? nothing
          : html`<message-composer .state=${state} .text=${this.#text}></message-composer>`
      }
    `
  }

  #banners(state: ConversationState): TemplateResult | typeof nothing {
    const { problem, readOnly, noFolder } = state
    if (!problem && readOnly === null && !noFolder) return nothing
    const openFolder = {
      label: words.openFolder,
      act: () => act(this, { kind: 'command', command: 'planMode.openFolder' }),
    }
    return html`<div class="banners">
      ${noFolder ? banner({ level: 'info', icon: 'folder-opened', text: words.noFolder, action: openFolder }) : nothing}
      ${readOnly === null ? nothing : this.#readOnly(readOnly, state.continueHere)}
      ${problem ? this.#problem(problem) : nothing}
    </div>`
  }

  #readOnly(text: string, continueHere: boolean): TemplateResult {
    const go = {
      label: words.continueHere,
      act: () => act(this, { kind: 'command', command: 'planMode.continueHere' }),
    }
    return banner({ level: 'warning', icon: 'lock', text, ...(continueHere ? { action: go } : {}) })
  }

  /** The button stands only for a command that a page may run. */
  #problem(problem: NonNullable<ConversationState['problem']>): TemplateResult {
    const mend = fromConversation.safeParse({ kind: 'command', command: problem.action?.command }).data
    const label = problem.action?.label
    return banner({
      level: 'error',
      text: problem.text,
      ...(mend && label ? { action: { label, act: () => act(this, mend) } } : {}),
    })
  }

  #starts(state: ConversationState): Parameters<typeof emptyState>[0] {
    return {
      plan: () => {
        if (state.mode.active === state.mode.pending) act(this, { kind: 'toggleMode' })
        this.#composer?.focus()
      },
      demo: () => {
        if (this.#text === '') this.#keepText(words.demoPrompt)
        this.#composer?.focus()
      },
      open: () => act(this, { kind: 'command', command: 'planMode.openConversation' }),
    }
  }
}

customElements.define('conversation-view', ConversationView)
