import type { Checkpoint } from '../../../session/projections.ts'
import { merged } from '../../reading/checkpoints.ts'
import type { Wanted } from '../../reading/folding.ts'
import { JudgedLines, type KnownLines } from '../lines/judged-lines.ts'
import { readJudged } from '../lines/read-judged.ts'
import { type Custody, sizeOf } from './custody.ts'
import { FileBytes } from './file-bytes.ts'
import { type IndexPlace, writeIndex } from './session-index.ts'

/** What was judged of a log, as far as `size` bytes of its file. */
export interface Base {
  readonly lines: KnownLines & { readonly lasting: boolean }
  readonly size: number
}

export interface IndexerOptions extends IndexPlace {
  readonly id: string
  /** A shorter log is read as fast without an index. Bytes. */
  readonly from: number
  /** Undefined for a log that is new: it is read whole once. */
  readonly base: Base | undefined
  readonly custody: Custody
  readonly wanted?: Wanted | undefined
  /** The revision that the index beside the log speaks of, if it was opened by it. */
  readonly indexed?: string
}

/** Keeps the index of one log that is written here. */
export class LogIndexer {
  readonly #options: IndexerOptions
  #base: Base | undefined
  /** What the index on the disk says. */
  #written: string | undefined
  #idle: Promise<void> = Promise.resolve()

  constructor(options: IndexerOptions) {
    this.#options = options
    this.#base = options.base
    const { indexed, base } = options
    if (indexed !== undefined) this.#written = contentOf(indexed, base?.lines.checkpoints ?? [])
  }

  /** False while the log is too short for an index. */
  get due(): boolean {
    return this.#options.custody.size >= this.#options.from
  }

  /** Brings the index up to what the log holds now. One after the other; never throws, since only time is at stake. */
  write(checkpoints: readonly Checkpoint[]): Promise<void> {
    this.#idle = this.#idle.then(() => this.#write(checkpoints)).catch(() => undefined)
    return this.#idle
  }

  async #write(fresh: readonly Checkpoint[]): Promise<void> {
    const { fs, file, encoding, from, id, custody } = this.#options
    if (fs.hold === undefined) return
    const { revision } = await fs.stat(file)
    const size = sizeOf(revision)
    if (size < from || (this.#base !== undefined && !(await custody.holds(revision)))) return
    const known = (base: Base | undefined) => merged(base?.lines.checkpoints ?? [], fresh)
    if (this.#written === contentOf(revision, known(this.#base))) return
    const base = await this.#upTo(size, revision)
    if (base === undefined || !base.lines.lasting) return
    this.#base = base
    const checkpoints = known(base)
    const { map, surface, turnOpen } = base.lines
    await writeIndex(fs, file, { id, encoding: encoding.name, revision, size }, { map, surface, turnOpen, checkpoints })
    this.#written = contentOf(revision, checkpoints)
  }

  async #upTo(size: number, revision: string): Promise<Base | undefined> {
    if (this.#base === undefined) return this.#readWhole(revision)
    return this.#base.size === size ? this.#base : this.#readOn(this.#base, size)
  }

  async #readWhole(revision: string): Promise<Base | undefined> {
    const { fs, file, encoding, wanted } = this.#options
    const { log, end } = await readJudged(fs, encoding, file, { wanted })
    if (log.torn || log.settled !== true || log.revision !== revision) return undefined
    this.#options.custody.anchor(revision)
    return { lines: log.judged, size: end.end }
  }

  /** Judges what was appended since, on a copy: the old map is in use. */
  async #readOn({ lines, size: start }: Base, size: number): Promise<Base | undefined> {
    const { fs, file, encoding, id } = this.#options
    if (fs.hold === undefined || !lines.lasting) return undefined
    using bytes = new FileBytes(file, size, fs.hold(file))
    const { surface, turnOpen, checkpoints } = lines
    const known = { map: lines.map.copy(), surface, turnOpen, checkpoints }
    const judged = new JudgedLines(file, id, encoding.textOf(bytes, file), size, known)
    const { end } = await encoding.scanOn({ bytes: bytes.read(start, size), from: 0, base: start }, file, judged)
    return end === size ? { lines: judged, size } : undefined
  }
}

function contentOf(revision: string, checkpoints: readonly Checkpoint[]): string {
  return JSON.stringify([revision, checkpoints])
}
