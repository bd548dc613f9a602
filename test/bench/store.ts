// The backends that are measured, each as soon as this project has it.
import { existsSync } from 'node:fs'
import type { PersistenceBackend } from '../../src/persistence/backend.ts'
import { encodings } from '../../src/persistence/jsonl/encodings.ts'
import { JsonlBackend } from '../../src/persistence/jsonl/jsonl-backend.ts'

/** `none` and `zstd`: JSONL logs in this encoding. */
export type Store = 'none' | 'zstd' | 'sqlite'

const sqliteFile = new URL('../../src/persistence/sqlite/sqlite-backend.ts', import.meta.url)

export function has(store: Store): boolean {
  return store === 'sqlite' ? existsSync(sqliteFile) : Object.hasOwn(encodings, store)
}

export async function backendAt(root: string, store: Store): Promise<PersistenceBackend> {
  if (store !== 'sqlite') return new JsonlBackend({ root, encoding: store })
  const { SqliteBackend } = await import(sqliteFile.href)
  return new SqliteBackend({ root })
}

export function nameOf(store: Store): string {
  return store === 'none' ? 'raw' : store
}
