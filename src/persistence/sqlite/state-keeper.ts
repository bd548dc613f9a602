import type { StoredEvent } from '../../session/envelope.ts'
import type { SessionEvent } from '../../session/events.ts'
import type { Checkpoint } from '../../session/projections.ts'
import { surface } from '../../session/surface.ts'
import type { JudgedEvents } from '../backend.ts'
import { merged } from '../reading/checkpoints.ts'
import { Judge } from '../reading/judge.ts'
import { JudgedArray } from '../reading/judged-array.ts'
import { codeOfType } from '../type-codes.ts'
import { JudgedRows } from './judged-rows.ts'
import type { KeptState } from './kept-state.ts'

/** A shorter session is read as fast without a kept state. Events. */
const KEEP_FROM = 2000

export interface KeeperOptions {
  readonly id: string
  /** The session and its place, for errors. */
  readonly label: string
  /** What is stored, where it was judged; nothing of a new session. */
  readonly judged: JudgedEvents | undefined
  readonly keepFrom: number | undefined
}

/** What is known of a session that is written here, brought on by each batch that was stored. */
export class StateKeeper {
  readonly #keepFrom: number
  #codes: Uint8Array
  #length: number
  readonly #judge: Judge
  readonly #results = new Map<number, SessionEvent>()
  #checkpoints: readonly Checkpoint[]
  /** What the database says already. */
  #written: string | undefined

  private constructor({ id, label, judged, keepFrom = KEEP_FROM }: KeeperOptions, state: KeptState, written: boolean) {
    this.#keepFrom = keepFrom
    this.#codes = state.types.slice()
    this.#length = state.types.length
    this.#judge = new Judge(label, id, seq => this.#results.get(seq) ?? judged?.at(seq), state)
    this.#checkpoints = state.checkpoints
    if (written) this.#written = this.#content(state.checkpoints)
  }

  /** Undefined for a session whose events are not to be known without judging them. */
  static of(options: KeeperOptions): StateKeeper | undefined {
    const { judged } = options
    if (judged instanceof JudgedRows) return new StateKeeper(options, judged.state, true)
    if (judged instanceof JudgedArray && judged.lasting) {
      const types = Uint8Array.from([...judged.today(0)], ({ type }) => codeOfType(type))
      const { surface, turnOpen, checkpoints } = judged
      return new StateKeeper(options, { types, surface, turnOpen, checkpoints }, false)
    }
    const nothing = { types: new Uint8Array(), surface: surface.initial, turnOpen: false, checkpoints: [] }
    return judged === undefined ? new StateKeeper(options, nothing, false) : undefined
  }

  /** Events that were stored just now. */
  take(events: readonly SessionEvent[]): void {
    this.#makeRoom(events.length)
    for (const event of events) {
      this.#codes[this.#length++] = codeOfType(event.type)
      if (event.type === 'tool/result') this.#results.set(event.seq, event)
      // An event is judged by its keys alone; whoever appends may be nobody's session.
      this.#judge.take(event as unknown as StoredEvent)
    }
  }

  /** What is worth keeping; undefined when that lies in the database, when the session is too short, or not sound. */
  due(fresh: readonly Checkpoint[]): KeptState | undefined {
    const checkpoints = merged(this.#checkpoints, fresh)
    if (!this.#judge.sound || this.#judge.upgraded) return undefined
    if (this.#length < this.#keepFrom || this.#content(checkpoints) === this.#written) return undefined
    const types = this.#codes.subarray(0, this.#length)
    return { types, surface: this.#judge.surface, turnOpen: this.#judge.turnOpen, checkpoints }
  }

  written({ checkpoints }: KeptState): void {
    this.#checkpoints = checkpoints
    this.#written = this.#content(checkpoints)
  }

  #content(checkpoints: readonly Checkpoint[]): string {
    return JSON.stringify([this.#length, checkpoints])
  }

  #makeRoom(more: number): void {
    if (this.#length + more <= this.#codes.length) return
    const grown = new Uint8Array(Math.max(4096, (this.#length + more) * 2))
    grown.set(this.#codes.subarray(0, this.#length))
    this.#codes = grown
  }
}
