// A stored picture as a small button: asks the host for its bytes once it comes near the eye.
import { html, type PropertyValues, type TemplateResult } from 'lit'
import type { Image } from '../image-messages.ts'
import { visible } from '../markdown/visible.ts'
import { PageElement } from '../page-element.ts'
import { icon } from '../parts.ts'
import { words } from './words.ts'

/** Fired, bubbling, when the bytes of a picture are wanted from the host, or the picture in an editor tab. */
export class ImageEvent extends Event {
  readonly kind: 'loadImage' | 'openImage'
  readonly attachmentId: string

  constructor(kind: 'loadImage' | 'openImage', attachmentId: string) {
    super('image', { bubbles: true })
    this.kind = kind
    this.attachmentId = attachmentId
  }
}

/** Gives the bytes that came to every thumb within an element that shows this picture. */
export function takeBytes(within: ParentNode, attachmentId: string, data: string | null): void {
  for (const thumb of within.querySelectorAll('image-thumb')) {
    if (thumb.image.attachmentId === attachmentId) thumb.take(data)
  }
}

/** `<image-thumb>`: draws `image`; `take` hands it the bytes that it asked for with `loadImage`. */
export class ImageThumb extends PageElement {
  static override properties = { image: { attribute: false }, shown: { state: true } }
  declare image: Image
  /** `waiting` for its bytes, an address of this document, or `missing`. */
  declare shown: { readonly kind: 'waiting' | 'missing' } | { readonly kind: 'there'; readonly url: string }
  #asked = false
  readonly #near = new IntersectionObserver(entries => this.#ask(entries), { rootMargin: '200px' })

  constructor() {
    super()
    this.shown = { kind: 'waiting' }
  }

  override connectedCallback(): void {
    super.connectedCallback()
    this.#near.observe(this)
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.#near.disconnect()
    this.#forget()
  }

  /** Base64, or null when the bytes are not stored any more. */
  take(data: string | null): void {
    this.#forget()
    this.#asked = true
    if (data === null) this.shown = { kind: 'missing' }
    else {
      const blob = new Blob([bytesOf(data)], { type: this.image.mediaType })
      this.shown = { kind: 'there', url: URL.createObjectURL(blob) }
    }
  }

  #ask(entries: readonly IntersectionObserverEntry[]): void {
    if (this.#asked || !entries.some(entry => entry.isIntersecting)) return
    this.#asked = true
    this.dispatchEvent(new ImageEvent('loadImage', this.image.attachmentId))
  }

  #forget(): void {
    if (this.shown.kind === 'there') URL.revokeObjectURL(this.shown.url)
    this.#asked = false
    this.shown = { kind: 'waiting' }
  }

  /** Another picture in the same place: the old one's bytes are not its. */
  protected override willUpdate(changed: PropertyValues<ImageThumb>): void {
    const before = changed.get('image')
    if (before === undefined || before.attachmentId === this.image.attachmentId) return
    this.#forget()
    this.#near.disconnect()
    this.#near.observe(this)
  }

  protected override render(): TemplateResult {
    const { shown, image } = this
    const text = imageText(image)
    if (shown.kind === 'missing') {
      return html`<span class="picture missing" title=${words.imageGone(text)}>
        ${icon('file-media')}<span>${words.imageGone(text)}</span>
      </span>`
    }
    return html`<button
      type="button"
      class="picture"
      title=${words.openImage(text)}
      aria-label=${words.openImage(text)}
      @click=${() => this.dispatchEvent(new ImageEvent('openImage', image.attachmentId))}
    >
      ${
        shown.kind === 'there'
          ? html`<img src=${shown.url} alt=${text} draggable="false" @error=${() => this.take(null)} />`
          : icon('file-media')
      }
    </button>`
  }
}

/** "Image board.png, 320 x 200". */
export function imageText({ name, width, height }: Image): string {
  return words.image(name === undefined ? undefined : visible(name), width, height)
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), character => character.charCodeAt(0))
}

customElements.define('image-thumb', ImageThumb)

declare global {
  interface HTMLElementTagNameMap {
    'image-thumb': ImageThumb
  }
}
