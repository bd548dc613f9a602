// Images on their way into the host's store: read, sent, and answered one by one.
import { type FromConversation, imageLimits, type ToConversation } from '../messages.ts'
import { words } from './words.ts'

export interface AddingImage {
  readonly key: string
  readonly name: string
  /** The conversation it is for; null is the one not begun yet. */
  readonly sessionId: string | null
}

export type ImageAnswer = Extract<ToConversation, { kind: 'imageAdded' | 'imageRefused' }>

/** What waits for the host's answer, and the last reason why something was not added. */
export class ImageAdding {
  readonly #post: (message: FromConversation) => void
  #waiting: readonly AddingImage[] = []
  problem: string | null = null
  /** What is written goes out once nothing waits any more. */
  holding = false

  constructor(post: (message: FromConversation) => void) {
    this.#post = post
  }

  /** Those of one conversation. */
  of(sessionId: string | null): readonly AddingImage[] {
    return this.#waiting.filter(each => each.sessionId === sessionId)
  }

  /** Begins with the files that fit, `have` being there already; what does not fit is told at once. */
  add(files: readonly File[], sessionId: string | null, have: number): void {
    this.problem = null
    const room = imageLimits.count - have - this.of(sessionId).length
    const small = files.filter(({ size }) => size <= imageLimits.bytes)
    const large = files.find(({ size }) => size > imageLimits.bytes)
    if (large !== undefined) this.problem = words.imageTooLarge(large.name)
    if (small.length > room) this.problem = words.tooManyImages(imageLimits.count)
    for (const file of small.slice(0, Math.max(0, room))) void this.#send(file, sessionId)
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
  release(sessionId: string | null): boolean {
    if (!this.holding || this.of(sessionId).length > 0) return false
    this.holding = false
    return true
  }

  /** The conversation not begun yet has begun. */
  begin(sessionId: string): void {
    this.#waiting = this.#waiting.map(each => (each.sessionId === null ? { ...each, sessionId } : each))
  }

  async #send(file: File, sessionId: string | null): Promise<void> {
    const key = crypto.randomUUID()
    this.#waiting = [...this.#waiting, { key, name: file.name, sessionId }]
    const data = await base64Of(file)
    const name = file.name === '' ? {} : { name: file.name.slice(0, 1000) }
    this.#post({ kind: 'addImage', sessionId, key, ...name, data })
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
