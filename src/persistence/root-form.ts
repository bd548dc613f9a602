import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { PersistenceCoordinator } from './coordinator.ts'
import { JsonlBackend } from './jsonl/jsonl-backend.ts'
import { rootEncoding } from './jsonl/root-encoding.ts'
import type { SessionPersistence } from './persistence.ts'
import type { Wanted } from './reading/folding.ts'
import { DATABASE_NAME } from './sqlite/session-database.ts'
import { SqliteBackend } from './sqlite/sqlite-backend.ts'

/** How a root keeps its logs. `compression` counts for JSONL only. */
export interface RootForm {
  readonly backend: 'jsonl' | 'sqlite'
  readonly compression: 'none' | 'zstd'
}

/** The form a root has already, by what lies in it; undefined for a root without logs. @throws `STORAGE`. */
export async function rootFormOf(root: string): Promise<RootForm | undefined> {
  const hasDatabase = await access(join(root, DATABASE_NAME)).then(
    () => true,
    () => false,
  )
  if (hasDatabase) return { backend: 'sqlite', compression: 'none' }
  const compression = await rootEncoding(root)
  return compression === undefined ? undefined : { backend: 'jsonl', compression }
}

export function sameForm(one: RootForm, other: RootForm): boolean {
  if (one.backend !== other.backend) return false
  return one.backend === 'sqlite' || one.compression === other.compression
}

/** In words, for a sentence: "raw lines", "zstd frames", "a SQLite database". */
export function describeForm({ backend, compression }: RootForm): string {
  if (backend === 'sqlite') return 'a SQLite database'
  return compression === 'zstd' ? 'zstd frames' : 'raw lines'
}

/** The durability seam over a root of that form; the folder need not exist yet. See JsonlOptions. */
export function persistenceOf(
  root: string,
  { backend, compression }: RootForm,
  options: {
    readonly packChunks?: boolean
    readonly indexFrom?: number
    readonly projections?: Wanted
    readonly onObserverError?: (error: unknown) => void
  } = {},
): SessionPersistence {
  const { onObserverError, ...kept } = options
  const { indexFrom, projections } = kept
  const keepFrom = indexFrom === Number.POSITIVE_INFINITY ? { keepFrom: indexFrom } : {}
  const made =
    backend === 'sqlite'
      ? new SqliteBackend({ root, ...keepFrom, ...(projections === undefined ? {} : { projections }) })
      : new JsonlBackend({ root, encoding: compression, ...kept })
  return new PersistenceCoordinator(made, onObserverError === undefined ? {} : { onObserverError })
}
