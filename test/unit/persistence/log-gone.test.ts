import assert from 'node:assert/strict'
import { mkdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { PersistenceCoordinator } from '../../../src/persistence/coordinator.ts'
import { JsonlBackend } from '../../../src/persistence/jsonl/jsonl-backend.ts'
import { SqliteBackend } from '../../../src/persistence/sqlite/sqlite-backend.ts'
import { type OpenSession, SessionStore } from '../../../src/persistence/store.ts'
import { planProjection } from '../../../src/plan/projection.ts'
import { PlanModeError } from '../../../src/session/errors.ts'
import { FaultyFileSystem } from './faulty-file-system.ts'
import { useFolder } from './scratch.ts'

async function errorOf(promise: Promise<unknown>): Promise<PlanModeError> {
  const error = await promise.then(
    () => assert.fail('it went well'),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof PlanModeError, String(error))
  return error
}

/** A selection in an open turn and a mode: what has to survive every failure. */
function work({ session }: OpenSession): void {
  session.append('plan/mode', { active: true })
  session.append('turn/start', { turn: 1 })
  session.append('plan/selected', { active: false, by: 'user' })
}

for (const form of ['none', 'zstd', 'sqlite'] as const) {
  describe(`a log that goes away under its writer (${form})`, function () {
    this.timeout(20_000)
    const folder = useFolder()
    const stores: SessionStore[] = []
    const workspace = () => join(folder(), 'workspace')
    const root = () => join(workspace(), '.plan-mode', 'sessions')

    beforeEach(() => mkdir(workspace()))
    afterEach(async () => {
      await Promise.allSettled(stores.splice(0).map(store => store.dispose()))
    })

    function backend() {
      return form === 'sqlite'
        ? new SqliteBackend({ root: root() })
        : new JsonlBackend({ root: root(), encoding: form })
    }

    /** A session with stored events and some that are not stored yet, and the file it is in. */
    async function opened() {
      const persistence = new PersistenceCoordinator(backend())
      const store = new SessionStore({ root: root(), persistence, windowMs: 60_000, cwd: '/home/dev/demo' })
      stores.push(store)
      const open = await store.create({ id: 's' })
      work(open)
      await open.flush()
      const file = form === 'sqlite' ? join(root(), 'sessions.db') : open.location
      open.session.append('todo/write', { todos: [] })
      return { open, file, store }
    }

    /** Everything is in memory as it was, and once the cause is gone or is mended everything is stored, once. */
    async function holds({ session }: OpenSession): Promise<void> {
      assert.deepEqual(session.state(planProjection).selected, { active: false, by: 'user' })
      assert.equal(session.state(planProjection).active, true)
      assert.deepEqual((await backend().read('s')).events, JSON.parse(JSON.stringify([...session.from()])))
    }

    const isGone = /is not there any more|was deleted|in .* any more|cut short|was changed by something else/

    const losses: Readonly<Record<string, (file: string) => Promise<void>>> = {
      'the file is deleted': async file => {
        for (const suffix of ['', '-wal', '-shm']) await rm(`${file}${suffix}`, { force: true })
      },
      'its folder is deleted': file => rm(dirname(file), { recursive: true }),
      'the folder of all logs is deleted': () => rm(dirname(root()), { recursive: true }),
    }
    for (const [what, lose] of Object.entries(losses)) {
      it(`because ${what}: says so by its name, and writes it anew when asked to`, async () => {
        const { open, file } = await opened()
        await lose(file)
        const error = await errorOf(open.flush())
        assert.equal(error.code, 'LOG_GONE')
        assert.match(error.message, isGone)
        assert.ok(error.message.includes(form === 'sqlite' ? file : dirname(file)), error.message)
        assert.equal((await errorOf(open.flush())).code, 'LOG_GONE', 'nothing is made without being asked for')
        await open.save()
        await holds(open)
        open.session.append('plan/mode', { active: false })
        await open.flush()
        await open.dispose()
        assert.equal((await backend().read('s')).events.length, 5)
        assert.equal(await backend().writable('s'), true)
      })
    }

    it('because the workspace folder is removed: does not bring it back, and goes on when it is there again', async () => {
      const { open, file } = await opened()
      await rename(workspace(), `${workspace()}.away`)
      assert.ok((await errorOf(open.flush())).message.includes(form === 'sqlite' ? file : dirname(file)))
      const error = await errorOf(open.save())
      assert.ok(error.message.includes(form === 'sqlite' ? file : 'session.jsonl'), error.message)
      await rename(`${workspace()}.away`, workspace())
      await open.flush()
      await holds(open)
    })

    it('because the workspace folder is removed for good: writes into a new one of the name when asked to', async () => {
      const { open } = await opened()
      await rm(workspace(), { recursive: true })
      await errorOf(open.save())
      await mkdir(workspace())
      await open.save()
      await holds(open)
    })

    if (form === 'sqlite') return

    it('because it is cut short, at any byte: keeps what is left of it and writes what is missing', async () => {
      const { open, file, store } = await opened()
      const { length } = await readFile(file)
      await store.dispose()
      for (let size = 0; size < length; size += 7) {
        const persistence = new PersistenceCoordinator(backend())
        const [one] = [new SessionStore({ root: root(), persistence, windowMs: 60_000, cwd: '/home/dev/demo' })]
        stores.push(one)
        const again = await one.open('s')
        await again.flush()
        again.session.append('plan/mode', { active: size % 2 === 0 })
        await truncate(file, size)
        assert.equal((await errorOf(again.flush())).code, 'LOG_GONE')
        assert.equal((await readFile(file)).length, size, 'it is left alone until then')
        await again.save()
        assert.deepEqual((await backend().read('s')).events, JSON.parse(JSON.stringify([...again.session.from()])))
        assert.deepEqual((await backend().read('s')).header, again.session.header)
        await one.dispose()
      }
      assert.equal(open.session.length, 4)
    })

    it('but something else lies in its place: is left alone', async () => {
      const { open, file } = await opened()
      const bytes = await readFile(file)
      for (const other of [Buffer.from('someone else’s'), Buffer.concat([bytes, bytes.subarray(-30)])]) {
        await writeFile(file, other)
        assert.ok((await errorOf(open.save())).message.includes(file))
        assert.deepEqual(await readFile(file), other)
      }
      await writeFile(file, bytes)
      await open.save()
      await holds(open)
    })

    for (const [code, sentence] of [
      ['ENOSPC', /the disk is full/],
      ['EDQUOT', /quota is used up/],
      ['EIO', /input or output error/],
      ['EACCES', /permission is missing/],
      ['EROFS', /permission is missing/],
    ] as const) {
      it(`cannot be written (${code}): says so, keeps all, and goes on when the cause is gone`, async () => {
        const faulty = new FaultyFileSystem()
        const fileSystem = faulty.fileSystem
        const store = new SessionStore({
          root: root(),
          encoding: form,
          fileSystem,
          windowMs: 60_000,
          cwd: '/home/dev/demo',
        })
        stores.push(store)
        const open = await store.create({ id: 's' })
        const problems: (string | undefined)[] = []
        using _listening = open.onProblem(problem => problems.push(problem?.message))
        const failing = code === 'EACCES' || code === 'EROFS' ? /open/ : /write|sync/
        faulty.failWhen(operation => (failing.test(operation) ? code : undefined))
        work(open)
        assert.match((await errorOf(open.flush())).message, sentence)
        assert.ok(problems[0]?.includes(open.location), problems[0])
        faulty.heal()
        await open.save()
        assert.equal(problems.at(-1), undefined)
        await holds(open)
        faulty.failWhen(operation => (failing.test(operation) ? code : undefined))
        open.session.append('todo/write', { todos: [] })
        assert.match((await errorOf(open.save())).message, sentence)
        assert.equal((await backend().read('s')).events.length, 3, 'what was acknowledged stands')
        faulty.heal()
        await open.save()
        await holds(open)
      })

      it(`cannot be written anew (${code} at any call): nothing is lost, and it can be tried again`, async () => {
        for (let failing = 0; failing < 40; failing++) {
          const faulty = new FaultyFileSystem()
          const fileSystem = faulty.fileSystem
          const store = new SessionStore({
            root: root(),
            encoding: form,
            fileSystem,
            windowMs: 60_000,
            cwd: '/home/dev/demo',
          })
          stores.push(store)
          const open = await store.create({ id: 's' })
          work(open)
          await open.flush()
          open.session.append('todo/write', { todos: [] })
          if (failing % 2 === 0) await rm(open.location)
          else await truncate(open.location, (await readFile(open.location)).length - 5)
          assert.equal((await errorOf(open.flush())).code, 'LOG_GONE')
          faulty.failWhen((_, index) => (index === failing ? code : undefined))
          await open.save().catch(() => undefined)
          faulty.heal()
          await open.save()
          await holds(open)
          await open.dispose()
          await rm(root(), { recursive: true })
        }
      })
    }
  })
}
