import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { JsonlBackend } from '../../src/persistence/jsonl/jsonl-backend.ts'
import { SqliteBackend } from '../../src/persistence/sqlite/sqlite-backend.ts'
import { MemoryBackend } from '../support/memory-backend.ts'
import { runPersistenceContract } from './persistence-contract.ts'

runPersistenceContract('memory', async () => {
  const backend = new MemoryBackend()
  return { one: backend, other: backend, dispose: async () => {} }
})

for (const encoding of ['none', 'zstd'] as const) {
  runPersistenceContract(encoding === 'none' ? 'raw logs' : 'compressed logs', async () => {
    const root = await mkdtemp(join(tmpdir(), 'plan-mode-contract-'))
    return {
      one: new JsonlBackend({ root, encoding }),
      other: new JsonlBackend({ root, encoding }),
      dispose: () => rm(root, { recursive: true, force: true }),
    }
  })
}

for (const keepFrom of [0, 2000]) {
  runPersistenceContract(keepFrom === 0 ? 'sqlite by kept states' : 'sqlite', async () => {
    const root = await mkdtemp(join(tmpdir(), 'plan-mode-contract-'))
    return {
      one: new SqliteBackend({ root, keepFrom }),
      other: new SqliteBackend({ root, keepFrom }),
      dispose: () => rm(root, { recursive: true, force: true }),
    }
  })
}
