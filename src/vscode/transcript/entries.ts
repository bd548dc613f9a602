import type { Item } from '../../webview/transcript-messages.ts'

/** `upsert`: known ids are replaced in place, new ones go last. `delta`: text to add to the entry with this id. */
export type TranscriptChange = { kind: 'upsert'; items: Item[] } | { kind: 'delta'; id: string; text: string }

type TextItem = Extract<Item, { kind: 'assistant' | 'reasoning' }>

/** The entries in log order, and what changed since the last `takeChange`. */
export class Entries {
  readonly #items: Item[] = []
  readonly #places = new Map<string, number>()
  readonly #touched = new Set<string>()
  /** The entries that finished turns end with. */
  readonly #turns = new Map<string, number>()
  #turnStart = 0
  #delta: { id: string; text: string } | undefined

  get items(): readonly Item[] {
    return this.#items
  }

  get(id: string): Item | undefined {
    const place = this.#places.get(id)
    return place === undefined ? undefined : this.#items[place]
  }

  /** Puts an entry in the place of the one with its id, else last. */
  put(entry: Item): void {
    const turn = this.#turns.get(entry.id)
    const item = turn === undefined ? entry : { ...entry, turn }
    const place = this.#places.get(item.id)
    if (place === undefined) this.#places.set(item.id, this.#items.push(item) - 1)
    else this.#items[place] = item
    this.#touched.add(item.id)
  }

  /** Adds streamed text to an entry; constant time whatever its length. At most one per event. */
  extend(id: string, text: string): void {
    const item = this.get(id)
    if (item === undefined || !isText(item)) return
    this.#items[this.#places.get(id) ?? 0] = { ...item, text: item.text + text }
    this.#delta = { id, text }
  }

  beginTurn(): void {
    this.#turnStart = this.#items.length
  }

  /** Marks the last entry of the turn as its end, if it has any. */
  endTurn(turn: number): void {
    const last = this.#items.at(-1)
    if (last === undefined || this.#items.length <= this.#turnStart) return
    this.#turns.set(last.id, turn)
    this.put(last)
  }

  takeChange(): TranscriptChange | undefined {
    const change = this.#change()
    this.#touched.clear()
    this.#delta = undefined
    return change
  }

  #change(): TranscriptChange | undefined {
    if (this.#touched.size === 0) return this.#delta && { kind: 'delta', ...this.#delta }
    const items = [...this.#touched].flatMap(id => this.get(id) ?? [])
    return { kind: 'upsert', items }
  }
}

function isText(item: Item): item is TextItem {
  return item.kind === 'assistant' || item.kind === 'reasoning'
}
