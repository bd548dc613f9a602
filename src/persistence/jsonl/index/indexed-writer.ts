import type { SessionEvent } from '../../../session/events.ts'
import type { SessionHeader } from '../../../session/header.ts'
import type { Checkpoint } from '../../../session/projections.ts'
import type { LogWriter } from '../../backend.ts'
import type { Timers } from '../../timers.ts'
import type { Custody } from './custody.ts'
import type { LogIndexer } from './log-indexer.ts'

/** From the last append to the index of it: a session that is closed without a word has its index by then. */
const REST_MS = 5000

export interface IndexedWriterParts {
  readonly writer: LogWriter
  readonly indexer: LogIndexer
  /** Watches the writer's calls. */
  readonly custody: Custody
  readonly timers: Timers
}

/** A log's writer that brings the index up to date when the log rests, and before it gives its place back. */
export class IndexedWriter implements LogWriter {
  readonly #writer: LogWriter
  readonly #custody: Custody
  readonly #indexer: LogIndexer
  readonly #timers: Timers
  #checkpoints: () => readonly Checkpoint[] = () => []
  #rest: Disposable | undefined

  constructor({ writer, indexer, custody, timers }: IndexedWriterParts) {
    this.#writer = writer
    this.#custody = custody
    this.#indexer = indexer
    this.#timers = timers
    this.#waitForRest()
  }

  async append(events: readonly SessionEvent[]): Promise<void> {
    await this.#writer.append(events)
    this.#waitForRest()
  }

  async cut(): Promise<void> {
    await this.#custody.rest()
    await this.#writer.cut()
  }

  confirm(): Promise<void> {
    return this.#writer.confirm()
  }

  async rewrite(header: SessionHeader, events: readonly SessionEvent[]): Promise<void> {
    await this.#custody.rest()
    await this.#writer.rewrite(header, events)
  }

  remember(checkpoints: () => readonly Checkpoint[]): void {
    this.#checkpoints = checkpoints
  }

  async release(): Promise<void> {
    this.#rest?.[Symbol.dispose]()
    await this.#custody.rest()
    await this.#indexer.write(this.#checkpoints())
    await this.#writer.release()
  }

  #waitForRest(): void {
    this.#rest?.[Symbol.dispose]()
    if (!this.#indexer.due) return
    this.#rest = this.#timers.after(REST_MS, () => void this.#indexer.write(this.#checkpoints()), 'background')
  }
}
