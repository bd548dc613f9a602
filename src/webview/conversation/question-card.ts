// Questions of the agent that wait: options, the person's own words, and the two ways out. Keeps what is typed.
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit'
import { live } from 'lit/directives/live.js'
import '../markdown/markdown-view.ts'
import { visible } from '../markdown/visible.ts'
import type { Choice, OpenQuestion } from '../messages.ts'
import { PageElement } from '../page-element.ts'
import { button, growToText, icon } from '../parts.ts'
import { Pause } from '../pause.ts'
import { act } from './act.ts'
import { answerOf, choicesFrom, choose, chooseOwn, isOpen, type Question, sentChoices, write } from './choices.ts'
import { words } from './words.ts'

/** Fired, bubbling, at each change; the view keeps the choices with the page. Null: they are on their way. */
export class ChosenEvent extends Event {
  readonly id: string
  readonly choices: readonly Choice[] | null

  constructor(id: string, choices: readonly Choice[] | null) {
    super('chosen', { bubbles: true })
    this.id = id
    this.choices = choices
  }
}

/** `<question-card>`; `kept` counts when the card begins. */
export class QuestionCard extends PageElement {
  static override properties = {
    question: { attribute: false },
    sessionId: { attribute: false },
    kept: { attribute: false },
    choices: { state: true },
    trouble: { state: true },
    tried: { state: true },
    sent: { state: true },
  }
  declare question: OpenQuestion
  declare sessionId: string
  declare kept: readonly Choice[]
  declare choices: readonly Choice[]
  /** Why the last answer did not count. */
  declare trouble: string | null
  /** Sending was tried: what is missing is marked. */
  declare tried: boolean
  declare sent: boolean

  readonly #draft = new Pause(() => this.#post())

  constructor() {
    super()
    this.trouble = null
    this.tried = false
    this.sent = false
    this.addEventListener('keydown', event => this.#key(event))
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.#draft.now()
  }

  /** To the first control of the first question that is open. */
  override focus(): void {
    const open = this.question.questions.findIndex((question, index) => isOpen(question, this.#choice(index)))
    this.#focusOn(Math.max(0, open))
  }

  /** Sends a draft that still waits for a pause. */
  keepDraft(): void {
    this.#draft.now()
  }

  /** The host did not take the answer; it can be changed and sent again. */
  refuse(text: string): void {
    this.sent = false
    this.trouble = text
    this.#keep()
  }

  protected override willUpdate(changed: PropertyValues<QuestionCard>): void {
    if (changed.has('question') && changed.get('question')?.id !== this.question.id)
      this.choices = choicesFrom(this.question.questions, this.kept)
  }

  protected override updated(): void {
    for (const box of this.querySelectorAll('textarea')) growToText(box)
  }

  #choice(index: number): Choice {
    return this.choices[index] ?? { id: '', selected: [], custom: '', own: false }
  }

  #change(index: number, choice: Choice): void {
    this.choices = this.choices.with(index, choice)
    this.trouble = null
    this.#keep()
  }

  #keep(): void {
    this.dispatchEvent(new ChosenEvent(this.question.id, this.choices))
    this.#draft.soon()
  }

  #post(choices: readonly Choice[] = this.choices): void {
    act(this, { kind: 'questionDraft', sessionId: this.sessionId, id: this.question.id, choices: [...choices] })
  }

  #key(event: KeyboardEvent): void {
    if (event.isComposing || event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    if (!event.repeat) this.#send()
  }

  #send(): void {
    if (this.sent) return
    const open = this.question.questions.findIndex((question, index) => isOpen(question, this.#choice(index)))
    this.tried = true
    if (open >= 0) return void this.updateComplete.then(() => this.#focusOn(open))
    this.#draft.cancel()
    this.#post(sentChoices(this.choices))
    this.#leave()
    const answers = this.choices.map(answerOf)
    act(this, { kind: 'answerQuestion', sessionId: this.sessionId, id: this.question.id, answers })
  }

  #dismiss(): void {
    if (this.sent) return
    this.#draft.now()
    this.#leave()
    act(this, { kind: 'dismissQuestion', sessionId: this.sessionId, id: this.question.id })
  }

  /** A button that is disabled loses the focus; the card keeps it. */
  #leave(): void {
    this.querySelector<HTMLElement>('.card')?.focus()
    this.sent = true
    this.trouble = null
    this.dispatchEvent(new ChosenEvent(this.question.id, null))
  }

  #focusOn(index: number): void {
    const field = this.querySelectorAll('fieldset')[index]
    const target =
      field?.querySelector<HTMLElement>('input:checked') ?? field?.querySelector<HTMLElement>('input, textarea')
    target?.focus()
  }

  protected override render(): TemplateResult {
    const { questions } = this.question
    return html`<div class="card question" tabindex="-1" role="group" aria-label=${words.asksYou(questions.length)}>
      <p class="line">
        ${icon('question')}<b class="name">${words.asksYou(questions.length)}</b>
        <span class="state small">${icon('circle-large-filled')}${words.waitsForAnswer}</span>
      </p>
      ${questions.map((question, index) => this.#question(question, index))}
      ${this.trouble === null ? nothing : html`<p class="trouble" role="alert">${icon('error')}<span>${this.trouble}</span></p>`}
      <div class="foot">
        ${button({ label: words.dismissQuestion, title: words.dismissHint, secondary: true, disabled: this.sent, act: () => this.#dismiss() })}
        ${button({ label: words.sendAnswer, title: words.sendAnswerHint, disabled: this.sent, act: () => this.#send() })}
      </div>
    </div>`
  }

  #question(question: Question, index: number): TemplateResult {
    const choice = this.#choice(index)
    const missing = this.tried && isOpen(question, choice)
    const trouble = `${this.question.id}-${index}-trouble`
    return html`<fieldset ?disabled=${this.sent} aria-describedby=${missing ? trouble : nothing}>
      <legend>
        ${question.header ? html`<span class="dim small">${visible(question.header)}</span>` : nothing}
        <span class="asked">${visible(question.question)}</span>
        ${question.multiSelect ? html`<span class="dim small">${words.severalAllowed}</span>` : nothing}
      </legend>
      ${
        question.detail === undefined
          ? nothing
          : html`<div class="detail" tabindex="0" role="region" aria-label=${words.questionDetail}>
              <markdown-view .text=${question.detail}></markdown-view>
            </div>`
      }
      ${question.options.map(option => this.#option(question, index, option))}
      ${question.options.length > 0 ? this.#ownOption(question, index) : nothing}
      ${this.#ownWords(question, index, missing)}
      ${missing ? html`<p class="trouble" id=${trouble} role="alert">${icon('error')}<span>${question.options.length > 0 ? words.answerMissing : words.wordsMissing}</span></p>` : nothing}
    </fieldset>`
  }

  #option(question: Question, index: number, option: Question['options'][number]): TemplateResult {
    const choice = this.#choice(index)
    return html`<label class="option">
      ${this.#input(question, index, choice.selected.includes(option.label), () => choose(question, this.#choice(index), option.label))}
      <span>
        <span>${visible(option.label)}</span>
        ${option.description ? html`<span class="dim small">${visible(option.description)}</span>` : nothing}
      </span>
    </label>`
  }

  #ownOption(question: Question, index: number): TemplateResult {
    const { own } = this.#choice(index)
    const toggled = (): Choice =>
      chooseOwn(question, this.#choice(index), !question.multiSelect || !this.#choice(index).own)
    return html`<label class="option">${this.#input(question, index, own, toggled)}<span>${words.ownAnswer}</span></label>`
  }

  /** The native inputs: arrow keys, groups and descriptions come with them. */
  #input(question: Question, index: number, checked: boolean, next: () => Choice): TemplateResult {
    return html`<input
      type=${question.multiSelect ? 'checkbox' : 'radio'}
      name="${this.question.id}-${index}"
      .checked=${live(checked)}
      @change=${() => this.#change(index, next())}
    />`
  }

  #ownWords(question: Question, index: number, missing: boolean): TemplateResult {
    const { custom, own } = this.#choice(index)
    const typed = (event: Event): void => {
      if (event.target instanceof HTMLTextAreaElement) {
        this.#change(index, write(question, this.#choice(index), event.target.value))
      }
    }
    return html`<textarea
      class="text-box ${own ? '' : 'idle'}"
      rows="1"
      aria-label="${words.ownAnswer}: ${visible(question.question)}"
      aria-invalid=${missing ? 'true' : nothing}
      placeholder=${question.options.length > 0 ? words.ownPlaceholder : words.answerPlaceholder}
      .value=${live(custom)}
      @input=${typed}
      @blur=${() => this.#draft.now()}
    ></textarea>`
  }
}

customElements.define('question-card', QuestionCard)

declare global {
  interface HTMLElementTagNameMap {
    'question-card': QuestionCard
  }
}
