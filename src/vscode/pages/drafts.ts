import { z } from 'zod'
import type { Remembered } from '../conversations/conversations.ts'

const draft = z.object({ text: z.string(), at: z.number() })

/** What was typed and when it was kept, epoch milliseconds. */
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

  keep(place: string, text: string): void {
    void this.#store.update(keyOf(place), text === '' ? undefined : { text, at: Date.now() })
  }
}

function keyOf(place: string): string {
  return `planMode.draft:${place}`
}
