// The transcript: scrolls with what is new unless the reader scrolled up, and tells a screen reader whole messages.
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import type { Choice, OpenQuestion } from '../messages.ts'
import { PageElement } from '../page-element.ts'
import { icon, quietButton } from '../parts.ts'
import type { Item } from '../transcript-messages.ts'
import { act } from './act.ts'
import './question-card.ts'
import './tool-group.ts'
import './transcript-entry.ts'
import { type Row, rows, turnOf } from './transcript.ts'
import { words } from './words.ts'

/** Pixels from the end within which the reader counts as being at the end. */
const nearEnd = 24

/** `<transcript-view>`. */
export class TranscriptView extends PageElement {
  static override properties = {
    items: { attribute: false },
    earlier: { attribute: false },
    activity: { attribute: false },
    questions: { attribute: false },
    sessionId: { attribute: false },
    kept: { attribute: false },
    atEnd: { state: true },
  }
  declare items: readonly Item[]
  declare earlier: number
  /** What the agent is doing, while it works. */
  declare activity: string | null
  /** What waits for an answer; a card stands in the place of its entry, or last. */
  declare questions: readonly OpenQuestion[]
  declare sessionId: string | null
  /** What was chosen and typed for a question before. */
  declare kept: (question: OpenQuestion) => readonly Choice[]
  declare atEnd: boolean

  /** The entry whose card has the keyboard. */
  #held: string | undefined
  #anchor: { readonly element: Element; readonly top: number } | undefined
  #top = 0
  readonly #resize = new ResizeObserver(() => this.#follow())

  constructor() {
    super()
    this.items = []
    this.earlier = 0
    this.activity = null
    this.questions = []
    this.sessionId = null
    this.kept = () => []
    this.atEnd = true
    this.addEventListener('unfold', () => {
      // What was opened stays where it is; the end may move away.
      this.atEnd = false
      void this.updateComplete.then(() => requestAnimationFrame(() => this.#measure()))
    })
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.#resize.disconnect()
  }

  get #area(): HTMLElement | null {
    return this.querySelector('.scroll')
  }

  /** Scrolls to the end and stays there. */
  toEnd(): void {
    this.atEnd = true
    this.#follow()
  }

  #measure(): void {
    const area = this.#area
    if (area) this.atEnd = area.scrollHeight - area.scrollTop - area.clientHeight < nearEnd
  }

  /** Only a move upwards leaves the end: text that grows or a view that shrinks moves nothing. */
  #scrolled(): void {
    const top = this.#area?.scrollTop ?? 0
    if (!this.atEnd || top < this.#top) this.#measure()
    this.#top = top
  }

  #follow(): void {
    const area = this.#area
    if (area && this.atEnd) area.scrollTop = area.scrollHeight
  }

  protected override willUpdate(changed: PropertyValues<TranscriptView>): void {
    const before = changed.get('items')
    const grewAtTop = before?.[0] !== undefined && this.items[0]?.id !== before[0].id
    const first = this.querySelector(`[data-row]`)
    const card = document.activeElement?.closest('question-card')
    this.#held = card && this.contains(card) ? card.question.id : undefined
    this.#anchor = grewAtTop && first ? { element: first, top: first.getBoundingClientRect().top } : undefined
  }

  protected override updated(): void {
    if (this.#held !== undefined && !document.activeElement?.closest('question-card')) void this.#keepPlace(this.#held)
    const anchor = this.#anchor
    const area = this.#area
    if (anchor?.element.isConnected && area && !this.atEnd) {
      area.scrollTop += anchor.element.getBoundingClientRect().top - anchor.top
    }
    this.#follow()
  }

  /** A card that is answered leaves the keyboard with the record in its place. */
  async #keepPlace(id: string): Promise<void> {
    const entry = [...this.querySelectorAll('transcript-entry')].find(each => each.item.id === id)
    await entry?.updateComplete
    const card = entry?.querySelector<HTMLElement>('.card') ?? this.#area
    if (document.activeElement === document.body) card?.focus()
  }

  #row(row: Row, latestPlan: string | undefined): TemplateResult {
    return html`<div class="entry" data-row>${this.#entry(row, latestPlan)} ${this.#forkButton(turnOf(row))}</div>`
  }

  #entry(row: Row, latestPlan: string | undefined): TemplateResult {
    if (row.kind === 'tools') return html`<tool-group .items=${row.items}></tool-group>`
    const question = this.questions.find(({ id }) => id === row.id)
    if (question !== undefined) return this.#card(question)
    return html`<transcript-entry class=${row.item.kind} .item=${row.item} .latest=${row.id === latestPlan}></transcript-entry>`
  }

  #card(question: OpenQuestion): TemplateResult {
    return html`<question-card
      data-row
      .question=${question}
      .sessionId=${this.sessionId ?? ''}
      .kept=${this.kept(question)}
    ></question-card>`
  }

  protected override firstUpdated(): void {
    const area = this.#area
    const log = this.querySelector('.log')
    if (!area || !log) return
    this.#resize.observe(area)
    this.#resize.observe(log)
  }

  protected override render(): TemplateResult {
    const latestPlan = this.items.findLast(item => item.kind === 'plan')?.id
    const streaming = this.items.some(item => 'streaming' in item && item.streaming)
    return html`
      <div class="scroll" tabindex="0" role="region" aria-label=${words.transcript} @scroll=${this.#scrolled}>
        ${
          this.earlier > 0
            ? html`<div class="earlier">
                ${quietButton({ label: words.showEarlier(this.earlier), act: () => this.#loadEarlier() })}
              </div>`
            : nothing
        }
        <div class="log" role="log" aria-live="polite" aria-label=${words.transcript} aria-busy=${streaming}>
          ${repeat(
            rows(this.items),
            row => row.id,
            row => this.#row(row, latestPlan),
          )}
          ${repeat(
            this.questions.filter(({ id }) => !this.items.some(item => item.id === id)),
            ({ id }) => id,
            question => this.#card(question),
          )}
        </div>
        ${this.activity === null ? nothing : html`<p class="activity dim">${icon('loading', true)}<span>${this.activity}</span></p>`}
      </div>
      ${
        this.atEnd
          ? nothing
          : html`<div class="jump">${quietButton({ icon: 'arrow-down', label: words.jump, act: () => this.toEnd() })}</div>`
      }
    `
  }

  /** Quiet: seen on hover and focus, and no part of what a screen reader is told of the conversation as it grows. */
  #forkButton(turn: number | undefined): TemplateResult | typeof nothing {
    const { sessionId } = this
    if (turn === undefined || sessionId === null) return nothing
    return html`<div class="turn-end" aria-live="off">
      ${quietButton({
        icon: 'repo-forked',
        label: words.fork,
        title: words.forkTitle(turn),
        act: () => act(this, { kind: 'fork', sessionId, turn }),
      })}
    </div>`
  }

  #loadEarlier(): void {
    this.atEnd = false
    act(this, { kind: 'loadEarlier' })
  }
}

customElements.define('transcript-view', TranscriptView)

declare global {
  interface HTMLElementTagNameMap {
    'transcript-view': TranscriptView
  }
}
