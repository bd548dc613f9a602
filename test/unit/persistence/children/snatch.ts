import { existsSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { PersistenceCoordinator } from '../../../../src/persistence/coordinator.ts'
import { JsonlBackend } from '../../../../src/persistence/jsonl/jsonl-backend.ts'
import { SqliteBackend } from '../../../../src/persistence/sqlite/sqlite-backend.ts'
import { PlanModeError } from '../../../../src/session/errors.ts'
import type { SessionEvent } from '../../../../src/session/events.ts'

/**
 * Takes one session over by force, whoever writes it, and appends until it is lost; again and again until a file
 * `stop` is in the root, or until it is lost once (`only-once`). Says each batch when it is acknowledged, and `lost` when the place is.
 */
const [root = '', form = '', name = '0', how = ''] = process.argv.slice(2)
const stopped = () => existsSync(join(root, 'stop'))
const backend =
  form === 'sqlite'
    ? new SqliteBackend({ root })
    : new JsonlBackend({ root, encoding: form === 'zstd' ? 'zstd' : 'none' })
const persistence = new PersistenceCoordinator(backend)
const tolerated = new Set(['WRITER_BUSY', 'WRITER_LOST'])
let count = 0

while (!stopped()) {
  try {
    using preparation = await persistence.takeOver('s')
    let { length } = preparation.session
    const most = how === 'only-once' ? Number.POSITIVE_INFINITY : Math.random() * 40
    for (let batch = 0; batch < most && !stopped(); batch++) {
      const events = Array.from({ length: 1 + Math.floor(Math.random() * 3) }, (_, k) => said(length + k))
      await persistence.append('s', events)
      length += events.length
      writeSync(1, events.map(event => `${JSON.stringify(event)}\n`).join(''))
    }
  } catch (error) {
    if (!(error instanceof PlanModeError && tolerated.has(error.code))) throw error
    if (error.code === 'WRITER_LOST') writeSync(1, '"lost"\n')
    if (how === 'only-once' && error.code === 'WRITER_LOST') break
  }
  await persistence.release('s')
}
await persistence.dispose()

/** Names the process and its own count, so that nobody else could have said it. */
function said(seq: number): SessionEvent {
  return { type: 'todo/write', seq, time: 0, data: { todos: [{ content: `${name}.${count++}`, status: 'pending' }] } }
}
