// Where a person writes: sends, queues, offers commands, and never loses what was typed.
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit'
import { live } from 'lit/directives/live.js'
import { visible } from '../markdown/visible.ts'
import type { ConversationState } from '../messages.ts'
import { PageElement } from '../page-element.ts'
import { button, growToText, icon, quietButton } from '../parts.ts'
import { Pause } from '../pause.ts'
import { act } from './act.ts'
import { commandList, matchingCommands, type OfferedCommand } from './command-list.ts'
import { words } from './words.ts'

/** Fired, bubbling, at each keystroke; the view keeps the text with the page. */
export class TypedEvent extends Event {
  readonly text: string

  constructor(text: string) {
    super('typed', { bubbles: true })
    this.text = text
  }
}

/** `<message-composer>`. */
export class Composer extends PageElement {
  static override properties = {
    state: { attribute: false },
    text: { attribute: false },
    chosen: { state: true },
    listClosed: { state: true },
  }
  declare state: ConversationState
  declare text: string
  declare chosen: number
  /** Escape closed the list of commands for the text as it is. */
  declare listClosed: boolean

  readonly #draft = new Pause(() => act(this, { kind: 'draft', sessionId: this.state.sessionId, text: this.text }))

  constructor() {
    super()
    this.text = ''
    this.chosen = 0
    this.listClosed = false
  }

  get #box(): HTMLTextAreaElement | null {
    return this.querySelector('textarea')
  }

  override focus(): void {
    this.#box?.focus()
  }

  /** Sends a draft that still waits for a pause. */
  keepDraft(): void {
    this.#draft.now()
  }

  get #offered(): readonly OfferedCommand[] {
    return this.listClosed ? [] : matchingCommands(this.text, this.state.commands)
  }

  #type(text: string): void {
    this.text = text
    this.chosen = 0
    this.listClosed = false
    this.dispatchEvent(new TypedEvent(text))
    this.#draft.soon()
  }

  #send(): void {
    const text = this.text.trim()
    if (text === '' || this.state.readOnly !== null) return
    this.#draft.cancel()
    const { sessionId } = this.state
    act(this, { kind: 'send', sessionId, text })
    this.text = ''
    this.dispatchEvent(new TypedEvent(''))
    act(this, { kind: 'draft', sessionId, text: '' })
  }

  #take(command: OfferedCommand): void {
    this.#type(`/${command.name} `)
    this.focus()
  }

  #key(event: KeyboardEvent): void {
    // 229 is what a browser reports for a key that an input method took.
    if (event.isComposing || event.keyCode === 229) return
    if (this.#listKey(event)) event.preventDefault()
    else if (event.key === 'Enter' && !event.shiftKey && !event.altKey) {
      event.preventDefault()
      if (!event.repeat) this.#send()
    } else if (event.key === 'Tab' && event.shiftKey && this.state.shiftTabTogglesMode) {
      event.preventDefault()
      if (!event.repeat) act(this, { kind: 'toggleMode' })
    } else if (event.key === 'Escape') {
      event.preventDefault()
      this.dispatchEvent(new Event('leave', { bubbles: true }))
    }
  }

  /** Keys of the open list; true when the key was one of them. */
  #listKey(event: KeyboardEvent): boolean {
    const offered = this.#offered
    const command = offered[this.chosen]
    if (!command || event.shiftKey) return false
    switch (event.key) {
      case 'ArrowDown':
      case 'ArrowUp': {
        const step = event.key === 'ArrowDown' ? 1 : -1
        this.chosen = (this.chosen + step + offered.length) % offered.length
        return true
      }
      case 'Enter':
        // A name typed to its end needs no completing: Enter sends it.
        if (this.text === `/${command.name}`) return false
        this.#take(command)
        return true
      case 'Tab':
        this.#take(command)
        return true
      case 'Escape':
        this.listClosed = true
        return true
      default:
        return false
    }
  }

  protected override updated(changed: PropertyValues<Composer>): void {
    if (changed.has('text') && this.#box) growToText(this.#box)
    if (changed.has('chosen')) this.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  }

  protected override render(): TemplateResult {
    const { state } = this
    const offered = this.#offered
    return html`
      ${state.questions.length > 0 ? this.#questionWaiting() : nothing}
      ${state.reviewWaiting ? this.#reviewWaiting(state.reviewWaiting) : nothing}
      ${state.queue.length > 0 ? this.#queue() : nothing}
      <div class="box">
        ${offered.length > 0 ? commandList(offered, this.chosen, command => this.#take(command)) : nothing}
        ${this.#textBox(offered.length > 0)}
        <div class="tools-row">
          <span class="grow"></span>
          ${state.running ? button({ label: words.stop, icon: 'debug-stop', secondary: true, act: () => act(this, { kind: 'stop' }) }) : nothing}
          <button
            type="button"
            class="send"
            title=${state.running ? words.queue : words.send}
            aria-label=${state.running ? words.queue : words.send}
            @click=${() => this.#send()}
          >${icon('send')}</button>
        </div>
      </div>
      <span id="composer-hint" class="hidden">${words.hint(state.shiftTabTogglesMode)}</span>
    `
  }

  #textBox(listOpen: boolean): TemplateResult {
    const typed = (event: Event): void => {
      if (event.target instanceof HTMLTextAreaElement) this.#type(event.target.value)
    }
    return html`<textarea
      rows="2"
      role=${listOpen ? 'combobox' : nothing}
      aria-label=${words.composerLabel}
      aria-describedby="composer-hint"
      aria-autocomplete="list"
      aria-haspopup="listbox"
      aria-expanded=${listOpen ? 'true' : nothing}
      aria-controls=${listOpen ? 'commands' : nothing}
      aria-activedescendant=${listOpen ? `command-${this.chosen}` : nothing}
      title=${words.hintTitle(this.state.shiftTabTogglesMode)}
      placeholder=${words.placeholder}
      .value=${live(this.text)}
      @input=${typed}
      @keydown=${this.#key}
      @blur=${() => this.#draft.now()}
    ></textarea>`
  }

  #reviewWaiting(review: NonNullable<ConversationState['reviewWaiting']>): TemplateResult {
    const open = (): void => act(this, { kind: 'openReview', reviewId: review.reviewId })
    return html`<div class="waiting">
      ${icon('comment-unresolved')}
      <p>${words.reviewWaiting(visible(review.title), this.state.running)}</p>
      ${quietButton({ label: words.review, act: open })}
    </div>`
  }

  #questionWaiting(): TemplateResult {
    const go = (): void => void this.dispatchEvent(new Event('go-to-question', { bubbles: true }))
    return html`<div class="waiting">
      ${icon('question')}
      <p>${words.questionWaiting}</p>
      ${quietButton({ label: words.goToQuestion, act: go })}
    </div>`
  }

  #queue(): TemplateResult {
    const { running, readOnly } = this.state
    const run = quietButton({ label: words.runQueue, icon: 'play', act: () => act(this, { kind: 'runQueue' }) })
    return html`${running || readOnly !== null ? nothing : run}<ul class="queue" aria-label=${words.queued}>
      ${this.state.queue.map(
        prompt => html`<li>
          <span class="dim small">${words.queued} · ${words.target[prompt.target]}</span>
          <span class="text" title=${visible(prompt.text)}>${visible(prompt.text)}</span>
          <button
            type="button"
            class="icon-button"
            title=${words.unqueue(visible(prompt.text))}
            aria-label=${words.unqueue(visible(prompt.text))}
            @click=${() => act(this, { kind: 'unqueue', id: prompt.id })}
          >${icon('close')}</button>
        </li>`,
      )}
    </ul>`
  }
}

customElements.define('message-composer', Composer)

declare global {
  interface HTMLElementTagNameMap {
    'message-composer': Composer
  }
}
