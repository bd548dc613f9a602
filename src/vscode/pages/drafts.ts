import { z } from 'zod'
import { type Image, image } from '../../webview/image-messages.ts'
import type { Remembered } from '../conversations/conversations.ts'

const draft = z.object({ text: z.string(), images: z.array(image).optional(), at: z.number() })

/** What was typed, the images that go along (their bytes are in the store), and when it was kept, epoch milliseconds. */
export type Draft = z.infer<typeof draft>

/** What was typed and not sent yet, by where it was typed. Survives reloads; a blank draft is forgotten. */
export class Drafts {
  readonly #store: Remembered

  constructor(store: Remembered) {
    this.#store = store
  }

  read(place: string): Draft {
    return draft.safeParse(this.#store.get(keyOf(place))).data ?? { text: '', at: 0 }
  }

  keep(place: string, text: string, images: readonly Image[] = []): void {
    const kept = { text, ...(images.length === 0 ? {} : { images }), at: Date.now() }
    void this.#store.update(keyOf(place), text === '' && images.length === 0 ? undefined : kept)
  }

  /** Moves a draft to a place that holds none; one that is empty moves nothing. */
  move(from: string, to: string): void {
    const { text, images = [] } = this.read(from)
    const there = this.read(to)
    if ((text === '' && images.length === 0) || there.text !== '' || there.images !== undefined) return
    this.keep(to, text, images)
    this.keep(from, '')
  }

  /** Puts an image to what is kept, so that it lasts whatever becomes of the page. */
  addImage(place: string, added: Image): void {
    const { text, images = [] } = this.read(place)
    if (images.every(({ attachmentId }) => attachmentId !== added.attachmentId))
      this.keep(place, text, [...images, added])
  }
}

function keyOf(place: string): string {
  return `planMode.draft:${place}`
}
