// Where a person writes: sends, queues, offers commands, and never loses what was typed.
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit'
import { live } from 'lit/directives/live.js'
import type { Image } from '../image-messages.ts'
import type { AddingImage } from '../images/image-adding.ts'
import { AttachEvent, attachButton, carriesFiles, ImagesEvent, imageStrip, pastedFiles } from '../images/image-strip.ts'
import type { ConversationState } from '../messages.ts'
import { PageElement } from '../page-element.ts'
import { button, growToText, icon } from '../parts.ts'
import { Pause } from '../pause.ts'
import { act } from './act.ts'
import { commandList, matchingCommands, type OfferedCommand } from './command-list.ts'
import { queueList, waitingQuestion, waitingReview } from './queue.ts'
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
    images: { attribute: false },
    adding: { attribute: false },
    holding: { attribute: false },
    imageProblem: { attribute: false },
    filesOver: { state: true },
    chosen: { state: true },
    listClosed: { state: true },
  }
  declare state: ConversationState
  declare text: string
  /** Stored already; they go along with what is sent. */
  declare images: readonly Image[]
  declare adding: readonly AddingImage[]
  /** What is written goes out once all are stored. */
  declare holding: boolean
  declare imageProblem: string | null
  /** Files are dragged over the composer. */
  declare filesOver: boolean
  declare chosen: number
  /** Escape closed the list of commands for the text as it is. */
  declare listClosed: boolean

  readonly #draft = new Pause(() => {
    act(this, { kind: 'draft', sessionId: this.state.sessionId, text: this.text, ...this.#along })
  })

  constructor() {
    super()
    this.text = ''
    this.images = []
    this.adding = []
    this.holding = false
    this.imageProblem = null
    this.filesOver = false
    this.chosen = 0
    this.listClosed = false
  }

  get #along(): { images?: Image[] } {
    return this.images.length === 0 ? {} : { images: [...this.images] }
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

  /** What is held besides the text has changed. */
  keepDraftSoon(): void {
    this.#draft.soon()
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

  /** Sends what is written; while an image of it is on its way, once that is stored. */
  send(): void {
    const text = this.text.trim()
    if (this.state.readOnly !== null) return
    if (this.adding.length > 0) {
      this.dispatchEvent(new Event('hold', { bubbles: true }))
      return
    }
    if (text === '' && this.images.length === 0) return
    this.#draft.cancel()
    const { sessionId } = this.state
    act(this, { kind: 'send', sessionId, text, ...this.#along })
    this.text = ''
    this.images = []
    this.dispatchEvent(new TypedEvent(''))
    this.dispatchEvent(new ImagesEvent([]))
    this.#draft.cancel()
    act(this, { kind: 'draft', sessionId, text: '' })
  }

  #paste(event: ClipboardEvent): void {
    const files = pastedFiles(event)
    if (files.length === 0) return
    event.preventDefault()
    this.dispatchEvent(new AttachEvent(files))
  }

  #drag(event: DragEvent): void {
    if (!carriesFiles(event)) return
    event.preventDefault()
    this.filesOver = event.type === 'dragover'
    if (event.type !== 'drop' || event.dataTransfer === null) return
    this.#attach([...event.dataTransfer.files])
  }

  #attach(files: readonly File[]): void {
    this.dispatchEvent(new AttachEvent(files))
    this.focus()
  }

  #remove(image: Image): void {
    this.dispatchEvent(new ImagesEvent(this.images.filter(each => each !== image)))
    this.focus()
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
      if (!event.repeat) this.send()
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
      ${state.questions.length > 0 ? waitingQuestion(this) : nothing}
      ${state.reviewWaiting ? waitingReview(state.reviewWaiting, state.running, this) : nothing}
      ${state.queue.length > 0 ? queueList(state, this) : nothing}
      <div
        class="box ${this.filesOver ? 'files-over' : ''}"
        @paste=${this.#paste}
        @dragover=${this.#drag}
        @dragleave=${this.#drag}
        @drop=${this.#drag}
      >
        ${offered.length > 0 ? commandList(offered, this.chosen, command => this.#take(command)) : nothing}
        ${imageStrip({
          images: this.images,
          adding: this.adding,
          holding: this.holding,
          problem: this.imageProblem,
          remove: image => this.#remove(image),
        })}
        ${this.#textBox(offered.length > 0)}
        <div class="tools-row">
          ${attachButton(files => this.#attach(files))}
          <span class="grow"></span>
          ${state.running ? button({ label: words.stop, icon: 'debug-stop', secondary: true, act: () => act(this, { kind: 'stop' }) }) : nothing}
          <button
            type="button"
            class="send"
            title=${state.running ? words.queue : words.send}
            aria-label=${state.running ? words.queue : words.send}
            @click=${() => this.send()}
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
}

customElements.define('message-composer', Composer)

declare global {
  interface HTMLElementTagNameMap {
    'message-composer': Composer
  }
}
