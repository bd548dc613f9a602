// Search within the drawn plan. Matches are highlighted beside the document, never in it: its text stays as it is.
import { html, type PropertyValues, type TemplateResult } from 'lit'
import type { MarkdownView } from '../markdown/markdown-view.ts'
import { PageElement } from '../page-element.ts'
import { icon } from '../parts.ts'
import { unfoldAround } from './diagrams.ts'
import { readingWords as words } from './reading-words.ts'
import { matchesIn, rangeOf, type TextMatch } from './text-matches.ts'

const all = 'plan-search'
const one = 'plan-search-current'
/** More are counted as "and more". */
const most = 5_000

/** `<plan-search>`; `view` is what it searches. Closed, it draws nothing. */
export class PlanSearch extends PageElement {
  static override properties = {
    view: { attribute: false },
    open: { state: true },
    query: { state: true },
    found: { state: true },
    at: { state: true },
  }
  declare view: MarkdownView | null
  declare open: boolean
  declare query: string
  declare found: readonly TextMatch[]
  declare at: number

  #before: Element | null = null
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor() {
    super()
    this.view = null
    this.open = false
    this.query = ''
    this.found = []
    this.at = -1
  }

  /** Opens it, or takes the focus back to it. Words that are selected in the plan are searched for. */
  show(): void {
    if (!this.open) this.#before = document.activeElement
    const selection = document.getSelection()
    const words = selection?.toString().trim() ?? ''
    const inPlan = this.view?.contains(selection?.anchorNode ?? null) ?? false
    if (inPlan && words !== '' && words.length < 200 && !words.includes('\n')) this.query = words
    this.open = true
    void this.updateComplete.then(() => {
      const input = this.querySelector('input')
      input?.focus()
      input?.select()
      this.refresh()
    })
  }

  close(): void {
    this.open = false
    this.found = []
    this.#highlight()
    if (this.#before instanceof HTMLElement && this.#before.isConnected) this.#before.focus()
  }

  /** Searches anew: the plan or what is drawn of it changed. The match that was reached stays the one. */
  refresh(): void {
    if (!this.open || !this.view) return
    const reached = this.found[this.at]
    const isFirst = this.found.length === 0
    this.found = matchesIn(this.view, this.query, most + 1)
    const same = this.found.findIndex(({ block, start }) => block === reached?.block && start >= reached.start)
    this.at = same >= 0 ? same : this.#firstInView()
    this.#highlight()
    // In a plan that is still being drawn the first match may come late.
    if (isFirst && this.found.length > 0) this.#scroll()
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    clearTimeout(this.#timer)
    this.found = []
    this.#highlight()
  }

  protected override updated(changed: PropertyValues<PlanSearch>): void {
    super.updated(changed)
    this.classList.toggle('open', this.open)
  }

  protected override render(): TemplateResult {
    if (!this.open) return html``
    const tool = (name: string, label: string, act: () => void): TemplateResult =>
      html`<button type="button" class="tool" aria-label=${label} title=${label} @click=${act}>${icon(name)}</button>`
    return html`<div role="search" @keydown=${(event: KeyboardEvent) => this.#key(event)}>
      <input
        type="text"
        aria-label=${words.searchLabel}
        placeholder=${words.search}
        .value=${this.query}
        @input=${(event: Event) => this.#type(event)}
      >
      <span role="status" class="dim">${this.#count()}</span>
      ${tool('arrow-up', words.previous, () => this.#step(-1))}
      ${tool('arrow-down', words.next, () => this.#step(1))}
      ${tool('close', words.close, () => this.close())}
    </div>`
  }

  #count(): string {
    if (this.query === '') return ''
    if (this.found.length > 0) {
      return words.found(this.at + 1, Math.min(this.found.length, most), this.found.length > most)
    }
    return this.view?.hasAttribute('aria-busy') ? words.foundSoFar : words.foundNone
  }

  #type(event: Event): void {
    if (!(event.target instanceof HTMLInputElement)) return
    this.query = event.target.value
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.found = []
      this.refresh()
    }, 60)
  }

  #key(event: KeyboardEvent): void {
    if (event.isComposing) return
    if (event.key === 'Escape') this.close()
    else if (event.key === 'Enter' && event.target instanceof HTMLInputElement) this.#step(event.shiftKey ? -1 : 1)
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  #step(by: number): void {
    const count = Math.min(this.found.length, most)
    if (count === 0) return
    this.at = (this.at + by + count) % count
    this.#highlight()
    this.#scroll()
  }

  #firstInView(): number {
    const top = this.view?.parentElement?.getBoundingClientRect().top ?? 0
    const at = this.found.findIndex(({ block }) => block.getBoundingClientRect().bottom > top)
    return at >= 0 ? at : this.found.length - 1
  }

  #scroll(): void {
    const match = this.found[this.at]
    if (!match) return
    const element = rangeOf(match).startContainer.parentElement
    if (element) unfoldAround(element)
    element?.scrollIntoView({ block: 'center' })
    // Parts that were out of view get their true height now.
    requestAnimationFrame(() => element?.scrollIntoView({ block: 'center' }))
  }

  #highlight(): void {
    const current = this.found[this.at]
    if (!('highlights' in CSS)) {
      // An older engine: the match that was reached is at least selected.
      const selection = document.getSelection()
      if (current) selection?.setBaseAndExtent(...ends(rangeOf(current)))
      return
    }
    CSS.highlights.set(all, new Highlight(...this.found.slice(0, most).map(rangeOf)))
    CSS.highlights.set(one, new Highlight(...(current ? [rangeOf(current)] : [])))
  }
}

function ends(range: Range): [Node, number, Node, number] {
  return [range.startContainer, range.startOffset, range.endContainer, range.endOffset]
}

customElements.define('plan-search', PlanSearch)
