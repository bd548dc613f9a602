// The conversation view: takes the host's messages, draws at most once a frame, and sends what a person does.
import { html, nothing, type TemplateResult } from 'lit'
import type { Host } from '../host.ts'
import { OpenEvent } from '../markdown/markdown-view.ts'
import {
  type ConversationState,
  type FromConversation,
  fromConversation,
  type Item,
  type ToConversation,
} from '../messages.ts'
import { PageElement } from '../page-element.ts'
import { banner } from '../parts.ts'
import { ActEvent, act } from './act.ts'
import { announcement } from './announce.ts'
import { TypedEvent } from './composer.ts'
import { draftOf, draftTime, type SavedDrafts, withDraft } from './drafts.ts'
import { emptyState } from './empty-state.ts'
import './header.ts'
import { receiveItems } from './transcript.ts'
import './transcript-view.ts'
import { words } from './words.ts'

/** Milliseconds that offered text waits for a state before it counts for the conversation shown. */
const offerDelay = 100

/** `<conversation-view>`; `host` is set before it is connected. */
export class ConversationView extends PageElement {
  declare host: Host<FromConversation, SavedDrafts>

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
    for (const name of ['blur', 'pagehide']) window.addEventListener(name, () => this.#composer?.keepDraft())
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
        this.#offered = message
        this.#offering = setTimeout(() => this.#takeOffered(), offerDelay)
        break
      case 'focusComposer':
        void this.#drawn().then(() => this.#composer?.focus())
        break
      default:
        this.#say(announcement(this.#items, message))
        this.#items = receiveItems(this.#items, message)
    }
    this.#drawSoon()
  }

  #receiveState(state: ConversationState): void {
    const before = this.#state
    const kept = draftOf(this.host.saved(), state.sessionId)
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
    const typedAt = draftTime(this.host.saved(), this.#state.sessionId)
    const later = offered.text !== '' && (offered.at ?? 0) > typedAt
    if (!offered.whenEmpty || this.#text === '' || later) this.#keepText(offered.text)
  }

  #keepText(text: string): void {
    this.#text = text
    const saved = this.host.saved() ?? { sessionId: null, drafts: {}, at: {} }
    this.host.save(withDraft(saved, this.#state?.sessionId ?? null, text, Date.now()))
    this.#drawSoon()
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
    const empty = this.#items.length === 0 && state.earlier === 0 && !state.running
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
