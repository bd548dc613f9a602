// What was typed into remarks and is not known to be on disk yet.
import { Pause } from '../pause.ts'
import type { RemarkView } from '../review-messages.ts'

/** Texts by remark. `post` is called at each pause in typing; a text is held until the host says that it is kept. */
export class Unkept {
  readonly #texts = new Map<string, string>()
  readonly #due = new Set<string>()
  readonly #pause: Pause
  readonly #changed: () => void

  constructor(post: (id: string, text: string) => void, changed: () => void) {
    this.#changed = changed
    this.#pause = new Pause(() => {
      for (const id of this.#due) post(id, this.#texts.get(id) ?? '')
      this.#due.clear()
    })
  }

  get texts(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#texts)
  }

  textOf({ id, text, state }: RemarkView): string {
    return state === 'unsent' ? (this.#texts.get(id) ?? text) : text
  }

  type(id: string, text: string): void {
    this.#texts.set(id, text)
    this.#due.add(id)
    this.#changed()
    this.#pause.soon()
  }

  /** Posts what waits for a pause. */
  now(): void {
    this.#pause.now()
  }

  /** What an earlier page typed and nobody said was kept is posted again. */
  restore(texts: Readonly<Record<string, string>>): void {
    for (const [id, text] of Object.entries(texts)) if (!this.#texts.has(id)) this.type(id, text)
    this.now()
  }

  kept(id: string, text: string): void {
    if (this.#texts.get(id) !== text || this.#due.has(id)) return
    this.#texts.delete(id)
    this.#changed()
  }

  /** Remarks that are sent or gone hold nothing any more. */
  follow(remarks: readonly RemarkView[]): void {
    const unsent = new Set(remarks.filter(({ state }) => state === 'unsent').map(({ id }) => id))
    for (const id of this.#texts.keys()) {
      if (unsent.has(id)) continue
      this.#texts.delete(id)
      this.#due.delete(id)
    }
  }
}
