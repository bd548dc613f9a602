import { writeSync } from 'node:fs'
import { PersistenceCoordinator } from '../../../../../src/persistence/coordinator.ts'
import { SqliteBackend } from '../../../../../src/persistence/sqlite/sqlite-backend.ts'
import type { SessionEvent } from '../../../../../src/session/events.ts'
import { header } from '../../scratch.ts'

/** Works on one session until it is killed, and says each event on its output once it is durable. */
const [root = ''] = process.argv.slice(2)
const backend = new SqliteBackend({ root })
const persistence = new PersistenceCoordinator(backend)
const events: SessionEvent[] = []
let turns = 0
if (await backend.exists('s')) {
  events.push(...(await persistence.load('s')).events)
  turns = events.filter(({ type }) => type === 'turn/start').length
} else await persistence.create(header())

for (;;) {
  const turn = ++turns
  await keep('turn/start', { turn })
  for (let k = 0; k < 3; k++) {
    const todos = Array.from({ length: 1 + Math.floor(Math.random() * 300) }, () => ({
      content: 'x'.repeat(50),
      status: 'pending',
    }))
    await keep('todo/write', { todos })
  }
  await keep('turn/end', { turn, reason: { kind: 'completed' } })
}

async function keep(type: string, data: object): Promise<void> {
  const batch = Array.from({ length: type === 'todo/write' ? 5 : 1 }, (_, k) => ({
    type,
    seq: events.length + k,
    time: 1,
    data,
  }))
  await persistence.append('s', batch as unknown as SessionEvent[])
  events.push(...(batch as unknown as SessionEvent[]))
  writeSync(1, batch.map(event => `${JSON.stringify(event)}\n`).join(''))
}
