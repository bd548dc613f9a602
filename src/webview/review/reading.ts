// The reading side of the review panel: the plan with its outline, search, marks and reach.
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit'
import type { MarkdownView } from '../markdown/markdown-view.ts'
import { PageElement } from '../page-element.ts'
import type { ChangesView, ReachView, RemarkView } from '../review-messages.ts'
import { markChanges, unmarkChanges } from './change-marks.ts'
import { Diagrams, DrawEvent, type Pictures } from './diagrams.ts'
import { FilePreview } from './file-preview.ts'
import { GoEvent, PlanOutline } from './outline.ts'
import './plan-text.ts'
import { knownOf, markReach } from './reach-marks.ts'
import { reachSummary } from './reach-summary.ts'
import { readingWords as words } from './reading-words.ts'
import { remarkedLines } from './remarked-lines.ts'
import { PlanSearch } from './search.ts'
import { sectionAt } from './section-in-view.ts'
import { words as panelWords } from './words.ts'

/** `<plan-reading>`; `remarks`, `active` and `open` are those of `<plan-text>`. */
export class PlanReading extends PageElement {
  static override properties = {
    text: { attribute: false },
    remarks: { attribute: false },
    active: { attribute: false },
    open: { attribute: false },
    reach: { attribute: false },
    changes: { attribute: false },
    pictures: { attribute: false },
    menu: { state: true },
  }
  declare text: string
  declare remarks: readonly RemarkView[]
  declare active: string
  declare open: boolean
  declare reach: ReachView | null
  declare changes: ChangesView | null
  /** Undefined where diagrams stay text. */
  declare pictures: Pictures | undefined
  /** Whether the outline is open where it is a menu. */
  declare menu: boolean

  readonly search = new PlanSearch()
  readonly #outline = new PlanOutline()
  readonly #preview = new FilePreview()
  readonly #diagrams = new Diagrams(text => this.dispatchEvent(new DrawEvent(text)))
  readonly #drawing = new MutationObserver(records => this.#mark(records))
  #frame = 0
  #atChange = -1
  #lines: readonly string[] = []

  constructor() {
    super()
    this.text = ''
    this.remarks = []
    this.active = ''
    this.open = false
    this.reach = null
    this.changes = null
    this.menu = false
    this.addEventListener('go-section', event => event instanceof GoEvent && this.#go(event.index))
  }

  get view(): MarkdownView | null {
    return this.querySelector('markdown-view')
  }

  /** Resolves when the first part of the text is drawn. */
  get drawn(): Promise<void> {
    return this.#drawnFirst()
  }

  toggleOutline(): void {
    this.menu = !this.menu
    if (this.menu) {
      void this.updateComplete.then(() => this.querySelector<HTMLElement>('[role=treeitem][tabindex="0"]')?.focus())
    }
  }

  /** Scrolls to the next marked change, from the last one back to the first. */
  nextChange(): void {
    this.view?.drawTo(Number.POSITIVE_INFINITY)
    this.#mark(this.#drawing.takeRecords())
    const marks = [...this.querySelectorAll('change-mark')]
    this.#atChange = (this.#atChange + 1) % Math.max(1, marks.length)
    marks[this.#atChange]?.scrollIntoView({ block: 'center' })
  }

  override connectedCallback(): void {
    super.connectedCallback()
    window.addEventListener('keydown', this.#find)
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    window.removeEventListener('keydown', this.#find)
    this.#drawing.disconnect()
    cancelAnimationFrame(this.#frame)
  }

  protected override firstUpdated(): void {
    const main = this.querySelector('main')
    main?.addEventListener('scroll', () => this.#follow())
    if (main) this.#preview.watch(main)
    void this.querySelector('plan-text')?.updateComplete.then(() => this.#watch())
  }

  protected override updated(changed: PropertyValues<PlanReading>): void {
    super.updated(changed)
    if (changed.has('text')) {
      this.#lines = this.text.split('\n')
      this.#atChange = -1
      void this.drawn.then(() => {
        this.#outline.blocks = this.view?.blocks ?? []
        this.#follow()
      })
    }
    if (changed.has('remarks') || changed.has('text')) this.#outline.remarks = remarkedLines(this.remarks, this.#lines)
    if (changed.has('reach') || changed.has('changes')) this.#markAll(changed.has('changes'))
    else if (changed.has('pictures')) this.#diagrams.show(this.#blocks, this.pictures)
  }

  protected override render(): TemplateResult {
    return html`<aside
        class=${this.menu ? 'open' : ''}
        aria-label=${words.outline}
        @keydown=${(event: KeyboardEvent) => this.#asideKey(event)}
      >
        <h2 class="label">${words.outline}</h2>
        ${this.#outline}
        ${this.reach && this.reach.files.length > 0 ? reachSummary(this.reach) : nothing}
      </aside>
      ${this.search}
      <main tabindex="0" aria-label=${panelWords.plan}>
        <plan-text
          class="column"
          .text=${this.text}
          .remarks=${this.remarks}
          .active=${this.active}
          .open=${this.open}
        ></plan-text>
      </main>
      ${this.#preview}`
  }

  async #drawnFirst(): Promise<void> {
    await this.updateComplete
    await this.querySelector('plan-text')?.updateComplete
    await this.view?.updateComplete
  }

  /** Marks what is drawn by now, and from here on whatever is drawn. */
  #watch(): void {
    const { view } = this
    if (!view) return
    this.#drawing.observe(view, { childList: true, subtree: true })
    view.addEventListener('drawn', () => this.search.refresh())
    this.search.view = view
    this.#markAll(true)
  }

  readonly #find = (event: KeyboardEvent): void => {
    const { key, ctrlKey, metaKey, altKey, shiftKey } = event
    if (key.toLowerCase() !== 'f' || ctrlKey === metaKey || altKey || shiftKey) return
    event.preventDefault()
    this.search.show()
  }

  #asideKey(event: KeyboardEvent): void {
    if (event.key !== 'Escape' || !this.menu) return
    event.preventDefault()
    this.menu = false
    this.querySelector('main')?.focus()
  }

  #go(index: number): void {
    this.menu = false
    const heading = this.view?.drawTo(index)
    if (!(heading instanceof HTMLElement)) return
    heading.tabIndex = -1
    heading.scrollIntoView({ block: 'start' })
    heading.focus({ preventScroll: true })
    // Parts that were out of view get their true height now; the heading stays where it was asked for.
    requestAnimationFrame(() => heading.scrollIntoView({ block: 'start' }))
  }

  #follow(): void {
    cancelAnimationFrame(this.#frame)
    this.#frame = requestAnimationFrame(() => {
      const main = this.querySelector('main')
      if (main && this.view) this.#outline.current = sectionAt(this.view, main.getBoundingClientRect().top + 60)
    })
  }

  get #blocks(): readonly Element[] {
    return [...(this.view?.children ?? [])].flatMap(chunk => [...chunk.children])
  }

  /** What was just drawn. */
  #mark(records: readonly MutationRecord[]): void {
    const chunks = (node: Node): Element[] => {
      if (!(node instanceof Element)) return []
      return node.parentElement === this.view
        ? [...node.children]
        : node.parentElement?.parentElement === this.view
          ? [node]
          : []
    }
    const fresh = new Set(records.flatMap(({ addedNodes }) => [...addedNodes].flatMap(chunks)))
    this.#markBlocks([...fresh])
  }

  #markAll(changesToo: boolean): void {
    const { view } = this
    if (!view) return
    if (changesToo) unmarkChanges(view)
    this.#markBlocks(this.#blocks, changesToo)
    this.#drawing.takeRecords()
  }

  #markBlocks(blocks: readonly Element[], changesToo = true): void {
    const { reach, changes } = this
    const known = reach === null ? undefined : knownOf(reach)
    for (const block of blocks) {
      if (block.tagName === 'CHANGE-MARK') continue
      if (known) markReach(block, known)
      if (changes && changesToo) markChanges(block, changes, this.#lines)
    }
    this.#diagrams.show(blocks, this.pictures)
    this.#preview.known = known
    if (blocks.length > 0) this.#drawing.takeRecords()
  }
}

customElements.define('plan-reading', PlanReading)

declare global {
  interface HTMLElementTagNameMap {
    'plan-reading': PlanReading
  }
}
