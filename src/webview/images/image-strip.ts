// The images that go along with words: where files come from, and the strip that shows them.
import { html, nothing, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import type { Image } from '../image-messages.ts'
import { visible } from '../markdown/visible.ts'
import { icon } from '../parts.ts'
import type { AddingImage } from './image-adding.ts'
import { imageText } from './image-thumb.ts'
import { words } from './words.ts'

/** Fired, bubbling, with files that were pasted, dropped or chosen. */
export class AttachEvent extends Event {
  readonly files: readonly File[]

  constructor(files: readonly File[]) {
    super('attach', { bubbles: true })
    this.files = files
  }
}

/** Fired, bubbling, with the images that are left. */
export class ImagesEvent extends Event {
  readonly images: readonly Image[]

  constructor(images: readonly Image[]) {
    super('images', { bubbles: true })
    this.images = images
  }
}

/** The files of a paste; none when there are words to paste, as cells of a table bring both. */
export function pastedFiles({ clipboardData }: ClipboardEvent): readonly File[] {
  if (clipboardData === null || clipboardData.getData('text/plain') !== '') return []
  return [...clipboardData.files]
}

export function carriesFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes('Files') ?? false
}

/** Opens the system's own choice of files. */
export function attachButton(attach: (files: readonly File[]) => void): TemplateResult {
  const open = ({ currentTarget }: Event): void => {
    if (currentTarget instanceof Element) currentTarget.parentElement?.querySelector('input')?.click()
  }
  const choose = ({ target }: Event): void => {
    if (!(target instanceof HTMLInputElement)) return
    attach([...(target.files ?? [])])
    // So that the same file can be chosen again after it was removed.
    target.value = ''
  }
  return html`<button type="button" class="icon-button" title=${words.attach} aria-label=${words.attach} @click=${open}>
      ${icon('attach')}
    </button>
    <input
      type="file"
      class="hidden"
      tabindex="-1"
      aria-hidden="true"
      multiple
      accept="image/png,image/jpeg,image/webp,image/gif"
      @change=${choose}
    />`
}

export interface ImageStrip {
  readonly images: readonly Image[]
  readonly adding: readonly AddingImage[]
  /** What is written goes out once those are stored. */
  readonly holding?: boolean
  /** Why something was not added, as a sentence. */
  readonly problem: string | null
  readonly remove: (image: Image) => void
}

/** What goes along, each with its name, its size and a button that takes it back. */
export function imageStrip({ images, adding, holding = false, problem, remove }: ImageStrip): TemplateResult {
  const none = images.length === 0 && adding.length === 0
  return html`
    ${problem === null ? nothing : html`<p class="image-problem" role="alert">${icon('error')}<span>${visible(problem)}</span></p>`}
    ${
      none
        ? nothing
        : html`<ul class="images" aria-label=${words.images}>
            ${repeat(
              images,
              image => image.attachmentId,
              image => imageRow(image, remove),
            )}
            ${adding.map(
              ({ name }) => html`<li class="adding">
                ${icon('loading', true)}<span class="name">${words.addingImage(visible(name))}</span>
              </li>`,
            )}
          </ul>`
    }
    ${holding ? html`<p class="holding dim small">${icon('watch')}<span>${words.sendsWhenStored}</span></p>` : nothing}
  `
}

function imageRow(image: Image, remove: (image: Image) => void): TemplateResult {
  const name = image.name === undefined ? words.unnamedImage : visible(image.name)
  return html`<li>
    <image-thumb .image=${image}></image-thumb>
    <span class="facts">
      <span class="name" title=${name}>${name}</span>
      <span class="dim small">${image.width} x ${image.height} · ${sizeText(image.bytes)}</span>
    </span>
    <button
      type="button"
      class="icon-button"
      title=${words.removeImage(imageText(image))}
      aria-label=${words.removeImage(imageText(image))}
      @click=${() => remove(image)}
    >${icon('close')}</button>
  </li>`
}

/** "512 bytes", "12 KB", "1.4 MB". */
export function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`
  if (bytes < 1024 * 1024) return `${Math.round(bytes / 1024)} KB`
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`
}
