import { compactionOf } from '../../agent/compaction/bracket.ts'
import type { SessionEvent } from '../../session/events.ts'
import { textOf } from '../../session/messages.ts'
import type { Item } from '../../webview/transcript-messages.ts'
import { boundedText } from './bounded-text.ts'
import type { Entries } from './entries.ts'

type CompactionItem = Extract<Item, { kind: 'compaction' }>

/** Characters of a summary that are shown; the log has all of it. */
const LONGEST = 50_000

/** Where the older part of the conversation was summarised; the entries before stay as they are. */
export class CompactionEntries {
  readonly #entries: Entries
  /** The one that runs: its compaction and its entry. */
  #open: { readonly compactionId: string; readonly id: string } | undefined

  constructor(entries: Entries) {
    this.#entries = entries
  }

  start({ seq, data: { compactionId } }: SessionEvent<'compaction/start'>): void {
    const id = `compaction-${seq}`
    this.#open = { compactionId, id }
    this.#entries.put({ kind: 'compaction', id, status: 'running', text: '', messages: 0, tokens: 0 })
  }

  summary({ data }: SessionEvent<'compaction/summary'>): void {
    const text = boundedText(textOf({ content: data.summary }), LONGEST)
    this.#change(data.compactionId, { text, messages: data.shadowedSeqs.length, tokens: data.shadowedTokenCount })
  }

  /** Done once the summary stands in the conversation: what a crash takes after that changes nothing. */
  message(event: SessionEvent<'user/message'>): void {
    const id = compactionOf(event)
    if (id !== undefined) this.#change(id, { status: 'done' })
  }

  end({ data: { compactionId, error } }: SessionEvent<'compaction/end'>): void {
    if (error !== undefined) this.#change(compactionId, { status: 'failed', text: error })
    this.#open = undefined
  }

  /** Whoever worked on it is gone. */
  endSeed(): void {
    const { compactionId = '', id = '' } = this.#open ?? {}
    const item = this.#entries.get(id)
    if (item?.kind === 'compaction' && item.status === 'running')
      this.#change(compactionId, { status: 'failed', text: CUT })
    this.#open = undefined
  }

  #change(compactionId: string, change: Partial<CompactionItem>): void {
    const item = this.#open?.compactionId === compactionId ? this.#entries.get(this.#open.id) : undefined
    if (item?.kind === 'compaction') this.#entries.put({ ...item, ...change })
  }
}

const CUT = 'The window closed or reloaded meanwhile.'
