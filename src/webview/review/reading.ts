// The reading side of the review panel: the plan with its outline, search, marks and reach.
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit'
import type { MarkdownView } from '../markdown/markdown-view.ts'
import type { ChangesView, ReachView } from '../messages.ts'
import { PageElement } from '../page-element.ts'
import { icon } from '../parts.ts'
import { markChanges, unmarkChanges } from './change-marks.ts'
import { FilePreview } from './file-preview.ts'
import { GoEvent, PlanOutline } from './outline.ts'
import { knownOf, markReach } from './reach-marks.ts'
import { countsOf, readingWords as words } from './reading-words.ts'
import { PlanSearch } from './search.ts'
import { sectionAt } from './section-in-view.ts'
import { words as panelWords } from './words.ts'

/**
 * `<plan-reading>`. `remarks` are the lines (0-based) of the text on which remarks begin, counted in the outline.
 * `menu` tells whether the outline is open where it is a menu.
 */
export class PlanReading extends PageElement {
  static override properties = {
    text: { attribute: false },
    reach: { attribute: false },
    changes: { attribute: false },
    remarks: { attribute: false },
    menu: { state: true },
    drawn: { state: true },
  }
  declare text: string
  declare reach: ReachView | null
  declare changes: ChangesView | null
  declare remarks: readonly number[]
  declare menu: boolean
  /** Counts up whenever the view has other blocks than before. */
  declare drawn: number

  readonly search = new PlanSearch()
  readonly #outline = new PlanOutline()
  readonly #preview = new FilePreview()
  readonly #drawing = new MutationObserver(records => this.#mark(records))
  #frame = 0
  #atChange = -1
  #source: readonly string[] = []

  constructor() {
    super()
    this.text = ''
    this.reach = null
    this.changes = null
    this.remarks = []
    this.menu = false
    this.drawn = 0
    this.addEventListener('go-section', event => event instanceof GoEvent && this.#go(event.index))
  }

  get view(): MarkdownView | null {
    return this.querySelector('markdown-view')
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
    const { view } = this
    const main = this.querySelector('main')
    if (!view || !main) return
    this.#drawing.observe(view, { childList: true, subtree: true })
    view.addEventListener('drawn', () => this.search.refresh())
    main.addEventListener('scroll', () => this.#follow())
    this.#preview.watch(main)
    this.search.view = view
  }

  protected override updated(changed: PropertyValues<PlanReading>): void {
    super.updated(changed)
    if (changed.has('text')) {
      this.#source = this.text.split('\n')
      this.#atChange = -1
      void this.view?.updateComplete.then(() => {
        this.#outline.blocks = this.view?.blocks ?? []
        this.#follow()
      })
    }
    if (changed.has('remarks')) this.#outline.remarks = this.remarks
    if (changed.has('reach') || changed.has('changes')) this.#markAll(changed.has('changes'))
  }

  protected override render(): TemplateResult {
    return html`<aside class=${this.menu ? 'open' : ''} @keydown=${(event: KeyboardEvent) => this.#asideKey(event)}>
        <h2 class="label">${words.outline}</h2>
        ${this.#outline}
        ${this.reach && this.reach.files.length > 0 ? this.#reach(this.reach) : nothing}
      </aside>
      ${this.search}
      <main tabindex="0" aria-label=${panelWords.plan}>
        <markdown-view class="column" .text=${this.text} .headingIds=${true}></markdown-view>
      </main>
      ${this.#preview}`
  }

  #reach(reach: ReachView): TemplateResult {
    const { named, exist, tests, tracked, changed, missing } = countsOf(reach)
    return html`<section class="reach" aria-label=${words.reach}>
      <h2 class="label">${words.reach}</h2>
      <p>${words.named(named)}, ${words.exist(exist)}</p>
      ${tests > 0 ? html`<p>${words.tests(tests)}</p>` : nothing}
      ${tracked > 0 ? html`<p>${words.tracked(tracked, changed)}</p>` : nothing}
      ${
        missing.length > 0
          ? html`<details><summary class="warn">${icon('warning')} ${words.missing(missing.length)}</summary>
              <ul>${missing.slice(0, 100).map(path => html`<li>${path}</li>`)}</ul></details>`
          : nothing
      }
    </section>`
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
    this.#markBlocks(
      [...view.children].flatMap(chunk => [...chunk.children]),
      changesToo,
    )
    this.#drawing.takeRecords()
  }

  #markBlocks(blocks: readonly Element[], changesToo = true): void {
    const { reach, changes } = this
    const known = reach === null ? undefined : knownOf(reach)
    for (const block of blocks) {
      if (block.tagName === 'CHANGE-MARK') continue
      if (known) markReach(block, known)
      if (changes && changesToo) markChanges(block, changes, this.#source)
    }
    if (known) this.#preview.files = known.files
    if (blocks.length > 0) this.#drawing.takeRecords()
  }
}

customElements.define('plan-reading', PlanReading)

declare global {
  interface HTMLElementTagNameMap {
    'plan-reading': PlanReading
  }
}
