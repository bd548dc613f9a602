import { hasSeq, isObject, type StoredEvent } from '../../session/envelope.ts'
import { SessionPersistenceCorruptionError } from '../errors.ts'
import type { Connection } from './connection.ts'
import type { SessionDatabase } from './session-database.ts'
import { keyOf } from './text-key.ts'

/** Rows per look at the database. */
const PAGE = 512

/** Each row as the text of its event: types and the columns of JSON are kept as JSON writes them. */
const LINE = [
  `'{"type":"' || type || '","seq":' || seq || ',"time":' || time || ',"data":' || data`,
  `iif(surface_op IS NULL, '', ',"surfaceOp":' || surface_op)`,
  `iif(source_event_seqs IS NULL, '', ',"sourceEventSeqs":' || source_event_seqs)`,
  `iif(ignorable IS NULL, '', ',"ignorable":true') || '}'`,
].join(' || ')
const LINES = `SELECT ${LINE} AS line FROM events WHERE session_id = ? AND seq BETWEEN ? AND ? ORDER BY seq`
const INCARNATION = 'SELECT incarnation FROM sessions WHERE id = ?'

export interface RowsOf {
  readonly database: SessionDatabase
  readonly id: string
  /** The session and its place, for errors. */
  readonly label: string
  readonly incarnation: string
  /** How many events there are, from seq 0 on. */
  readonly length: number
}

/**
 * The rows of a session that were judged before, each parsed when it is asked for. `load` brings in what was not asked
 * for, so that they outlive the file; until then a row is read where it is missing.
 */
export class StoredRows {
  readonly #of: RowsOf
  /** Lines by page. */
  readonly #pages: (readonly string[] | undefined)[] = []

  constructor(of: RowsOf) {
    this.#of = of
  }

  /** A new object of the caller's own. @throws `CORRUPT` when the row is not the event any more, `STORAGE`. */
  stored(seq: number): StoredEvent {
    const page = Math.floor(seq / PAGE)
    const line = this.#linesOf(page)[seq - page * PAGE]
    const event = line === undefined ? undefined : parsed(line)
    return isObject(event) && hasSeq(event, seq) ? event : this.#changed(seq)
  }

  /** Never throws: what could not be brought in, and what a stop left, is asked for when it is needed. */
  async load(stop: AbortSignal): Promise<void> {
    const { database, length } = this.#of
    for (let page = 0; page * PAGE < length && !stop.aborted; page++) {
      if (this.#pages[page] !== undefined) continue
      try {
        const lines = await database.read(connection => this.#read(connection, page))
        if (lines === undefined) return
        this.#pages[page] = lines
      } catch {
        return
      }
      await new Promise(setImmediate)
    }
  }

  #linesOf(page: number): readonly string[] {
    this.#pages[page] ??= this.#of.database.look(connection => this.#read(connection, page))
    return this.#pages[page] ?? this.#changed(page * PAGE)
  }

  #read(connection: Connection, page: number): readonly string[] | undefined {
    const { id, incarnation, length } = this.#of
    const key = keyOf(id)
    const first = page * PAGE
    const end = Math.min(first + PAGE, length)
    if (connection.row(INCARNATION, key)?.incarnation !== incarnation) return undefined
    const lines = connection.rows(LINES, key, first, end - 1).map(({ line }) => String(line))
    return lines.length === end - first ? lines : undefined
  }

  #changed(seq: number): never {
    throw new SessionPersistenceCorruptionError(
      `${this.#of.label} is damaged: it was changed underneath: event ${seq} is not what it was when it was opened.`,
    )
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    // Text that is no JSON is an answer here, not a failure.
    return undefined
  }
}
