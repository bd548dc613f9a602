import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { SqliteBackend, type SqliteOptions } from '../../../../src/persistence/sqlite/sqlite-backend.ts'
import type { SessionEvent } from '../../../../src/session/events.ts'
import { header, modes } from '../scratch.ts'

/** The database of a root as another program sees it. */
export function fileIn(root: string): string {
  return join(root, 'sessions.db')
}

/** Does something to the database behind everyone's back; no constraint holds it up. */
export function tamper(root: string, sql: string, ...values: readonly SQLInputValue[]): readonly unknown[] {
  const database = new DatabaseSync(fileIn(root), { enableForeignKeyConstraints: false })
  try {
    database.exec('PRAGMA ignore_check_constraints = ON')
    return database.prepare(sql).all(...values)
  } finally {
    database.close()
  }
}

/** Timers without a clock, for waits that need not be waited for. */
export const hurried = {
  after(_ms: number, act: () => void, kind?: 'background'): Disposable {
    if (kind === undefined) setImmediate(act)
    return { [Symbol.dispose]: () => {} }
  },
}

/** Every session's state is kept, however short it is, so that all of this goes on beside one. */
export function backendAt(root: string, options: Partial<SqliteOptions> = {}): SqliteBackend {
  return new SqliteBackend({ root, timers: hurried, keepFrom: 0, ...options })
}

/** Stores one session and lets go of the file. */
export async function store(root: string, events: readonly SessionEvent[] = modes(0, 5), id = 's'): Promise<void> {
  const backend = backendAt(root)
  const writer = await backend.createWriter(header({ id }))
  await writer.append(events)
  await writer.release()
  await backend.dispose()
}
