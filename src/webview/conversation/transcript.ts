// The transcript as a value: how each message changes it, and how its entries fold into rows.
import type { ToConversation } from '../messages.ts'
import type { Item } from '../transcript-messages.ts'

export type ToolItem = Extract<Item, { kind: 'tool' }>
export type TranscriptMessage = Extract<ToConversation, { kind: 'transcript' | 'upsert' | 'prepend' | 'delta' }>

/** What the transcript shows as one: an entry, or tool calls that follow each other. `id` is the first one's. */
export type Row =
  | { readonly kind: 'item'; readonly id: string; readonly item: Exclude<Item, ToolItem> }
  | { readonly kind: 'tools'; readonly id: string; readonly items: readonly ToolItem[] }

/** The entries after a message. Entries that did not change stay the same objects. */
export function receiveItems(items: readonly Item[], message: TranscriptMessage): readonly Item[] {
  switch (message.kind) {
    case 'transcript':
      return message.items
    case 'prepend': {
      const known = new Set(items.map(item => item.id))
      return [...message.items.filter(item => !known.has(item.id)), ...items]
    }
    case 'upsert':
      return message.items.reduce(upsert, items)
    case 'delta':
      return addText(items, message.id, message.text)
  }
}

function upsert(items: readonly Item[], item: Item): readonly Item[] {
  const at = items.findLastIndex(known => known.id === item.id)
  return at < 0 ? [...items, item] : items.with(at, item)
}

function addText(items: readonly Item[], id: string, text: string): readonly Item[] {
  const at = items.findLastIndex(known => known.id === id)
  const item = items[at]
  if (item?.kind !== 'assistant' && item?.kind !== 'reasoning') return items
  return items.with(at, { ...item, text: item.text + text })
}

/** The finished turn that ends with a row. */
export function turnOf(row: Row): number | undefined {
  return row.kind === 'item' ? row.item.turn : row.items.at(-1)?.turn
}

/** Folds tool calls that follow each other into one row, which ends where a turn does. */
export function rows(items: readonly Item[]): readonly Row[] {
  const result: Row[] = []
  for (const item of items) {
    const last = result.at(-1)
    if (item.kind !== 'tool') result.push({ kind: 'item', id: item.id, item })
    else if (last?.kind === 'tools' && last.items.at(-1)?.turn === undefined)
      result[result.length - 1] = { ...last, items: [...last.items, item] }
    else result.push({ kind: 'tools', id: item.id, items: [item] })
  }
  return result
}
