import type { Remembered } from '../conversations/conversations.ts'

/** What was typed and not sent yet, by where it was typed. Survives reloads; a blank draft is forgotten. */
export class Drafts {
  readonly #store: Remembered

  constructor(store: Remembered) {
    this.#store = store
  }

  read(place: string): string {
    const text = this.#store.get(keyOf(place))
    return typeof text === 'string' ? text : ''
  }

  keep(place: string, text: string): void {
    void this.#store.update(keyOf(place), text === '' ? undefined : text)
  }
}

function keyOf(place: string): string {
  return `planMode.draft:${place}`
}
