// A database that is measured, filled by this project itself. Apart, so that peer and floor load none of it.
import { PersistenceCoordinator } from '../../src/persistence/coordinator.ts'
import type { SessionEvent } from '../../src/session/events.ts'
import { benchHeader, ID, type LogShape } from './logs.ts'
import { backendAt } from './store.ts'
import { events } from './workload.ts'

export async function fillDatabase(root: string, { events: count }: LogShape): Promise<void> {
  const persistence = new PersistenceCoordinator(await backendAt(root, 'sqlite'))
  await persistence.create(benchHeader(ID))
  let batch: SessionEvent[] = []
  for (const event of events(count)) {
    batch.push(event)
    if (batch.length < 1000 && event.seq < count - 1) continue
    await persistence.append(ID, batch)
    batch = []
  }
  await persistence.dispose()
}
