// What the composer of the conversation shown holds: kept with the page at each change, for each conversation its own.

import type { Image } from '../image-messages.ts'
import { ImageAdding, type ImageAnswer } from '../images/image-adding.ts'
import type { FromConversation, ToConversation } from '../messages.ts'
import { type Draft, isEmpty, together } from './drafts.ts'
import type { KeptWords } from './kept-words.ts'

type Offered = Extract<ToConversation, { kind: 'composer' }>

/** The draft of the conversation shown, and the images on their way into it. */
export class ComposerDraft {
  readonly adding: ImageAdding
  readonly #kept: KeptWords
  #draft: Draft = { text: '', images: [] }
  #sessionId: string | null = null

  constructor(kept: KeptWords, post: (message: FromConversation) => void) {
    this.#kept = kept
    this.adding = new ImageAdding((sessionId, file) => post({ kind: 'addImage', sessionId, ...file }))
  }

  get text(): string {
    return this.#draft.text
  }

  get images(): readonly Image[] {
    return this.#draft.images
  }

  /** The images as a message to the host carries them: no key without any. */
  get along(): { images?: Image[] } {
    return this.images.length === 0 ? {} : { images: [...this.images] }
  }

  /** What is written goes out as soon as its images are stored; whatever changes it meanwhile takes that back. */
  hold(): void {
    this.adding.holding = true
    this.adding.problem = null
  }

  /** Whether what was held back goes out now. */
  release(): boolean {
    return this.adding.release(this.#sessionId)
  }

  /** Changes what is held, and keeps it. */
  change(changes: Partial<Draft>): void {
    this.#draft = { ...this.#draft, ...changes }
    this.#save(this.#sessionId, this.#draft)
  }

  /** The first conversation that is shown: what was saved of it, unless something was typed already. */
  open(sessionId: string | null): void {
    this.#sessionId = sessionId
    this.change(isEmpty(this.#draft) ? this.#kept.draft(sessionId) : {})
  }

  /** Another conversation is shown. What was held before a conversation begins goes along into it. */
  turnTo(sessionId: string | null): void {
    const kept = this.#kept.draft(sessionId)
    const begins = this.#sessionId === null && isEmpty(kept)
    const draft = begins ? this.#draft : kept
    if (begins) this.change({ text: '', images: [] })
    if (begins && sessionId !== null) this.adding.begin(sessionId)
    if (!begins) this.adding.holding = false
    this.adding.problem = null
    this.#sessionId = sessionId
    this.change(draft)
  }

  /** Takes what the host offers, unless something else was typed here, and later. */
  offer({ text, images, whenEmpty, at = 0 }: Offered): void {
    const draft = { text, images: images ?? (whenEmpty ? [] : this.images) }
    const later = !isEmpty(draft) && at > this.#kept.time(this.#sessionId)
    if (!whenEmpty || isEmpty(this.#draft) || later) this.change(draft)
  }

  attach(files: readonly File[]): void {
    this.adding.add(files, this.#sessionId, this.images.length)
  }

  /** The image that has come into the draft shown; one that came for another conversation stays with that. */
  answer(message: ImageAnswer): Image | undefined {
    const waited = this.adding.settle(message)
    if (waited === undefined || message.kind === 'imageRefused') return undefined
    if (waited.place === this.#sessionId) {
      this.change({ images: together(this.images, message.image) })
      return message.image
    }
    const { text, images } = this.#kept.draft(waited.place)
    this.#save(waited.place, { text, images: together(images, message.image) })
    return undefined
  }

  #save(sessionId: string | null, draft: Draft): void {
    this.#kept.keepDraft(sessionId, draft, this.#sessionId)
  }
}
