import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PersistenceCoordinator } from '../../../src/persistence/coordinator.ts'
import { SessionPreparation } from '../../../src/persistence/prepared/preparation.ts'
import { SessionStore } from '../../../src/persistence/store.ts'
import { Session } from '../../../src/session/session.ts'
import { onCopy, persistenceAt } from '../../contract/log-cases.ts'
import { MemoryBackend } from '../../support/memory-backend.ts'
import { header, mode } from './scratch.ts'

describe('a preparation', () => {
  let backend: MemoryBackend
  let persistence: PersistenceCoordinator
  let store: SessionStore

  beforeEach(() => {
    backend = new MemoryBackend()
    persistence = new PersistenceCoordinator(backend)
    store = new SessionStore({ root: '/nowhere', cwd: '/home/dev/demo', persistence })
  })
  afterEach(() => store.dispose())

  async function stored(): Promise<void> {
    const open = await store.create({ id: 's', seed: [mode(0)] })
    await open.dispose()
  }

  it('releases once, however often it is disposed of', () => {
    let released = 0
    const preparation = new SessionPreparation(new Session(header()), { release: () => released++ })
    preparation[Symbol.dispose]()
    preparation[Symbol.dispose]()
    assert.equal(released, 1)
  })

  it('of a new session stores nothing and takes no id', async () => {
    using preparation = await store.prepare({ id: 's', seed: [mode(0)] })
    assert.deepEqual([preparation.session.length, preparation.stored], [1, undefined])
    const open = await store.create({ id: 's' })
    await assert.rejects(store.publish(preparation), { code: 'ALREADY_EXISTS' })
    await open.dispose()
    assert.deepEqual((await store.list()).sessions, [])
  })

  it('of a new session is published as the very session, its past ended then', async () => {
    using preparation = await store.prepare({ id: 's', seed: [mode(0)] })
    const open = await store.publish(preparation)
    assert.equal(open.session, preparation.session)
    assert.equal(open.session.at(1).type, 'session/end-seed')
    await open.flush()
    assert.equal((await persistence.readFrom('s', 0)).length, 2)
  })

  it('of a stored session is published as the very session, and lives on', async () => {
    await stored()
    const reads = backend.reads
    {
      using preparation = await store.prepare('s')
      const open = await store.publish(preparation)
      assert.equal(open.session, preparation.session)
      assert.equal(open.readOnly, undefined)
    }
    const open = await store.open('s')
    open.session.append('plan/mode', { active: false })
    await open.flush()
    assert.equal((await persistence.readFrom('s', 0)).length, 3)
    assert.equal(backend.reads, reads + 2, 'one to prepare, one just now')
  })

  it('keeps the session from others until it is disposed of', async () => {
    await stored()
    const preparation = await store.prepare('s')
    await assert.rejects(store.open('s'), { code: 'SESSION_RESERVED' })
    preparation[Symbol.dispose]()
    assert.equal((await store.open('s')).readOnly, undefined)
  })

  it('that was disposed of cannot be published any more', async () => {
    await stored()
    const preparation = await store.prepare('s')
    preparation[Symbol.dispose]()
    await assert.rejects(store.publish(preparation), { code: 'NOT_FOUND' })
    assert.equal((await store.open('s')).session.length, 2)
  })

  for (const id of ['torn', 'torn-newline', 'torn-balanced', 'crash-tools', 'corrupt-tail', 'plan-cycle']) {
    it(`after a look writes what it writes without one: ${id}`, () =>
      onCopy(join(import.meta.dirname, '../../fixtures/logs', id), async looked =>
        onCopy(join(import.meta.dirname, '../../fixtures/logs', id), async plain => {
          const written: Buffer[] = []
          for (const root of [looked, plain]) {
            const raw = persistenceAt(root)
            const [found] = (await raw.list()).sessions
            assert.ok(found)
            if (root === looked) await raw.inspect(found.header.id)
            using preparation = await raw.prepare(found.header.id)
            const { events } = await raw.inspect(found.header.id)
            assert.deepEqual(events, [...preparation.session.from()])
            await raw.dispose()
            written.push(await readFile(found.file))
          }
          assert.deepEqual(written[0], written[1])
        }),
      ))
  }

  it('lends a look at an open session the session itself', async () => {
    const open = await store.create({ id: 's' })
    open.session.append('turn/start', { turn: 1 })
    assert.deepEqual((await persistence.inspect('s')).events, [open.session.at(0)])
    await assert.rejects(persistence.load('s'), { code: 'SESSION_LIVE' })
    open.session.append('turn/end', { turn: 1, reason: { kind: 'completed' } })
    assert.equal((await persistence.load('s')).events.length, 2)
    assert.equal((await persistence.readFrom('s', 0)).length, 2, 'durable, without waiting for its window')
  })
})
