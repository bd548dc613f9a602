// The plan's sections as a tree: folded, walked and opened by mouse or keys.
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit'
import type { Block } from '../markdown/blocks.ts'
import { PageElement } from '../page-element.ts'
import { icon } from '../parts.ts'
import { readingWords as words } from './reading-words.ts'

/** A section of the plan; `index` is that of its heading's block, `parent` the place of its parent in the list. */
export interface Section {
  readonly index: number
  readonly level: number
  readonly title: string
  readonly line: number
  readonly parent: number
  readonly hasChildren: boolean
}

/** Rows drawn before a reader asks for more: a hostile plan may have ten thousand headings. */
const page = 400

/** Fired, bubbling, when a reader chooses a section. */
export class GoEvent extends Event {
  readonly index: number

  constructor(index: number) {
    super('go-section', { bubbles: true })
    this.index = index
  }
}

/** The sections of a text, without its one title. Depth counts from the highest level that is left. */
export function sectionsOf(blocks: readonly Block[]): readonly Section[] {
  const all = blocks.flatMap(({ heading, from }, index) => (heading ? [{ ...heading, line: from, index }] : []))
  const titles = all.filter(({ level }) => level === 1)
  const shown = titles.length === 1 && all[0]?.level === 1 ? all.slice(1) : all
  const path: number[] = []
  return shown.map((heading, at) => {
    while (path.length > 0 && (shown[path.at(-1) ?? 0]?.level ?? 0) >= heading.level) path.pop()
    const parent = path.at(-1) ?? -1
    path.push(at)
    return { ...heading, level: path.length, parent, hasChildren: (shown[at + 1]?.level ?? 0) > heading.level }
  })
}

/**
 * `<plan-outline>`. `blocks` are those of the view, `current` the block of the section in view. `remarks` are the lines
 * (0-based) of the plan's text on which remarks begin: each section shows how many lie in it.
 */
export class PlanOutline extends PageElement {
  static override properties = {
    blocks: { attribute: false },
    current: { attribute: false },
    remarks: { attribute: false },
    folded: { state: true },
    active: { state: true },
    limit: { state: true },
  }
  declare blocks: readonly Block[]
  declare current: number
  declare remarks: readonly number[]
  declare folded: ReadonlySet<string>
  declare active: number
  declare limit: number

  #sections: readonly Section[] = []
  #counts: readonly number[] = []
  #moveFocus = false

  constructor() {
    super()
    this.blocks = []
    this.current = -1
    this.remarks = []
    this.folded = new Set()
    this.active = 0
    this.limit = page
  }

  protected override willUpdate(changed: PropertyValues<PlanOutline>): void {
    if (changed.has('blocks')) this.#sections = sectionsOf(this.blocks)
    if (changed.has('blocks') || changed.has('remarks')) this.#counts = countRemarks(this.#sections, this.remarks)
  }

  protected override updated(changed: PropertyValues<PlanOutline>): void {
    super.updated(changed)
    if (this.#moveFocus) this.querySelector<HTMLElement>('[role=treeitem][tabindex="0"]')?.focus()
    else if (changed.has('current')) this.querySelector('[aria-current=true]')?.scrollIntoView({ block: 'nearest' })
    this.#moveFocus = false
  }

  protected override render(): TemplateResult | typeof nothing {
    const rows = this.#visible()
    if (rows.length === 0) return nothing
    const drawn = rows.slice(0, this.limit)
    const active = drawn.some(({ index }) => index === this.active) ? this.active : drawn[0]?.index
    const current = this.#currentOf(rows)
    return html`<div role="tree" aria-label=${words.outline} @keydown=${(event: KeyboardEvent) => this.#key(event)}>
        ${drawn.map(section => this.#row(section, section.index === active, section.index === current))}
      </div>
      ${
        rows.length > drawn.length
          ? html`<button type="button" class="more" @click=${() => (this.limit += page)}>${words.moreSections(rows.length - drawn.length)}</button>`
          : nothing
      }`
  }

  #row(section: Section, active: boolean, current: boolean): TemplateResult {
    const { level, hasChildren } = section
    const title = section.title || words.untitled
    const open = !this.folded.has(keyOf(section))
    const count = this.#counts[this.#sections.indexOf(section)] ?? 0
    return html`<div
      role="treeitem"
      class="level-${Math.min(level, 6)}"
      aria-level=${level}
      aria-expanded=${hasChildren ? `${open}` : nothing}
      aria-current=${current ? 'true' : nothing}
      tabindex=${active ? 0 : -1}
      title=${title}
      @click=${() => this.#go(section)}
    ><span class="twist" @click=${(event: Event) => this.#twist(event, section)}>${
      hasChildren ? icon(open ? 'chevron-down' : 'chevron-right') : nothing
    }</span><span class="name">${title}</span>${count > 0 ? remarkCount(count) : nothing}</div>`
  }

  #visible(): readonly Section[] {
    const shown: boolean[] = []
    return this.#sections.filter((section, at) => {
      const parent = this.#sections[section.parent]
      shown[at] = parent === undefined || (shown[section.parent] === true && !this.folded.has(keyOf(parent)))
      return shown[at]
    })
  }

  /** The section in view, or the folded one that holds it. */
  #currentOf(rows: readonly Section[]): number {
    const at = this.#sections.findLast(({ index }) => index <= this.current)
    return rows.findLast(({ index }) => index <= (at?.index ?? -1))?.index ?? -1
  }

  #twist(event: Event, section: Section): void {
    if (!section.hasChildren) return
    event.stopPropagation()
    this.#fold(section, !this.folded.has(keyOf(section)))
  }

  #fold(section: Section, fold: boolean): void {
    const folded = new Set(this.folded)
    if (fold) folded.add(keyOf(section))
    else folded.delete(keyOf(section))
    this.folded = folded
  }

  #go(section: Section): void {
    this.active = section.index
    this.dispatchEvent(new GoEvent(section.index))
  }

  #key(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey) return
    const rows = this.#visible().slice(0, this.limit)
    const at = Math.max(
      0,
      rows.findIndex(({ index }) => index === this.active),
    )
    const section = rows[at]
    if (!section || !this.#act(event.key, section, rows, at)) return
    event.preventDefault()
    event.stopPropagation()
  }

  #act(key: string, section: Section, rows: readonly Section[], at: number): boolean {
    const open = section.hasChildren && !this.folded.has(keyOf(section))
    switch (key) {
      case 'ArrowDown':
        return this.#move(rows[at + 1])
      case 'ArrowUp':
        return this.#move(rows[at - 1])
      case 'Home':
        return this.#move(rows[0])
      case 'End':
        return this.#move(rows.at(-1))
      case 'ArrowRight':
        if (open) return this.#move(rows[at + 1])
        if (section.hasChildren) this.#fold(section, false)
        return true
      case 'ArrowLeft':
        if (!open) return this.#move(this.#sections[section.parent])
        this.#fold(section, true)
        return true
      case 'Enter':
      case ' ':
        this.#go(section)
        return true
      default:
        return false
    }
  }

  #move(section: Section | undefined): boolean {
    if (section) {
      this.active = section.index
      this.#moveFocus = true
    }
    return true
  }
}

function remarkCount(count: number): TemplateResult {
  return html`<span class="count">${count}<span class="hidden"> ${words.remarks(count)}</span></span>`
}

/** Folds survive a revision that moves the section. */
function keyOf({ level, title }: Section): string {
  return `${level} ${title}`
}

/** Remarks in each section itself, not in those below it. */
function countRemarks(sections: readonly Section[], remarks: readonly number[]): number[] {
  const counts = sections.map(() => 0)
  for (const line of remarks) {
    const at = sections.findLastIndex(section => section.line <= line)
    if (at >= 0) counts[at] = (counts[at] ?? 0) + 1
  }
  return counts
}

customElements.define('plan-outline', PlanOutline)
