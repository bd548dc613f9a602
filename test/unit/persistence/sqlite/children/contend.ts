import { existsSync } from 'node:fs'
import { PersistenceCoordinator } from '../../../../../src/persistence/coordinator.ts'
import { SqliteBackend } from '../../../../../src/persistence/sqlite/sqlite-backend.ts'
import { PlanModeError } from '../../../../../src/session/errors.ts'
import type { SessionEvent } from '../../../../../src/session/events.ts'

/**
 * Loads, appends to and releases one session again and again; says what was acknowledged, one JSON line each. Ends when
 * the file `stop` is there.
 */
const [root = '', stop = '', name = ''] = process.argv.slice(2)
const persistence = new PersistenceCoordinator(new SqliteBackend({ root }))

while (!existsSync(stop)) {
  try {
    let { length } = (await persistence.load('s')).events
    for (let batch = 0; batch < 3; batch++) {
      const events = [0, 1, 2].map(k => said(length + k))
      await persistence.append('s', events)
      length += events.length
      process.stdout.write(events.map(event => `${JSON.stringify(event)}\n`).join(''))
    }
    await persistence.release('s')
  } catch (error) {
    if (!(error instanceof PlanModeError && error.code === 'WRITER_BUSY')) throw error
    await new Promise(resolve => setTimeout(resolve, Math.random() * 5))
  }
}
await persistence.dispose()

function said(seq: number): SessionEvent {
  return { type: 'todo/write', seq, time: Date.now(), data: { todos: [{ content: name, status: 'pending' }] } }
}
