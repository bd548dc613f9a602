// The backends that are measured, each as soon as this project has it.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { PersistenceBackend } from '../../src/persistence/backend.ts'
import { encodings } from '../../src/persistence/jsonl/encodings.ts'

/** `none` and `zstd`: JSONL logs in this encoding. */
export type Store = 'none' | 'zstd' | 'sqlite'

const sqliteFile = new URL('../../src/persistence/sqlite/sqlite-backend.ts', import.meta.url)

export function has(store: Store): boolean {
  return store === 'sqlite' ? existsSync(sqliteFile) : Object.hasOwn(encodings, store)
}

/** With the states that a window wants of each log. Loads this project only when it is called. */
export async function backendAt(root: string, store: Store): Promise<PersistenceBackend> {
  const { testRuntime } = await import('../support/runtime.ts')
  const { installPlanMode } = await import('../../src/plan/plan-mode.ts')
  const runtime = testRuntime()
  installPlanMode(runtime, () => ({ section: 'Plan first.' }))
  const projections = () => runtime.projections.all
  if (store !== 'sqlite') {
    const { JsonlBackend } = await import('../../src/persistence/jsonl/jsonl-backend.ts')
    return new JsonlBackend({ root, encoding: store, projections })
  }
  const { SqliteBackend } = await import(sqliteFile.href)
  return new SqliteBackend({ root, projections })
}

/** Changes with the form of the database, so that no file of an older one is measured. */
export async function schemaDigest(): Promise<string> {
  const schema = await readFile(new URL('schema.ts', sqliteFile))
  return createHash('sha256').update(schema).digest('hex').slice(0, 12)
}

export function nameOf(store: Store): string {
  return store === 'none' ? 'raw' : store
}
