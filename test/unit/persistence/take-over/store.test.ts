import assert from 'node:assert/strict'
import { join } from 'node:path'
import { PersistenceCoordinator } from '../../../../src/persistence/coordinator.ts'
import type { Encoding } from '../../../../src/persistence/jsonl/encoding.ts'
import { JsonlBackend } from '../../../../src/persistence/jsonl/jsonl-backend.ts'
import { SqliteBackend } from '../../../../src/persistence/sqlite/sqlite-backend.ts'
import { type OpenSession, SessionStore, type StoreOptions } from '../../../../src/persistence/store.ts'
import { PlanModeError } from '../../../../src/session/errors.ts'
import type { SessionEvent } from '../../../../src/session/events.ts'
import { turnBoundary } from '../../../../src/session/turns.ts'
import { FaultyFileSystem } from '../faulty-file-system.ts'
import { useFolder } from '../scratch.ts'

for (const form of ['none', 'zstd', 'sqlite'] as const) {
  describe(`two windows on one session (${form})`, function () {
    this.timeout(30_000)
    const folder = useFolder()
    const stores: SessionStore[] = []

    function makeStore(options: Partial<StoreOptions> = {}): SessionStore {
      const root = join(folder(), 'sessions')
      const { fileSystem } = options
      const backend = form === 'sqlite' ? new SqliteBackend({ root }) : jsonl(root, form, fileSystem)
      const persistence = new PersistenceCoordinator(backend)
      const store = new SessionStore({
        ...{ root, persistence, cwd: '/home/dev/demo', windowMs: 5, lockWaitMs: 0, lockPollMs: 30, followMs: 20 },
        ...options,
      })
      stores.push(store)
      return store
    }

    afterEach(async () => {
      await Promise.allSettled(stores.splice(0).map(store => store.dispose()))
    })

    /** A session with an event, open in one window and followed in another. */
    async function opened(options: Partial<StoreOptions> = {}, first: Partial<StoreOptions> = {}) {
      const [one, two] = [makeStore(first), makeStore(options)]
      const writer = await one.create({ id: 's' })
      writer.session.append('plan/mode', { active: true })
      await writer.flush()
      const reader = await two.open('s')
      assert.equal(reader.readOnly?.code, 'WRITER_BUSY')
      return { one, two, writer, reader }
    }

    const eventsOf = ({ session }: OpenSession): SessionEvent[] => [...session.from()]

    /** Resolves when the reader has all that the writer has. */
    async function caughtUp(reader: OpenSession, writer: OpenSession): Promise<void> {
      while (reader.session.length < writer.session.length) await new Promise(setImmediate)
      assert.deepEqual(eventsOf(reader), eventsOf(writer))
    }

    function staleness(open: OpenSession): Promise<void> {
      return new Promise(resolve => open.onStale(resolve))
    }

    async function code(promise: Promise<unknown>): Promise<string> {
      return promise.then(
        () => 'ok',
        error => (error instanceof PlanModeError ? error.code : String(error)),
      )
    }

    it('the second follows the first: events, observers and folds, also where the system tells of no change', async () => {
      const fileSystem = form === 'sqlite' ? {} : { fileSystem: new FaultyFileSystem().fileSystem }
      for (const options of [{}, fileSystem]) {
        const { writer, reader, one, two } = await opened(options)
        const seen: string[] = []
        using _observing = reader.session.observe(event => seen.push(event.type))
        writer.session.append('turn/start', { turn: 1 })
        writer.session.append('step/start', { turn: 1, step: 1 })
        for (const text of ['Hel', 'lo ', 'you', '!']) {
          writer.session.append('assistant/chunk', { turn: 1, step: 1, chunk: { type: 'text-delta', index: 0, text } })
          await writer.flush()
        }
        await caughtUp(reader, writer)
        assert.deepEqual(seen.slice(0, 3), ['turn/start', 'step/start', 'assistant/chunk'])
        assert.equal(reader.session.state(turnBoundary).turnOpen, true)
        await reader.flush()
        assert.throws(() => reader.session.append('plan/mode', { active: false }), { code: 'READ_ONLY' })
        await reader.dispose()
        writer.session.append('step/end', { turn: 1, step: 1 })
        await writer.flush()
        assert.equal(reader.session.length, writer.session.length - 1, 'who let go follows no more')
        await Promise.all([one.dispose(), two.dispose()])
        await import('node:fs/promises').then(fs => fs.rm(join(folder(), 'sessions'), { recursive: true }))
      }
    })

    it('goes on in the second: the first is told, sealed, and follows from then on', async () => {
      const { one, two, writer, reader } = await opened({}, { lockPollMs: 60_000 })
      writer.session.append('turn/start', { turn: 1 })
      await writer.flush()
      const [superseded, lost] = [staleness(reader), staleness(writer)]
      const taken = await two.takeOver('s')
      await superseded
      assert.equal(taken.readOnly, undefined)
      assert.equal(taken.session.state(turnBoundary).turnOpen, false, 'the open turn was closed as interrupted')
      await reader.dispose()

      writer.session.append('step/start', { turn: 1, step: 1 })
      assert.equal(await code(writer.flush()), 'WRITER_LOST')
      await lost
      assert.equal(writer.readOnly?.code, 'WRITER_LOST')
      assert.throws(() => writer.session.append('plan/mode', { active: false }), { code: 'READ_ONLY' })
      const following = await one.open('s', { patient: false })
      assert.notEqual(following.session, writer.session)
      await writer.dispose()
      assert.equal(following.readOnly?.code, 'WRITER_BUSY')
      taken.session.append('plan/mode', { active: false })
      await taken.flush()
      await caughtUp(following, taken)
      assert.equal(eventsOf(following).filter(({ type }) => type === 'step/start').length, 0)

      const back = await one.takeOver('s')
      assert.deepEqual(eventsOf(back).slice(0, taken.session.length), eventsOf(taken))
      back.session.append('plan/mode', { active: true })
      await back.flush()
    })

    it('a writer that says nothing finds out, too', async () => {
      const { two, writer } = await opened()
      const lost = staleness(writer)
      await two.takeOver('s')
      await lost
      assert.equal(writer.readOnly?.code, 'WRITER_LOST')
      await writer.flush()
    })

    it('taking over twice at once gives one session', async () => {
      const { two } = await opened()
      const [first, second] = await Promise.all([two.takeOver('s'), two.takeOver('s')])
      assert.equal(first.session, second.session)
      assert.equal((await two.takeOver('s')).session, first.session)
    })

    it('taking over what is free, or open for writing here, simply opens it', async () => {
      const { one, writer } = await opened()
      assert.equal((await one.takeOver('s')).session, writer.session)
      await one.dispose()
      const three = makeStore()
      assert.equal((await three.takeOver('s')).readOnly, undefined)
      assert.equal(await code(makeStore().takeOver('nowhere')), 'NOT_FOUND')
    })

    it('a follower is told when the owner is gone, and becomes the writer', async () => {
      const { one, two, reader } = await opened()
      const stale = staleness(reader)
      await one.dispose()
      await stale
      const open = await two.open('s')
      assert.equal(open.readOnly, undefined)
      await reader.dispose()
    })
  })
}

function jsonl(root: string, encoding: Encoding, fileSystem: StoreOptions['fileSystem']): JsonlBackend {
  return new JsonlBackend({ root, encoding, ...(fileSystem === undefined ? {} : { fileSystem }) })
}
