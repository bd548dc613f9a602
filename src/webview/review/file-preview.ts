// What a named file begins with, or a symbol's first lines, beside the link that the pointer or the focus is on.
import { html, type TemplateResult } from 'lit'
import { visible } from '../markdown/visible.ts'
import { PageElement } from '../page-element.ts'
import type { Known } from './reach-marks.ts'
import { readingWords as words } from './reading-words.ts'

/** Ms that the pointer rests before anything appears. */
const rest = 300

interface Preview {
  readonly title: string
  readonly state: string
  readonly lines: string
}

/** `<file-preview>`; `known` are the names that may be shown. It watches the links of the area it is told to. */
export class FilePreview extends PageElement {
  static override properties = { known: { attribute: false }, shown: { state: true } }
  declare known: Known | undefined
  declare shown: Preview | undefined

  #timer: ReturnType<typeof setTimeout> | undefined
  #link: HTMLElement | null = null

  constructor() {
    super()
    this.id = 'file-preview'
  }

  override connectedCallback(): void {
    super.connectedCallback()
    this.setAttribute('popover', 'manual')
    this.setAttribute('role', 'tooltip')
  }

  /** Shows previews for the links within an element. */
  watch(area: HTMLElement): void {
    const over = (event: Event): void => this.#soon(event.target)
    area.addEventListener('mouseover', over)
    area.addEventListener('focusin', over)
    area.addEventListener('mouseout', () => this.#hide())
    area.addEventListener('focusout', () => this.#hide())
    area.addEventListener('scroll', () => this.#hide())
    window.addEventListener('resize', () => this.#place())
    area.addEventListener('keydown', event => event.key === 'Escape' && this.#hide())
  }

  protected override render(): TemplateResult {
    if (!this.shown) return html``
    const { title, state, lines } = this.shown
    return html`<p><strong>${visible(title)}</strong>${state ? html` <span class="dim">${state}</span>` : ''}</p>
      ${lines ? html`<pre>${visible(lines)}</pre>` : ''}`
  }

  #soon(target: EventTarget | null): void {
    const link = target instanceof Element ? target.closest<HTMLElement>('[data-open]') : null
    const preview = link && this.#previewOf(link)
    if (!link || !preview) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#show(link, preview), rest)
  }

  #previewOf({ dataset: { open, target = '' } }: HTMLElement): Preview | undefined {
    if (open === 'file') {
      const file = this.known?.files.get(target)
      return file && { title: file.path, state: words.state(file), lines: file.preview }
    }
    const symbol = open === 'symbol' ? this.known?.symbols.get(target) : undefined
    return symbol && { title: symbol.name, state: symbol.where, lines: symbol.preview }
  }

  async #show(link: HTMLElement, preview: Preview): Promise<void> {
    if (!link.isConnected) return
    this.shown = preview
    this.#link = link
    link.setAttribute('aria-describedby', this.id)
    await this.updateComplete
    this.showPopover()
    this.#place()
  }

  #place(): void {
    if (!this.#link || !this.matches(':popover-open')) return
    const place = this.#link.getBoundingClientRect()
    const { width, height } = this.getBoundingClientRect()
    const below = place.bottom + 4 + height <= innerHeight
    this.style.left = `${Math.max(4, Math.min(place.left, innerWidth - width - 4))}px`
    this.style.top = `${below ? place.bottom + 4 : Math.max(4, place.top - height - 4)}px`
  }

  #hide(): void {
    clearTimeout(this.#timer)
    this.#link?.removeAttribute('aria-describedby')
    this.#link = null
    if (this.matches(':popover-open')) this.hidePopover()
  }
}

customElements.define('file-preview', FilePreview)
