// What a named file begins with, beside the link that the pointer or the focus is on.
import { html, type TemplateResult } from 'lit'
import { visible } from '../markdown/visible.ts'
import type { NamedFile } from '../messages.ts'
import { PageElement } from '../page-element.ts'
import { readingWords as words } from './reading-words.ts'

/** Ms that the pointer rests before anything appears. */
const rest = 300

/** `<file-preview>`; `files` are those that may be shown. It watches the links of `area`. */
export class FilePreview extends PageElement {
  static override properties = { files: { attribute: false }, file: { state: true } }
  declare files: ReadonlyMap<string, NamedFile>
  declare file: NamedFile | null

  #timer: ReturnType<typeof setTimeout> | undefined
  #link: HTMLElement | null = null

  constructor() {
    super()
    this.files = new Map()
    this.file = null
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
    area.addEventListener('keydown', event => event.key === 'Escape' && this.#hide())
  }

  protected override render(): TemplateResult {
    const { file } = this
    if (!file) return html``
    const state = words.state(file)
    return html`<p><strong>${visible(file.path)}</strong>${state ? html` <span class="dim">${state}</span>` : ''}</p>
      ${file.preview ? html`<pre>${visible(file.preview)}</pre>` : ''}`
  }

  #soon(target: EventTarget | null): void {
    const link = target instanceof Element ? target.closest<HTMLElement>('[data-open="file"]') : null
    const file = this.files.get(link?.dataset.target ?? '')
    if (!link || !file) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#show(link, file), rest)
  }

  async #show(link: HTMLElement, file: NamedFile): Promise<void> {
    if (!link.isConnected) return
    this.file = file
    this.#link = link
    link.setAttribute('aria-describedby', this.id)
    await this.updateComplete
    this.showPopover()
    const place = link.getBoundingClientRect()
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
