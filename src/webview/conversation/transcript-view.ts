// The transcript: scrolls with what is new unless the reader scrolled up, and tells a screen reader whole messages.
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import type { Item } from '../messages.ts'
import { PageElement } from '../page-element.ts'
import { icon, quietButton } from '../parts.ts'
import { act } from './act.ts'
import './tool-group.ts'
import './transcript-entry.ts'
import { rows } from './transcript.ts'
import { words } from './words.ts'

/** Pixels from the end within which the reader counts as being at the end. */
const nearEnd = 24

/** `<transcript-view>`. */
export class TranscriptView extends PageElement {
  static override properties = {
    items: { attribute: false },
    earlier: { attribute: false },
    activity: { attribute: false },
    atEnd: { state: true },
  }
  declare items: readonly Item[]
  declare earlier: number
  /** What the agent is doing, while it works. */
  declare activity: string | null
  declare atEnd: boolean

  #anchor: { readonly element: Element; readonly top: number } | undefined
  #top = 0
  readonly #resize = new ResizeObserver(() => this.#follow())

  constructor() {
    super()
    this.items = []
    this.earlier = 0
    this.activity = null
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
    this.#anchor = grewAtTop && first ? { element: first, top: first.getBoundingClientRect().top } : undefined
  }

  protected override updated(): void {
    const anchor = this.#anchor
    const area = this.#area
    if (anchor?.element.isConnected && area && !this.atEnd) {
      area.scrollTop += anchor.element.getBoundingClientRect().top - anchor.top
    }
    this.#follow()
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
            row =>
              row.kind === 'tools'
                ? html`<tool-group data-row .items=${row.items}></tool-group>`
                : html`<transcript-entry data-row class=${row.item.kind} .item=${row.item} .latest=${row.id === latestPlan}></transcript-entry>`,
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
