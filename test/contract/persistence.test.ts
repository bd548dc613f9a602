import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { JsonlBackend } from '../../src/persistence/jsonl/jsonl-backend.ts'
import { MemoryBackend } from './memory-backend.ts'
import { runPersistenceContract } from './persistence-contract.ts'

runPersistenceContract('memory', async () => {
  const backend = new MemoryBackend()
  return { one: backend, other: backend, dispose: async () => {} }
})

runPersistenceContract('raw logs', async () => {
  const root = await mkdtemp(join(tmpdir(), 'plan-mode-contract-'))
  return {
    one: new JsonlBackend({ root }),
    other: new JsonlBackend({ root }),
    dispose: () => rm(root, { recursive: true, force: true }),
  }
})
