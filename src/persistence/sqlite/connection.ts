import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite'
import type { Sqlite } from './load-sqlite.ts'

export type Row = Readonly<Record<string, SQLOutputValue>>

/** How long SQLite itself waits for a lock. It blocks the thread, so longer waits are made outside, between attempts. */
const BUSY_MS = 5

/** One open database with the settings every act relies on; statements are prepared once. Nothing here waits. */
export class Connection {
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()

  /** `place` is a path, or a file URL with SQLite's own parameters. Never creates a file. */
  constructor(sqlite: Sqlite, place: string | URL) {
    this.#database = new sqlite.DatabaseSync(place, { timeout: BUSY_MS, enableDoubleQuotedStringLiterals: false })
    try {
      this.#database.exec(
        'PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL',
      )
    } catch (error) {
      this.close()
      throw error
    }
  }

  row(sql: string, ...values: readonly SQLInputValue[]): Row | undefined {
    return this.#prepare(sql).get(...values)
  }

  rows(sql: string, ...values: readonly SQLInputValue[]): readonly Row[] {
    return this.#prepare(sql).all(...values)
  }

  each(sql: string, see: (row: Row) => void): void {
    for (const row of this.#prepare(sql).iterate()) see(row)
  }

  /** How many rows it changed. */
  run(sql: string, ...values: readonly SQLInputValue[]): number {
    return Number(this.#prepare(sql).run(...values).changes)
  }

  /** All or nothing; `IMMEDIATE` takes the one place among all writers of the file first. */
  transaction<T>(kind: 'IMMEDIATE' | 'DEFERRED', act: () => T): T {
    this.#database.exec(`BEGIN ${kind}`)
    try {
      const result = act()
      this.#database.exec('COMMIT')
      return result
    } catch (error) {
      this.#rollBack()
      throw error
    }
  }

  /** The journal that is in force then. */
  useWal(): SQLOutputValue | undefined {
    return this.row('PRAGMA journal_mode = WAL')?.journal_mode
  }

  close(): void {
    this.#statements.clear()
    if (this.#database.isOpen) this.#database.close()
  }

  #rollBack(): void {
    try {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK')
    } catch {
      // The first failure is the one to tell; what is open dies with the connection.
      this.close()
    }
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    const statement = this.#database.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }
}
