// Images on their way into the host's store: read, sent, and answered one by one.
import { type Image, imageLimits } from '../image-messages.ts'
import { words } from './words.ts'

export interface AddingImage {
  readonly key: string
  readonly name: string
  /** What it is for: a conversation (null: the one not begun yet), or a remark. */
  readonly place: string | null
}

export type ImageAnswer =
  | { readonly kind: 'imageAdded'; readonly key: string; readonly image: Image }
  | { readonly kind: 'imageRefused'; readonly key: string; readonly text: string }

/** A file on its way: `data` is base64. */
export interface ReadFile {
  readonly key: string
  readonly name?: string
  readonly data: string
}

/** What waits for the host's answer, and the last reason why something was not added. */
export class ImageAdding {
  readonly #post: (place: string | null, file: ReadFile) => void
  #waiting: readonly AddingImage[] = []
  problem: string | null = null
  /** What is written goes out once nothing waits any more. */
  holding = false

  constructor(post: (place: string | null, file: ReadFile) => void) {
    this.#post = post
  }

  of(place: string | null): readonly AddingImage[] {
    return this.#waiting.filter(each => each.place === place)
  }

  /** Begins with the files that fit, `have` being there already; what does not fit is told at once. */
  add(files: readonly File[], place: string | null, have: number): void {
    this.problem = null
    const room = imageLimits.count - have - this.of(place).length
    const small = files.filter(({ size }) => size <= imageLimits.bytes)
    const large = files.find(({ size }) => size > imageLimits.bytes)
    if (large !== undefined) this.problem = words.imageTooLarge(large.name)
    if (small.length > room) this.problem = words.tooManyImages(imageLimits.count)
    for (const file of small.slice(0, Math.max(0, room))) void this.#send(file, place)
  }

  /** The entry that an answer is for, which waits no more; undefined when it is of an earlier page. */
  settle(answer: ImageAnswer): AddingImage | undefined {
    const settled = this.#waiting.find(each => each.key === answer.key)
    if (settled === undefined) return undefined
    this.#waiting = this.#waiting.filter(each => each !== settled)
    if (answer.kind === 'imageRefused') {
      this.problem = answer.text
      this.holding = false
    }
    return settled
  }

  /** True once, when what was held back can go out. */
  release(place: string | null): boolean {
    if (!this.holding || this.of(place).length > 0) return false
    this.holding = false
    return true
  }

  /** The conversation not begun yet has begun. */
  begin(place: string): void {
    this.#waiting = this.#waiting.map(each => (each.place === null ? { ...each, place } : each))
  }

  async #send(file: File, place: string | null): Promise<void> {
    const key = crypto.randomUUID()
    this.#waiting = [...this.#waiting, { key, name: file.name, place }]
    const data = await base64Of(file)
    const name = file.name === '' ? {} : { name: file.name.slice(0, 1000) }
    this.#post(place, { key, ...name, data })
  }
}

/** Empty when the file cannot be read (a folder, say): the host then says that it is no image. */
function base64Of(file: File): Promise<string> {
  return new Promise(resolve => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,?/, ''))
    reader.onerror = () => resolve('')
    reader.readAsDataURL(file)
  })
}
