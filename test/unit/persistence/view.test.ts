import assert from 'node:assert/strict'
import type { StoredLog } from '../../../src/persistence/backend.ts'
import { PersistenceCoordinator } from '../../../src/persistence/coordinator.ts'
import { JudgedArray } from '../../../src/persistence/reading/judged-array.ts'
import { SessionStore } from '../../../src/persistence/store.ts'
import type { SessionEvent } from '../../../src/session/events.ts'
import { MemoryBackend } from '../../support/memory-backend.ts'
import { header } from './scratch.ts'

const EVENTS = 1000

/** Counts the events that are made of what is stored. */
class CountingBackend extends MemoryBackend {
  made = 0

  override async read(id: string): Promise<StoredLog> {
    const log = await super.read(id)
    const judged = new JudgedArray(log)
    const at = judged.at.bind(judged)
    judged.at = seq => {
      this.made++
      return at(seq)
    }
    return { ...log, judged }
  }
}

describe('looking at a stored session', () => {
  const backend = new CountingBackend()

  before(async () => {
    const writer = await backend.createWriter(header())
    await writer.append(
      Array.from({ length: EVENTS }, (_, seq): SessionEvent => {
        if (seq !== 5) return { type: 'feedback/record', seq, time: seq, data: { text: 'x' } }
        return {
          type: 'session/title',
          seq,
          time: seq,
          data: { title: 'T', messageSeqs: [], source: { kind: 'user' } },
        }
      }),
    )
    await writer.release()
  })

  beforeEach(() => {
    backend.made = 0
  })

  it('to describe it makes the events that its folds ask for, and no others', async () => {
    const store = new SessionStore({ root: '/nowhere', persistence: new PersistenceCoordinator(backend) })
    const { title, turns, session } = await store.describe('s')
    assert.deepEqual([title, turns, session.length], ['T', 0, EVENTS])
    assert.equal(backend.made, 1)
    assert.throws(() => session.append('plan/mode', { active: true }), { code: 'READ_ONLY' })
    await store.dispose()
  })

  it('to inspect it makes none before somebody looks, and each once', async () => {
    const persistence = new PersistenceCoordinator(backend)
    const inspection = await persistence.inspect('s')
    assert.equal(backend.made, 0)
    assert.equal(inspection.events.length, EVENTS)
    assert.equal(inspection.events, inspection.events)
    assert.equal(backend.made, EVENTS)
    await persistence.dispose()
  })

  it('gives everybody a log of their own', async () => {
    const persistence = new PersistenceCoordinator(backend)
    const [one, other] = [await persistence.view('s'), await persistence.view('s')]
    one.events.push({ type: 'plan/mode', seq: EVENTS, time: 0, data: { active: true } })
    assert.deepEqual([one.events.length, other.events.length], [EVENTS + 1, EVENTS])
    assert.equal(one.events.at(7), other.events.at(7))
    await persistence.dispose()
  })
})
