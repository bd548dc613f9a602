import { SessionFormatUnsupportedError } from '../errors.ts'
import type { Connection, Row } from './connection.ts'

/** What the database file must hold, to the letter. Any other version, owner or object is refused. */

/** "PLMD" in the file's header: the database is ours. */
export const APPLICATION_ID = 0x504c4d44
export const SCHEMA_VERSION = 2

/**
 * `header` is the header line of the JSONL format. Ids and event types are kept as the inside of a JSON string, so that
 * every string of the language comes back. `writers` outlives its sessions: epochs only grow.
 */
const FIRST_TABLES: Readonly<Record<string, string>> = {
  store: `(
  one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
  store_id TEXT NOT NULL
) STRICT`,
  sessions: `(
  id TEXT NOT NULL PRIMARY KEY,
  header TEXT NOT NULL,
  incarnation TEXT NOT NULL,
  revision INTEGER NOT NULL,
  changed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID`,
  events: `(
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  seq INTEGER NOT NULL CHECK (seq >= 0),
  type TEXT NOT NULL,
  time INTEGER NOT NULL,
  data TEXT NOT NULL,
  source_event_seqs TEXT,
  surface_op TEXT,
  ignorable INTEGER CHECK (ignorable = 1),
  PRIMARY KEY (session_id, seq)
) STRICT, WITHOUT ROWID`,
  writers: `(
  session_id TEXT NOT NULL PRIMARY KEY,
  epoch INTEGER NOT NULL,
  owner TEXT NOT NULL,
  pid INTEGER NOT NULL,
  start_time TEXT,
  host TEXT NOT NULL,
  pid_space TEXT,
  claimed_at INTEGER NOT NULL,
  touched_at INTEGER NOT NULL,
  released INTEGER NOT NULL
) STRICT, WITHOUT ROWID`,
}

interface SchemaObject {
  readonly type: 'table' | 'trigger'
  readonly name: string
  readonly table: string
  readonly sql: string
}

const firstObjects: readonly SchemaObject[] = Object.entries(FIRST_TABLES).map(([name, columns]) =>
  table(name, columns),
)

/** Version 2: what opening has found out (KeptState), gone with any change of an event that is not an append. */
const addedObjects: readonly SchemaObject[] = [
  table(
    'states',
    `(
  session_id TEXT NOT NULL PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
  incarnation TEXT NOT NULL,
  revision INTEGER NOT NULL,
  build TEXT NOT NULL,
  types BLOB NOT NULL,
  surface BLOB NOT NULL,
  turn_open INTEGER NOT NULL,
  checkpoints TEXT NOT NULL
) STRICT, WITHOUT ROWID`,
  ),
  forgetting('event_changed', 'UPDATE'),
  forgetting('event_deleted', 'DELETE'),
]

/** The objects of each version this build reads, to the letter. */
const versions: Readonly<Record<number, readonly SchemaObject[]>> = {
  1: firstObjects,
  [SCHEMA_VERSION]: [...firstObjects, ...addedObjects],
}

function table(name: string, columns: string): SchemaObject {
  return { type: 'table', name, table: name, sql: `CREATE TABLE ${name} ${columns}` }
}

function forgetting(name: string, change: 'UPDATE' | 'DELETE'): SchemaObject {
  const act = 'BEGIN DELETE FROM states WHERE session_id = OLD.session_id; END'
  return { type: 'trigger', name, table: 'events', sql: `CREATE TRIGGER ${name} AFTER ${change} ON events ${act}` }
}

/** Makes the empty database ours. Inside a transaction. */
export function createSchema(connection: Connection): void {
  for (const { sql } of [...firstObjects, ...addedObjects]) connection.run(sql)
  connection.run('INSERT INTO store (one, store_id) VALUES (1, ?)', crypto.randomUUID())
  connection.run(`PRAGMA application_id = ${APPLICATION_ID}`)
  connection.run(`PRAGMA user_version = ${SCHEMA_VERSION}`)
}

/** Brings a database of the version before up to this one. Inside a transaction; sessions and events stay as they are. */
export function upgradeSchema(connection: Connection): void {
  for (const { sql } of addedObjects) connection.run(sql)
  connection.run(`PRAGMA user_version = ${SCHEMA_VERSION}`)
}

/** What changes when somebody alters the database's tables or marks; cheap to ask. */
export function schemaMarks(connection: Connection): string {
  return Object.values(readMarks(connection)).join(' ')
}

/** `older`: ours, of a version that is read as it is and upgraded by the first write. */
export type SchemaState = 'ours' | 'older' | 'empty'

/** What the database is to us. @throws `FORMAT_UNSUPPORTED` naming the file for anything that is neither. */
export function checkSchema(connection: Connection, file: string): SchemaState {
  const { application_id: application, user_version: version } = readMarks(connection)
  const found = connection.rows('SELECT type, name, tbl_name, sql FROM sqlite_schema')
  if (application === 0 && version === 0 && found.length === 0) return 'empty'
  if (application !== APPLICATION_ID) refuse(file, 'belongs to another program', 'It is left alone.')
  const objects = versions[Number(version)]
  if (objects === undefined) {
    const newer = Number(version) > SCHEMA_VERSION
    refuse(
      file,
      `has the ${newer ? 'newer' : 'older'} schema version ${version}; this version reads ${SCHEMA_VERSION}`,
      newer ? 'Upgrade this extension to open it.' : 'There is no upgrade path from it; it is left alone.',
    )
  }
  const expected = objects.map(({ type, name, table, sql }) => objectKey(type, name, table, sql)).sort()
  const keys = found.map(({ type, name, tbl_name: table, sql }) => objectKey(type, name, table, sql)).sort()
  const odd = keys.find(key => !expected.includes(key)) ?? expected.find(key => !keys.includes(key))
  if (odd === undefined && keys.length === expected.length) return version === SCHEMA_VERSION ? 'ours' : 'older'
  return refuse(file, `does not have exactly the tables of this version (${odd?.split('\n')[0]})`, 'It is left alone.')
}

function readMarks(connection: Connection): Row {
  const marks = connection.row('SELECT * FROM pragma_application_id, pragma_user_version, pragma_schema_version')
  return marks ?? {}
}

function objectKey(type: unknown, name: unknown, table: unknown, sql: unknown): string {
  return `${type} ${name} on ${table}\n${sql}`
}

function refuse(file: string, what: string, advice: string): never {
  throw new SessionFormatUnsupportedError(`${file} ${what}. ${advice}`)
}
