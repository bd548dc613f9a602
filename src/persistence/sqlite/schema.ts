import { SessionFormatUnsupportedError } from '../errors.ts'
import type { Connection, Row } from './connection.ts'

/** What the database file must hold, to the letter. Any other version, owner or object is refused. */

/** "PLMD" in the file's header: the database is ours. */
export const APPLICATION_ID = 0x504c4d44
export const SCHEMA_VERSION = 1

/**
 * `header` is the header line of the JSONL format. Ids and event types are kept as the inside of a JSON string, so that
 * every string of the language comes back. `writers` outlives its sessions: epochs only grow.
 */
const TABLES: Readonly<Record<string, string>> = {
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

const expected = Object.entries(TABLES)
  .map(([name, columns]) => objectKey('table', name, name, `CREATE TABLE ${name} ${columns}`))
  .sort()

/** Makes the empty database ours. Inside a transaction. */
export function createSchema(connection: Connection): void {
  for (const [name, columns] of Object.entries(TABLES)) connection.run(`CREATE TABLE ${name} ${columns}`)
  connection.run('INSERT INTO store (one, store_id) VALUES (1, ?)', crypto.randomUUID())
  connection.run(`PRAGMA application_id = ${APPLICATION_ID}`)
  connection.run(`PRAGMA user_version = ${SCHEMA_VERSION}`)
}

/** What changes when somebody alters the database's tables or marks; cheap to ask. */
export function schemaMarks(connection: Connection): string {
  return Object.values(readMarks(connection)).join(' ')
}

/** Whether the database is ours or still empty. @throws `FORMAT_UNSUPPORTED` naming the file for anything else. */
export function checkSchema(connection: Connection, file: string): 'ours' | 'empty' {
  const { application_id: application, user_version: version } = readMarks(connection)
  const found = connection.rows('SELECT type, name, tbl_name, sql FROM sqlite_schema')
  if (application === 0 && version === 0 && found.length === 0) return 'empty'
  if (application !== APPLICATION_ID) refuse(file, 'belongs to another program', 'It is left alone.')
  if (version !== SCHEMA_VERSION) {
    const newer = Number(version) > SCHEMA_VERSION
    refuse(
      file,
      `has the ${newer ? 'newer' : 'older'} schema version ${version}; this version reads ${SCHEMA_VERSION}`,
      newer ? 'Upgrade this extension to open it.' : 'There is no upgrade path from it; it is left alone.',
    )
  }
  const keys = found.map(({ type, name, tbl_name: table, sql }) => objectKey(type, name, table, sql)).sort()
  const odd = keys.find(key => !expected.includes(key)) ?? expected.find(key => !keys.includes(key))
  if (odd === undefined && keys.length === expected.length) return 'ours'
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
