import type { StoredEvent } from '../../session/envelope.ts'
import type { SessionHeader } from '../../session/header.ts'
import type { StoredLog } from '../backend.ts'
import { SessionPersistenceCorruptionError } from '../errors.ts'
import type { Wanted } from '../reading/folding.ts'
import { JudgedArray } from '../reading/judged-array.ts'
import type { Connection, Row } from './connection.ts'
import { EVENT_VALUES, toEvent } from './event-rows.ts'
import { JudgedRows } from './judged-rows.ts'
import { type KeptState, readState } from './kept-state.ts'
import type { SessionDatabase } from './session-database.ts'
import { headerOf, notFound, type SessionRow, sessionRow } from './session-row.ts'
import { StoredRows } from './stored-rows.ts'
import { keyOf } from './text-key.ts'

/** Rows per look at the database; between two looks the thread is free. */
const PAGE = 2000
const MAX = Number.MAX_SAFE_INTEGER

export interface ReadOptions {
  readonly signal?: AbortSignal | undefined
  /** False: all of it is read, whatever is known of it. */
  readonly byState?: boolean
  readonly loading?: (rows: StoredRows) => void
  readonly wanted?: Wanted | undefined
}

interface Start {
  readonly session: SessionRow
  readonly header: SessionHeader
  /** The highest seq, -1 without events. */
  readonly last: number
  /** Something is wrong in front of the first event that is asked for. */
  readonly below: boolean
  readonly above: boolean
  /** What was kept of the session as it is; only where the whole of it was asked for. */
  readonly state: KeptState | undefined
}

interface Scan {
  readonly events: StoredEvent[]
  /** Why nothing is kept from there on. */
  readonly problem: string | undefined
  /** A turn ends behind the problem: what is kept is not the whole story. */
  readonly damaged: boolean
}

/**
 * The valid contiguous prefix as it was at one moment. A row that does not go on from it and has a turn's end behind it
 * is damage; otherwise it begins a tail that may be cut. By the state that was kept of exactly this revision, where there
 * is one: `loading` is told what is then to be loaded in the background. @throws as `PersistenceBackend.read`.
 */
export async function readLog(
  database: SessionDatabase,
  id: string,
  { signal, byState = true, loading, wanted }: ReadOptions = {},
): Promise<StoredLog> {
  for (;;) {
    const start = await startOf(database, id)
    const { session, header } = start
    if (start.below) throw damaged(session, 'it has an event below 0')
    if (byState && start.state !== undefined && !start.above && start.state.types.length === start.last + 1) {
      return logByState(database, start, start.state, loading)
    }
    const { events, problem, damaged: ended } = await scanFrom(database, start, 0, signal)
    const torn = problem !== undefined || start.above
    const after = await revisionOf(database, id)
    // A tail may have been cut and written anew between two looks.
    if (torn && after !== session.revision) continue
    if (problem !== undefined && ended) throw damaged(session, problem)
    // What was appended meanwhile was not asked for: this is the log as it was at its revision.
    const settled = incarnationOf(after) === incarnationOf(session.revision)
    const log = { file: session.label, header, events, torn, revision: session.revision, settled }
    return { ...log, judged: new JudgedArray(log, wanted) }
  }
}

function logByState(
  database: SessionDatabase,
  { session, header }: Start,
  state: KeptState,
  loading: (rows: StoredRows) => void = () => {},
): StoredLog {
  const { id, label, incarnation, revision } = session
  const rows = new StoredRows({ database, id, label, incarnation, length: state.types.length })
  const judged = new JudgedRows(state, rows, label)
  loading(rows)
  return {
    file: label,
    header,
    judged,
    torn: false,
    revision,
    settled: true,
    get events() {
      return [...judged.today(0)]
    },
  }
}

/** A revision without the number of changes that led to it. */
function incarnationOf(revision: string): string {
  return revision.slice(0, revision.lastIndexOf(':'))
}

/** The events from `fromSeq` on, reading nothing before them; undefined unless they go on from a row and are whole. */
export async function readTail(
  database: SessionDatabase,
  id: string,
  fromSeq: number,
  signal?: AbortSignal,
): Promise<StoredLog | undefined> {
  const start = await startOf(database, id, fromSeq - 1)
  const { session, header } = start
  if (start.below || start.above) return undefined
  const { events, problem } = await scanFrom(database, start, fromSeq, signal)
  if (problem !== undefined) return undefined
  return { file: session.label, header, events, torn: false, revision: session.revision }
}

/** @throws `NOT_FOUND`. */
export async function revisionOf(database: SessionDatabase, id: string): Promise<string> {
  const row = await database.read(connection => sessionRow(database, connection, id))
  return (row ?? notFound(database, id)).revision
}

/** The highest seq that is stored, -1 when none is. */
export function lastSeq(connection: Connection, id: string): number {
  const sql = `SELECT max(seq) AS last FROM events WHERE session_id = ? AND seq BETWEEN 0 AND ${MAX}`
  return Number(connection.row(sql, keyOf(id))?.last ?? -1)
}

/** Judges the header first. `before` is the seq that has to be there if anything behind it is. */
async function startOf(database: SessionDatabase, id: string, before?: number): Promise<Start> {
  const found = await database.read(connection => {
    const session = sessionRow(database, connection, id)
    if (session === undefined) return undefined
    const header = headerOf(session)
    const last = lastSeq(connection, id)
    const missing = before !== undefined && before < last && !has(connection, id, 'seq = ?', before)
    const below = missing || has(connection, id, 'seq < ?', 0)
    const state = before === undefined ? readState(connection, id) : undefined
    return { session, header, last, below, above: has(connection, id, 'seq > ?', MAX), state }
  })
  return found ?? notFound(database, id)
}

function has(connection: Connection, id: string, condition: string, seq: number): boolean {
  return (
    connection.row(`SELECT 1 FROM events WHERE session_id = ? AND ${condition} LIMIT 1`, keyOf(id), seq) !== undefined
  )
}

async function scanFrom(database: SessionDatabase, start: Start, from: number, signal?: AbortSignal): Promise<Scan> {
  const key = keyOf(start.session.id)
  const sql = `SELECT ${EVENT_VALUES} FROM events WHERE session_id = ? AND seq BETWEEN ? AND ? ORDER BY seq LIMIT ${PAGE}`
  const events: StoredEvent[] = []
  let problem: string | undefined
  for (let at = from; at <= start.last; ) {
    const rows = await database.read(connection => connection.rows(sql, key, at, start.last))
    for (const row of rows ?? []) {
      const event = toEvent(row)
      problem ??= problemOf(row, event, from + events.length)
      if (problem === undefined && event !== undefined) events.push(event)
      else if (event?.type === 'turn/end') return { events, problem, damaged: true }
    }
    const last = Number(rows?.at(-1)?.seq ?? start.last)
    // Only a damaged file gives rows out of order; asking it again would never end.
    if (last < at) throw damaged(start.session, `event ${last} stands behind event ${at}`)
    if (last === start.last) break
    at = last + 1
    await new Promise(setImmediate)
    signal?.throwIfAborted()
  }
  return { events, problem, damaged: false }
}

function problemOf(row: Row, event: StoredEvent | undefined, expected: number): string | undefined {
  if (row.seq !== expected) return `event ${row.seq} stands where event ${expected} belongs`
  return event === undefined ? `the row of event ${row.seq} is not an event` : undefined
}

function damaged({ label }: SessionRow, problem: string): SessionPersistenceCorruptionError {
  return new SessionPersistenceCorruptionError(`${label} is damaged: ${problem}.`)
}
