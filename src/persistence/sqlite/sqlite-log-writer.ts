import { PlanModeError } from '../../session/errors.ts'
import type { SessionEvent } from '../../session/events.ts'
import type { SessionHeader } from '../../session/header.ts'
import type { Checkpoint } from '../../session/projections.ts'
import type { JudgedEvents, LogWriter } from '../backend.ts'
import { storageCodes } from '../errors.ts'
import type { Timers } from '../timers.ts'
import type { Connection } from './connection.ts'
import { EVENT_COLUMNS, type EventRow, toRow } from './event-rows.ts'
import { writeState } from './kept-state.ts'
import { lastSeq } from './read-log.ts'
import type { SessionDatabase } from './session-database.ts'
import { labelOf } from './session-row.ts'
import { StateKeeper } from './state-keeper.ts'
import { keyOf } from './text-key.ts'
import type { WriterPlace } from './writer-place.ts'

/** From the last append to the state that is kept of it: a session that is closed without a word has one by then. */
const REST_MS = 5000

export interface WriterParts {
  readonly database: SessionDatabase
  readonly id: string
  readonly place: WriterPlace
  readonly now: () => number
  readonly timers: Timers
  readonly keepFrom: number | undefined
}

/** Where a session's log ends for its writer. `header` is there until the first append has stored it. */
export interface LogEnd {
  readonly header?: SessionHeader
  readonly nextSeq: number
  /** Rows that do not hold lie behind. */
  readonly torn: boolean
  /** Of what is stored, where it was judged; nothing of a new session. */
  readonly judged?: JudgedEvents | undefined
}

/** Writes one session's rows: every batch is one transaction that also proves the writer's place. */
export class SqliteLogWriter implements LogWriter {
  readonly #database: SessionDatabase
  readonly #id: string
  readonly #place: WriterPlace
  readonly #now: () => number
  readonly #timers: Timers
  #end: LogEnd
  #keeper: StateKeeper | undefined
  #checkpoints: () => readonly Checkpoint[] = () => []
  #rest: Disposable | undefined

  constructor({ database, id, place, now, timers, keepFrom }: WriterParts, end: LogEnd) {
    this.#database = database
    this.#id = id
    this.#place = place
    this.#now = now
    this.#timers = timers
    this.#end = end
    this.#keeper = StateKeeper.of({ id, label: this.#label, judged: end.judged, keepFrom })
    this.#waitForRest()
  }

  async append(events: readonly SessionEvent[]): Promise<void> {
    const { header, nextSeq, torn } = this.#end
    for (const [k, event] of events.entries()) {
      if (event.seq !== nextSeq + k) throw this.#notContiguous(nextSeq + k, event.seq)
    }
    if (events.length === 0) return
    const rows = events.map(toRow)
    await this.#database.write(connection => {
      this.#place.assertHeld(connection)
      if (header !== undefined) this.#publish(connection, header)
      if (torn) this.#cut(connection)
      this.#insert(connection, rows)
      this.#markChanged(connection)
    })
    this.#end = { nextSeq: nextSeq + events.length, torn: false }
    this.#keeper?.take(events)
    this.#waitForRest()
  }

  async cut(): Promise<void> {
    if (!this.#end.torn) return
    await this.#database.write(connection => {
      this.#place.assertHeld(connection)
      this.#cut(connection)
      this.#markChanged(connection)
    })
    this.#end = { ...this.#end, torn: false }
  }

  confirm(): Promise<void> {
    return this.#place.confirm()
  }

  async rewrite(header: SessionHeader, events: readonly SessionEvent[]): Promise<void> {
    const rows = events.map(toRow)
    await this.#database.create()
    await this.#database.write(connection => {
      this.#place.restore(connection)
      if (!has(connection, this.#id)) this.#publish(connection, header)
      this.#insertMissing(connection, rows)
      this.#markChanged(connection)
    })
    this.#end = { nextSeq: events.length, torn: false }
    // What lies there was written by parts of others, too.
    this.#keeper = undefined
  }

  remember(checkpoints: () => readonly Checkpoint[]): void {
    this.#checkpoints = checkpoints
  }

  async release(): Promise<void> {
    this.#rest?.[Symbol.dispose]()
    await this.#keepState()
    await this.#place.release()
  }

  #waitForRest(): void {
    this.#rest?.[Symbol.dispose]()
    this.#rest = this.#timers.after(REST_MS, () => void this.#keepState(), 'background')
  }

  /** One after the other with the appends of this thread; never throws, since only time is at stake. */
  async #keepState(): Promise<void> {
    const keeper = this.#keeper
    const state = keeper?.due(this.#checkpoints())
    if (keeper === undefined || state === undefined) return
    try {
      await this.#database.write(connection => {
        this.#place.assertHeld(connection)
        if (lastSeq(connection, this.#id) + 1 === state.types.length) writeState(connection, this.#id, state)
      })
      keeper.written(state)
    } catch {
      // A place that was lost, or a file that cannot be written, shows at the next append.
    }
  }

  #publish(connection: Connection, header: SessionHeader): void {
    const added = connection.run(
      'INSERT OR IGNORE INTO sessions VALUES (?, ?, ?, 0, 0)',
      ...[keyOf(this.#id), JSON.stringify(header), crypto.randomUUID()],
    )
    if (added === 1) return
    throw new PlanModeError(storageCodes.alreadyExists, `${this.#label} is there already; nothing was written.`)
  }

  #insert(connection: Connection, rows: readonly EventRow[]): void {
    const end = lastSeq(connection, this.#id) + 1
    if (end < this.#end.nextSeq) throw this.#gone(`it ends before event ${end} instead of ${this.#end.nextSeq}`)
    if (end > this.#end.nextSeq) throw this.#changed(`it ends before event ${end} instead of ${this.#end.nextSeq}`)
    for (const row of rows) this.#insertRow(connection, 'INSERT', row)
  }

  /** What is stored has to be a part of the rows. */
  #insertMissing(connection: Connection, rows: readonly EventRow[]): void {
    for (const row of rows) {
      if (this.#insertRow(connection, 'INSERT OR IGNORE', row) === 1) continue
      const [seq, type, time] = row
      const same = 'SELECT 1 FROM events WHERE session_id = ? AND seq = ? AND type = ? AND time = ?'
      if (connection.row(same, keyOf(this.#id), seq, type, time) === undefined) {
        throw this.#changed(`event ${seq} is another`)
      }
    }
    const end = lastSeq(connection, this.#id) + 1
    if (end !== rows.length) throw this.#changed(`it ends before event ${end} instead of ${rows.length}`)
  }

  #insertRow(connection: Connection, how: 'INSERT' | 'INSERT OR IGNORE', row: EventRow): number {
    const sql = `${how} INTO events (session_id, ${EVENT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
    return connection.run(sql, keyOf(this.#id), ...row)
  }

  #cut(connection: Connection): void {
    connection.run('DELETE FROM events WHERE session_id = ? AND seq >= ?', keyOf(this.#id), this.#end.nextSeq)
  }

  #markChanged(connection: Connection): void {
    const sql = 'UPDATE sessions SET revision = revision + 1, changed_at = ? WHERE id = ?'
    if (connection.run(sql, this.#now(), keyOf(this.#id)) !== 1) throw this.#gone('its header is gone')
  }

  #gone(how: string): PlanModeError {
    return new PlanModeError(
      storageCodes.logGone,
      `${this.#label} was changed by something else: ${how}. Nothing was written, and all of the conversation is still here: put the file back, or try again to write what is missing.`,
    )
  }

  #changed(how: string): PlanModeError {
    return new PlanModeError(
      storageCodes.storage,
      `${this.#label} was changed by something else: ${how}. Nothing was written; put the file back or open the session anew.`,
    )
  }

  #notContiguous(expected: number, given: number): PlanModeError {
    return new PlanModeError(storageCodes.notContiguous, `${this.#label} goes on with event ${expected}, not ${given}.`)
  }

  get #label(): string {
    return labelOf(this.#database.file, this.#id)
  }
}

function has(connection: Connection, id: string): boolean {
  return connection.row('SELECT 1 FROM sessions WHERE id = ?', keyOf(id)) !== undefined
}
