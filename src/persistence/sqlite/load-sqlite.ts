import { PlanModeError } from '../../session/errors.ts'

/** The runtime has no SQLite: nothing of this backend works there, and no file is at fault. */
export const SQLITE_MISSING = 'SQLITE_MISSING'

export type Sqlite = typeof import('node:sqlite')

/** The SQLite of the runtime, loaded on first use. @throws `SQLITE_MISSING` where the runtime has none. */
export async function loadSqlite(load: () => Promise<Sqlite> = () => import('node:sqlite')): Promise<Sqlite> {
  try {
    return await load()
  } catch (cause) {
    throw new PlanModeError(
      SQLITE_MISSING,
      `This program runs on Node ${process.versions.node}, which has no SQLite. Run it on Node 22.13 or later, or set planMode.log.backend to "jsonl".`,
      { cause },
    )
  }
}
