import { PlanModeError } from '../../session/errors.ts'
import type { SessionHeader } from '../../session/header.ts'
import { decodeHeader } from '../decode-header.ts'
import { SessionPersistenceCorruptionError, storageCodes } from '../errors.ts'
import type { Connection, Row } from './connection.ts'
import { safe } from './event-rows.ts'
import type { SessionDatabase } from './session-database.ts'
import { keyOf, textOf } from './text-key.ts'

/** A session's own row: its header, and what tells one state of its log from another. */
export interface SessionRow {
  readonly id: string
  /** The database and the session in it, for errors. */
  readonly label: string
  /** JSON text, not judged yet. */
  readonly header: string
  readonly changedAt: number
  readonly incarnation: string
  readonly revision: string
}

const COLUMNS = `id, header, incarnation, ${safe('revision')}, ${safe('changed_at')}`

/** Undefined when the session is not stored. */
export function sessionRow(database: SessionDatabase, connection: Connection, id: string): SessionRow | undefined {
  const row = connection.row(`SELECT ${COLUMNS} FROM sessions WHERE id = ?`, keyOf(id))
  return row && toSessionRow(database.file, storeOf(database, connection), row)
}

/** Every session, in the order of the keys. What was seen before SQLite fails stays seen. */
export function eachSessionRow(
  database: SessionDatabase,
  connection: Connection,
  see: (row: SessionRow) => void,
): void {
  const store = storeOf(database, connection)
  connection.each(`SELECT ${COLUMNS} FROM sessions ORDER BY id`, row => see(toSessionRow(database.file, store, row)))
}

/** @throws `FORMAT_UNSUPPORTED` for a foreign version; `CORRUPT`, also when the header names another session. */
export function headerOf(row: SessionRow): SessionHeader {
  const header = decodeHeader(row.header, row.label)
  if (header.id === row.id) return header
  throw new SessionPersistenceCorruptionError(`${row.label} is misplaced: its header names the session "${header.id}".`)
}

export function notFound(database: SessionDatabase, id: string): never {
  throw new PlanModeError(storageCodes.notFound, `There is no conversation "${id}" in ${database.file}.`)
}

/** How errors name a session's place. */
export function labelOf(file: string, id: string): string {
  return `${file} (conversation "${id}")`
}

function toSessionRow(file: string, store: string, row: Row): SessionRow {
  const key = String(row.id)
  const id = textOf(key) ?? key
  return {
    id,
    label: labelOf(file, id),
    header: String(row.header),
    changedAt: Number(row.changed_at ?? 0),
    incarnation: String(row.incarnation),
    revision: `${store}:incarnation:${row.incarnation}:revision:${row.revision}`,
  }
}

/** The database by its own name and by its place: a copy of it is another store. */
function storeOf(database: SessionDatabase, connection: Connection): string {
  return `${database.identity()}:store:${connection.row('SELECT store_id FROM store')?.store_id}`
}
