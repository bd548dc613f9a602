import type { SessionHeader } from '../../../session/header.ts'
import type { LogWriter, StoredLog } from '../../backend.ts'
import type { FileSystem } from '../../file-system.ts'
import type { Wanted } from '../../reading/folding.ts'
import { realTimers, type Timers } from '../../timers.ts'
import type { LogEncoding } from '../encoding.ts'
import { Custody } from './custody.ts'
import { readIndexedTail } from './indexed-tail.ts'
import { IndexedWriter } from './indexed-writer.ts'
import { type Base, LogIndexer } from './log-indexer.ts'
import { type IndexedLog, readIndexed } from './session-index.ts'

export interface IndexesOptions {
  readonly fs: FileSystem
  readonly encoding: LogEncoding
  /** Bytes of the shortest log that has one; `Infinity` for none, and none is believed then. */
  readonly from: number
  readonly timers: Timers | undefined
  /** States that the first index of a new log has, too. */
  readonly wanted?: Wanted | undefined
}

/** What a log's writer begins with. */
export interface WriterStart {
  readonly id: string
  readonly file: string
  /** What was read of the log; nothing for a new one. */
  readonly base: Base | undefined
  readonly revision: string | undefined
  /** True when it was opened by its index. */
  readonly indexed: boolean
}

const SOON_MS = 200

/** The sidecar indexes of a root's logs. */
export class SessionIndexes {
  readonly #options: IndexesOptions
  readonly #loading = new Set<Promise<void>>()
  /** What is read soon, begun by calling it. */
  readonly #waiting = new Set<() => void>()

  constructor(options: IndexesOptions) {
    this.#options = options
  }

  /** The log by its index; what else of it is read follows in the background. @throws as `readIndexed`. */
  async open(file: string, id: string, readHeader: () => Promise<SessionHeader>): Promise<IndexedLog | undefined> {
    if (!this.#believed) return undefined
    const { fs, encoding } = this.#options
    const indexed = await readIndexed({ fs, encoding, file }, id, readHeader)
    if (indexed === undefined) return undefined
    this.#readSoon(indexed)
    return indexed
  }

  /** The events from a seq on, by the index. @throws for whatever does not fit: reading the log whole says what. */
  async tail(
    file: string,
    id: string,
    fromSeq: number,
    readHeader: () => Promise<SessionHeader>,
  ): Promise<StoredLog | undefined> {
    if (!this.#believed) return undefined
    const { fs, encoding } = this.#options
    return readIndexedTail({ fs, encoding, file }, { id, fromSeq }, readHeader)
  }

  get #believed(): boolean {
    return this.#options.from !== Number.POSITIVE_INFINITY
  }

  /** A writer that keeps the index; `make` makes it of the calls it shall use. */
  writer(start: WriterStart, make: (fs: FileSystem) => LogWriter): LogWriter {
    const { fs, encoding, from, wanted, timers = realTimers } = this.#options
    if (fs.hold === undefined || from === Number.POSITIVE_INFINITY) return make(fs)
    const { id, file, base, revision, indexed } = start
    const custody = new Custody(revision)
    const known = indexed && revision !== undefined ? { indexed: revision } : {}
    const indexer = new LogIndexer({ fs, encoding, file, id, from, base, custody, wanted, ...known })
    return new IndexedWriter({ writer: make(custody.watched(fs)), indexer, custody, timers })
  }

  /** Waits for all that is still to be read. */
  async dispose(): Promise<void> {
    for (const read of [...this.#waiting]) read()
    await Promise.allSettled(this.#loading)
  }

  /** Not at once: memory for the whole log would have the window's start wait while memory is tidied up. */
  #readSoon({ bytes }: IndexedLog): void {
    const read = () => {
      later[Symbol.dispose]()
      this.#waiting.delete(read)
      const loading = bytes.readAll().finally(() => this.#loading.delete(loading))
      this.#loading.add(loading)
    }
    const { timers = realTimers } = this.#options
    const later = timers.after(SOON_MS, read, 'background')
    this.#waiting.add(read)
  }
}
