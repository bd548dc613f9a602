// The plan as it is read: select words, or take a paragraph, and say something on them; what was said is marked.
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit'
import '../markdown/markdown-view.ts'
import { PageElement } from '../page-element.ts'
import { icon } from '../parts.ts'
import type { RemarkKind, RemarkView, SourceRange } from '../review-messages.ts'
import { unfoldAround } from './diagrams.ts'
import { PlanPlaces } from './plan-places.ts'
import { blockAt } from './section-in-view.ts'
import { kindIcons, kindKeys, kinds, kindWords, words } from './words.ts'

/** Fired, bubbling, when a person wants to say something on a range of the source. */
export class SayEvent extends Event {
  readonly remark: RemarkKind
  readonly range: SourceRange

  constructor(remark: RemarkKind, range: SourceRange) {
    super('say', { bubbles: true })
    this.remark = remark
    this.range = range
  }
}

/** Fired, bubbling, when the words of a remark are clicked. */
export class PickEvent extends Event {
  readonly remarkId: string

  constructor(remarkId: string) {
    super('pick-remark', { bubbles: true })
    this.remarkId = remarkId
  }
}

/** `<plan-text>`. */
export class PlanText extends PageElement {
  static override properties = {
    text: { attribute: false },
    remarks: { attribute: false },
    active: { attribute: false },
    open: { attribute: false },
    selected: { state: true },
    block: { state: true },
  }
  declare text: string
  declare remarks: readonly RemarkView[]
  /** The remark that is looked at. */
  declare active: string
  /** Whether remarks can be made. */
  declare open: boolean
  declare selected: SourceRange | undefined
  /** The paragraph, list, table … that a remark without a selection is on. */
  declare block: Element | undefined

  #places: PlanPlaces | undefined
  #ranges = new Map<string, readonly Range[]>()
  readonly #onSelect = (): void => this.#select()

  constructor() {
    super()
    this.text = ''
    this.remarks = []
    this.active = ''
    this.open = false
    this.addEventListener('drawn', () => this.#drawn(), { capture: true })
    this.addEventListener('pointerover', event => this.#point(event.target))
    this.addEventListener('click', event => this.#click(event))
    this.addEventListener('focusin', event => this.#point(event.target))
  }

  override connectedCallback(): void {
    super.connectedCallback()
    document.addEventListener('selectionchange', this.#onSelect)
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    document.removeEventListener('selectionchange', this.#onSelect)
  }

  /** Says something on the selection, else on the paragraph at hand, else on the first one in view. */
  say(remark: RemarkKind): void {
    if (!this.open) return
    const block = this.block ?? this.#firstInView()
    const range = this.selected ?? (block && this.#places?.rangeOfBlock(block))
    if (range) this.dispatchEvent(new SayEvent(remark, range))
  }

  /** Takes the next paragraph at hand (or the one before) and puts the caret there, for Shift and the arrows to select. */
  step(by: 1 | -1): void {
    const all = this.#places?.elements ?? []
    const first = this.#firstInView()
    const at = this.block ? all.indexOf(this.block) + by : first ? all.indexOf(first) : 0
    const next = all[Math.max(0, Math.min(all.length - 1, at))]
    if (!(next instanceof HTMLElement)) return
    next.tabIndex = -1
    next.focus()
    next.scrollIntoView({ block: 'nearest' })
    document.getSelection()?.collapse(next, 0)
    this.block = next
  }

  /** Takes more or less into the selection, by a letter, a word or a line; false when nothing of the plan is at hand. */
  extend(arrow: string, byWord: boolean): boolean {
    const selection = document.getSelection()
    if (!selection?.rangeCount || !this.contains(selection.focusNode)) return false
    const forward = arrow === 'ArrowRight' || arrow === 'ArrowDown'
    const line = arrow === 'ArrowUp' || arrow === 'ArrowDown'
    selection.modify('extend', forward ? 'forward' : 'backward', line ? 'line' : byWord ? 'word' : 'character')
    // The event comes later, and the next key may be the one that says something on it.
    this.#select()
    return true
  }

  /** Brings the words of a remark into view. */
  reveal(id: string): void {
    const [range] = this.#ranges.get(id) ?? []
    const at = range?.startContainer
    const element = at instanceof Element ? at : at?.parentElement
    if (element) unfoldAround(element)
    element?.scrollIntoView({ block: 'center' })
  }

  protected override willUpdate(changed: PropertyValues<PlanText>): void {
    if (!changed.has('text')) return
    this.block = undefined
    this.selected = undefined
  }

  protected override updated(changed: PropertyValues<PlanText>): void {
    super.updated(changed)
    if (changed.has('text')) this.#places = undefined
    if (changed.has('text') || changed.has('remarks')) this.#mark()
    else if (changed.has('active')) this.#highlight()
    this.#place()
  }

  protected override render(): TemplateResult {
    return html`
      <markdown-view .text=${this.text} .headingIds=${true}></markdown-view>
      <button
        type="button"
        class="gutter"
        tabindex="-1"
        ?hidden=${!this.open || !this.block}
        aria-label=${words.remarkHere}
        title=${words.remarkHere}
        @mousedown=${keepSelection}
        @click=${() => this.say('remark')}
      >${icon('comment')}</button>
      ${this.open && this.selected ? this.#bar() : nothing}
    `
  }

  #bar(): TemplateResult {
    return html`<div class="say" role="toolbar" aria-label=${words.sayOnSelection} @mousedown=${keepSelection}>
      ${kinds.map(
        kind => html`<button
          type="button"
          title=${words.sayHint(kindWords[kind], kindKeys[kind])}
          @click=${() => this.say(kind)}
        >${icon(kindIcons[kind])}<span>${kindWords[kind]}</span></button>`,
      )}
    </div>`
  }

  #drawn(): void {
    this.#mark()
  }

  #mark(): void {
    const view = this.querySelector('markdown-view')
    if (!view) return
    this.#places ??= new PlanPlaces(view, this.text)
    this.#places.refresh()
    const places = this.#places
    this.#ranges = new Map(
      this.remarks.map(({ id, range, state }) => [id, range && state !== 'resolved' ? places.drawnRanges(range) : []]),
    )
    this.#highlight()
  }

  #highlight(): void {
    const all = new Highlight()
    const active = new Highlight()
    active.priority = 1
    for (const [id, ranges] of this.#ranges) for (const range of ranges) (id === this.active ? active : all).add(range)
    CSS.highlights.set('remark', all)
    CSS.highlights.set('remark-active', active)
  }

  #select(): void {
    const selection = document.getSelection()
    const range = selection?.rangeCount && !selection.isCollapsed ? selection.getRangeAt(0) : undefined
    const view = this.querySelector('markdown-view')
    const inside = range !== undefined && view !== null && range.intersectsNode(view)
    this.selected = inside ? this.#places?.rangeOfSelection(range) : undefined
  }

  #point(target: EventTarget | null): void {
    if (!(target instanceof Element)) return
    const block = this.#places?.elements.find(element => element.contains(target))
    if (block) this.block = block
  }

  #click({ clientX, clientY, target }: MouseEvent): void {
    if (this.selected || !(target instanceof Element) || target.closest('[data-open], button')) return
    for (const [id, ranges] of this.#ranges) {
      const rects = ranges.flatMap(range => [...range.getClientRects()])
      if (
        rects.some(
          ({ left, right, top, bottom }) => left <= clientX && clientX <= right && top <= clientY && clientY <= bottom,
        )
      ) {
        this.dispatchEvent(new PickEvent(id))
        return
      }
    }
  }

  #firstInView(): Element | undefined {
    const view = this.querySelector('markdown-view')
    return view ? blockAt(view, this.closest('main')?.getBoundingClientRect().top ?? 0) : undefined
  }

  /** Puts the mark beside its paragraph and the bar above what is selected, within the width of the text. */
  #place(): void {
    const own = this.getBoundingClientRect()
    const gutter = this.querySelector<HTMLElement>('.gutter')
    if (gutter && this.block) gutter.style.top = `${this.block.getBoundingClientRect().top - own.top}px`
    const bar = this.querySelector<HTMLElement>('.say')
    const selection = document.getSelection()
    if (!bar || !selection?.rangeCount) return
    const chosen = selection.getRangeAt(0).getBoundingClientRect()
    const area = this.closest('main')?.getBoundingClientRect() ?? own
    const above = chosen.top - area.top > bar.offsetHeight + 6
    bar.style.top = `${(above ? chosen.top - bar.offsetHeight - 6 : Math.min(chosen.bottom, area.bottom - bar.offsetHeight - 8) + 6) - own.top}px`
    bar.style.left = `${Math.max(0, Math.min(chosen.left - own.left, own.width - bar.offsetWidth))}px`
  }
}

function keepSelection(event: MouseEvent): void {
  event.preventDefault()
}

customElements.define('plan-text', PlanText)

declare global {
  interface HTMLElementTagNameMap {
    'plan-text': PlanText
  }
}
