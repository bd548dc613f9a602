import type { EventData, SessionEvent } from '../../session/events.ts'
import type { Block, Chunk } from '../../session/messages.ts'
import type { Entries } from './entries.ts'

type Kind = 'assistant' | 'reasoning'

interface StreamedBlock {
  readonly kind: Kind
  /** White space that came before the first visible character; a blank block gets no entry. */
  blank: string
  id?: string
  ended: boolean
}

/**
 * The text and reasoning of the step at work: entries that grow with the chunks and are settled by the block's end and
 * by the assistant message, which has the last word.
 */
export class AnswerText {
  readonly #entries: Entries
  #blocks = new Map<number, StreamedBlock>()
  /** Entries of a request that is being repeated, to be taken over by the repetition. */
  #stale: { readonly kind: Kind; readonly id: string }[] = []

  constructor(entries: Entries) {
    this.#entries = entries
  }

  chunk(seq: number, chunk: Chunk): void {
    switch (chunk.type) {
      case 'text-delta':
        this.#delta(seq, this.#block(chunk.index, 'assistant'), chunk.text)
        break
      case 'reasoning-delta':
        this.#delta(seq, this.#block(chunk.index, 'reasoning'), chunk.text)
        break
      case 'block-end':
        this.#end(seq, chunk.index, chunk.block)
        break
      default:
    }
  }

  /** The request failed and is repeated in the same step: what streamed so far will come again. */
  repeat(): void {
    for (const { kind, id } of this.#blocks.values()) if (id !== undefined) this.#stale.push({ kind, id })
    this.#blocks = new Map()
  }

  message({ seq, data }: SessionEvent<'assistant/message'>): void {
    const streamed = [...this.#blocks.values()].filter(block => block.id !== undefined)
    const parts = data.message.content.flatMap(visible)
    for (const [index, part] of parts.entries()) {
      const place = streamed.findIndex(block => block.kind === part.kind)
      const [block] = place < 0 ? [] : streamed.splice(place, 1)
      const id = block?.id ?? this.#claim(part.kind, `${seq}.${index}`)
      this.#settle(part.kind, id, part.text, isCut(data, block, index === parts.length - 1))
    }
    for (const block of streamed) if (block.id !== undefined) this.#leave(block.kind, block.id)
    this.#blocks = new Map()
    this.close()
  }

  /** Settles what no message settled: the answer was cut there. */
  close(): void {
    this.repeat()
    for (const { kind, id } of this.#stale) this.#leave(kind, id)
    this.#stale = []
  }

  #block(index: number, kind: Kind): StreamedBlock {
    const known = this.#blocks.get(index)
    if (known !== undefined) return known
    const block: StreamedBlock = { kind, blank: '', ended: false }
    this.#blocks.set(index, block)
    return block
  }

  #delta(seq: number, block: StreamedBlock, text: string): void {
    if (block.ended) return
    if (block.id !== undefined) {
      this.#entries.extend(block.id, text)
      return
    }
    block.blank += text
    if (text.trim() === '') return
    block.id = this.#claim(block.kind, `${seq}`)
    this.#put(block.kind, block.id, block.blank, { streaming: true, interrupted: false })
  }

  #end(seq: number, index: number, content: Block): void {
    const [part] = visible(content)
    if (part === undefined) return
    const block = this.#block(index, part.kind)
    block.ended = true
    block.id ??= this.#claim(part.kind, `${seq}`)
    this.#settle(part.kind, block.id, part.text, false)
  }

  #claim(kind: Kind, place: string): string {
    const index = this.#stale.findIndex(entry => entry.kind === kind)
    const [entry] = index < 0 ? [] : this.#stale.splice(index, 1)
    return entry?.id ?? `${kind}-${place}`
  }

  #leave(kind: Kind, id: string): void {
    const item = this.#entries.get(id)
    if (item?.kind === kind) this.#settle(kind, id, item.text, true)
  }

  #settle(kind: Kind, id: string, text: string, interrupted: boolean): void {
    this.#put(kind, id, text, { streaming: false, interrupted })
  }

  #put(kind: Kind, id: string, text: string, state: { streaming: boolean; interrupted: boolean }): void {
    if (kind === 'assistant') this.#entries.put({ kind, id, text, ...state })
    else this.#entries.put({ kind, id, text, streaming: state.streaming })
  }
}

function visible(content: Block): { kind: Kind; text: string }[] {
  if (content.type !== 'text' && content.type !== 'reasoning') return []
  const kind = content.type === 'text' ? 'assistant' : 'reasoning'
  return content.text.trim() === '' ? [] : [{ kind, text: content.text }]
}

function isCut(data: EventData<'assistant/message'>, block: StreamedBlock | undefined, last: boolean): boolean {
  return data.interrupted === true && (block === undefined ? last : !block.ended)
}
