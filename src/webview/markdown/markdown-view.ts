// Draws Markdown: at once what the first screen needs, the rest in slices; of a growing text only what changed.
import { ReactiveElement } from 'lit'
import { type Block, markdownBlocks } from './blocks.ts'
import { sanitize } from './sanitize.ts'

/** Blocks that share one container, which the browser may skip while it is out of view. */
const chunkSize = 40
/** Milliseconds of drawing before the page may answer again. */
const slice = 12
/** What is drawn at once at most; a longer block is drawn alone. */
const batch = { blocks: 16, characters: 4_000 }

const targets = ['link', 'file', 'symbol'] as const
export type OpenTarget = (typeof targets)[number]

/** Fired, bubbling, when a reader opens a link; `address` is a web address, a workspace path or a symbol's name. */
export class OpenEvent extends Event {
  readonly what: OpenTarget
  readonly address: string

  constructor(what: OpenTarget, address: string) {
    super('open-target', { bubbles: true })
    this.what = what
    this.address = address
  }
}

/** A block that is drawn, and its lines in the text: 0-based, `to` exclusive. */
export interface DrawnBlock {
  readonly element: Element
  readonly from: number
  readonly to: number
}

/** `<markdown-view>`. `aria-busy` is set while slices are still to come; `drawn` is fired when all is there. */
export class MarkdownView extends ReactiveElement {
  static override properties = { text: { attribute: false }, headingIds: { attribute: false } }
  declare text: string
  /** Gives headings an id, `section-<n>`, unique within a page that has one such view. */
  declare headingIds: boolean

  #blocks: readonly Block[] = []
  #links = ''
  #drawn: Element[] = []
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor() {
    super()
    this.text = ''
    this.headingIds = false
    this.addEventListener('click', event => this.#open(event))
    this.addEventListener('keydown', event => {
      if (event.key === 'Enter') this.#open(event)
    })
  }

  /** What is drawn so far, in order. */
  get drawnBlocks(): readonly DrawnBlock[] {
    return this.#drawn.map((element, index) => {
      const { from = 0, to = 0 } = this.#blocks[index] ?? {}
      return { element, from, to }
    })
  }

  protected override createRenderRoot(): HTMLElement {
    return this
  }

  override connectedCallback(): void {
    super.connectedCallback()
    this.classList.add('markdown')
    if (this.#drawn.length < this.#blocks.length) this.#draw()
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    clearTimeout(this.#timer)
  }

  protected override update(changed: Map<PropertyKey, unknown>): void {
    super.update(changed)
    const next = markdownBlocks(this.text)
    let kept = 0
    if (next.links === this.#links) {
      while (kept < this.#drawn.length && same(next.blocks[kept], this.#blocks[kept])) kept++
    }
    this.#blocks = next.blocks
    this.#links = next.links
    for (const element of this.#drawn.splice(kept)) element.remove()
    for (const chunk of [...this.children]) if (chunk.childElementCount === 0) chunk.remove()
    this.#draw()
  }

  /** What the view draws, or will have drawn when it is no longer busy. */
  get blocks(): readonly Block[] {
    return this.#blocks
  }

  /** The element of a block, drawn at once together with all before it. */
  drawTo(index: number): Element | undefined {
    while (this.#drawn.length <= index && this.#drawn.length < this.#blocks.length) this.#drawNext()
    return this.#drawn[index]
  }

  #showNote(number: string): void {
    const note = this.querySelector<HTMLElement>(`.note[data-note="${CSS.escape(number)}"]`)
    if (!note) return
    note.tabIndex = -1
    note.scrollIntoView({ block: 'center' })
    note.focus({ preventScroll: true })
  }

  #draw(): void {
    clearTimeout(this.#timer)
    const until = performance.now() + slice
    while (this.#drawn.length < this.#blocks.length) {
      this.#drawNext()
      if (performance.now() < until) continue
      this.setAttribute('aria-busy', 'true')
      this.#timer = setTimeout(() => this.#draw())
      return
    }
    this.removeAttribute('aria-busy')
    this.dispatchEvent(new Event('drawn'))
  }

  /** Draws a few blocks through one pass of the sanitizer, which costs more for each pass than for each block. */
  #drawNext(): void {
    const first = this.#drawn.length
    let html = ''
    let end = first
    while (end < this.#blocks.length && end - first < batch.blocks && html.length < batch.characters) {
      html += `<div>${this.#blocks[end]?.html() ?? ''}</div>`
      end++
    }
    const holders = [...sanitize(html).children]
    for (let index = first; index < end; index++) {
      const element = holders[index - first]?.firstElementChild ?? document.createElement('span')
      if (this.headingIds && /^H[1-6]$/.test(element.tagName)) element.id = `section-${index + 1}`
      this.#chunk(index).append(element)
      this.#drawn.push(element)
    }
  }

  #chunk(index: number): Element {
    const at = Math.floor(index / chunkSize)
    const existing = this.children[at]
    if (existing) return existing
    const chunk = document.createElement('div')
    chunk.className = this.#blocks.length > chunkSize * 2 ? 'chunk long' : 'chunk'
    this.append(chunk)
    return chunk
  }

  #open(event: Event): void {
    const link = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-open]') : null
    const { open, target } = link?.dataset ?? {}
    if (!target) return
    if (open === 'note') {
      event.preventDefault()
      this.#showNote(target)
    }
    const what = targets.find(each => each === open)
    if (what === undefined) return
    event.preventDefault()
    this.dispatchEvent(new OpenEvent(what, target))
  }
}

function same(one: Block | undefined, other: Block | undefined): boolean {
  return one?.source === other?.source && one?.from === other?.from
}

customElements.define('markdown-view', MarkdownView)

declare global {
  interface HTMLElementTagNameMap {
    'markdown-view': MarkdownView
  }
}
