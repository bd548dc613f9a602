import assert from 'node:assert/strict'
import type { PersistenceBackend } from '../../src/persistence/backend.ts'
import { PersistenceCoordinator } from '../../src/persistence/coordinator.ts'
import type { SessionPersistence } from '../../src/persistence/persistence.ts'
import type { SessionEvent } from '../../src/session/events.ts'
import { newHeader, type SessionHeader } from '../../src/session/header.ts'
import { refusal } from './log-cases.ts'

/** What a backend brings: two looks at one store, as two windows have them, and its own cleaning up. */
export interface Store {
  readonly one: PersistenceBackend
  readonly other: PersistenceBackend
  dispose(): Promise<void>
}

const header = (id = 's'): SessionHeader => newHeader({ id, cwd: '/home/dev/demo', createdAt: 5 }, () => 0)
const started: SessionEvent = { type: 'turn/start', seq: 0, time: 10, data: { turn: 1 } }
const stepped: SessionEvent = { type: 'step/start', seq: 1, time: 11, data: { turn: 1, step: 1 } }
const mode = (seq: number): SessionEvent => ({ type: 'plan/mode', seq, time: 20 + seq, data: { active: true } })

/** Every promise of the durability seam, one case each, for any backend. */
export function runPersistenceContract(name: string, make: () => Promise<Store>): void {
  describe(`session persistence on ${name}`, () => {
    let store: Store
    let here: SessionPersistence
    let there: SessionPersistence

    beforeEach(async () => {
      store = await make()
      here = new PersistenceCoordinator(store.one)
      there = new PersistenceCoordinator(store.other)
    })
    afterEach(async () => {
      await Promise.all([here.dispose(), there.dispose()])
      await store.dispose()
    })

    async function stored(...events: SessionEvent[]): Promise<void> {
      await here.create(header())
      await here.append('s', events)
      await here.release('s')
    }

    it('create stores nothing: a session without events leaves nothing behind', async () => {
      await here.create(header())
      await here.append('s', [])
      await here.release('s')
      assert.deepEqual((await there.list()).sessions, [])
      assert.equal(await refusal(() => there.inspect('s')), 'NOT_FOUND')
    })

    it('create refuses an id that is there, and a header that could not be read back', async () => {
      await stored(mode(0))
      assert.equal(await refusal(() => there.create(header())), 'ALREADY_EXISTS')
      assert.equal(await refusal(() => here.create({ ...header('t'), cwd: 'relative' })), 'INVALID_HEADER')
    })

    it('append is durable when it resolves: another sees it, header included', async () => {
      await here.create(header())
      await here.append('s', [mode(0), mode(1)])
      const seen = await there.inspect('s')
      assert.deepEqual(seen, { header: header(), events: [mode(0), mode(1)], closers: [] })
      await here.append('s', [mode(2)])
      assert.deepEqual((await there.inspect('s')).events, [mode(0), mode(1), mode(2)])
    })

    it('append refuses a batch that does not go on from what is stored, and writes nothing of it', async () => {
      await here.create(header())
      assert.equal(await refusal(() => here.append('s', [mode(1)])), 'NOT_CONTIGUOUS')
      await here.append('s', [mode(0)])
      assert.equal(await refusal(() => here.append('s', [mode(0)])), 'NOT_CONTIGUOUS')
      assert.equal(await refusal(() => here.append('s', [mode(1), mode(3)])), 'NOT_CONTIGUOUS')
      assert.deepEqual((await there.inspect('s')).events, [mode(0)])
    })

    it('append refuses data that JSON would change, by the event type', async () => {
      await here.create(header())
      const lossy = { ...mode(0), data: { active: undefined } } as unknown as SessionEvent
      await assert.rejects(here.append('s', [lossy]), /plan\/mode holds undefined/)
      assert.deepEqual((await there.list()).sessions, [])
    })

    it('append needs a session that was created or loaded', async () => {
      await stored(mode(0))
      assert.equal(await refusal(() => here.append('s', [mode(1)])), 'NOT_FOUND')
    })

    it('batches given at once are written in their order', async () => {
      await here.create(header())
      await Promise.all([0, 1, 2, 3].map(seq => here.append('s', [mode(seq)])))
      assert.deepEqual((await there.inspect('s')).events, [0, 1, 2, 3].map(mode))
    })

    it('readFrom gives the stored events without closers, from any seq', async () => {
      await stored(started, stepped)
      assert.deepEqual(await there.readFrom('s', 0), [started, stepped])
      assert.deepEqual(await there.readFrom('s', 1), [stepped])
      assert.deepEqual(await there.readFrom('s', 2), [])
      assert.deepEqual(await there.readFrom('s', 99), [])
    })

    it('inspect closes an interrupted turn in memory and writes nothing', async () => {
      await stored(started, stepped)
      const { events, closers } = await there.inspect('s')
      assert.deepEqual(
        closers.map(({ type, seq }) => [type, seq]),
        [
          ['step/end', 2],
          ['turn/end', 3],
        ],
      )
      assert.equal(events.length, 4)
      assert.equal((await there.readFrom('s', 0)).length, 2)
    })

    it('load writes the same closers, once, and the session can go on', async () => {
      await stored(started, stepped)
      const loaded = await there.load('s')
      assert.equal(loaded.closers.length, 2)
      assert.deepEqual(await here.readFrom('s', 0), loaded.events)
      await there.append('s', [mode(4)])
      await there.release('s')
      const again = await here.load('s')
      assert.deepEqual([again.events.length, again.closers.length], [5, 0])
    })

    it('load is for one at a time', async () => {
      await stored(mode(0))
      await here.load('s')
      assert.equal(await refusal(() => there.load('s')), 'WRITER_BUSY')
      assert.equal(await there.writable('s'), false)
      await here.release('s')
      assert.equal(await there.writable('s'), true)
      await there.load('s')
    })

    it('load of a session that is open here repairs nothing', async () => {
      await here.create(header())
      await here.append('s', [mode(0)])
      assert.equal((await here.load('s')).events.length, 1)
      await here.append('s', [{ ...started, seq: 1 }])
      assert.equal(await refusal(() => here.load('s')), 'SESSION_LIVE')
      assert.equal((await there.readFrom('s', 0)).length, 2)
    })

    it('load of what is not for this build or damaged takes no writer’s place', async () => {
      const foreign = { type: 'acme/required', seq: 0, time: 0, data: {} } as unknown as SessionEvent
      await stored(foreign)
      assert.equal(await refusal(() => here.load('s')), 'FORMAT_UNSUPPORTED')
      assert.equal(await there.writable('s'), true)
    })

    it('what is not there is not found', async () => {
      assert.equal(await refusal(() => here.load('nowhere')), 'NOT_FOUND')
      assert.equal(await refusal(() => here.inspect('nowhere')), 'NOT_FOUND')
      assert.equal(await refusal(() => here.writable('nowhere')), 'NOT_FOUND')
      assert.equal(await refusal(() => here.readFrom('nowhere', 0)), 'NOT_FOUND')
    })

    it('list gives every stored header', async () => {
      for (const id of ['a', 'b/c', '..']) {
        await here.create(header(id))
        await here.append(id, [mode(0)])
      }
      const { sessions, problems } = await there.list()
      assert.deepEqual(new Set(sessions.map(({ header: { id } }) => id)), new Set(['a', 'b/c', '..']))
      assert.deepEqual(problems, [])
    })

    it('dispose waits for what is under way and frees every session', async () => {
      await here.create(header())
      const appended = here.append('s', [mode(0)])
      await here.dispose()
      await appended
      assert.equal((await there.load('s')).events.length, 1)
    })
  })
}
