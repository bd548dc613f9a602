import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { appendFile, cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type OpenSession, SessionStore, type StoreOptions } from '../../../src/persistence/store.ts'
import { PlanModeError } from '../../../src/session/errors.ts'
import type { SessionEvent } from '../../../src/session/events.ts'
import { newUserMessage } from '../../../src/session/messages.ts'
import { FaultyFileSystem } from './faulty-file-system.ts'
import { ManualTimers } from './manual-timers.ts'
import { header, mode, useFolder } from './scratch.ts'

describe('session store', function () {
  this.timeout(30_000)
  const folder = useFolder()
  const stores: SessionStore[] = []

  function makeStore(options: Partial<StoreOptions> = {}): SessionStore {
    const store = new SessionStore({
      root: join(folder(), 'sessions'),
      cwd: '/home/dev/demo',
      now: () => 7,
      ...options,
    })
    stores.push(store)
    return store
  }

  afterEach(async () => {
    await Promise.allSettled(stores.splice(0).map(store => store.dispose()))
  })

  /** Runs the clock in small steps until the promise settles. */
  async function settle<T>(timers: ManualTimers, promise: Promise<T>): Promise<T> {
    let settled = false
    const done = promise.finally(() => {
      settled = true
    })
    done.catch(() => undefined)
    while (!settled) {
      await new Promise(setImmediate)
      timers.advance(20)
    }
    return done
  }

  async function storedTypes(open: { location: string }): Promise<string[]> {
    const lines = (await readFile(open.location, 'utf8')).trimEnd().split('\n')
    return lines.slice(1).map(line => JSON.parse(line).type)
  }

  async function stored(append: (open: OpenSession) => void, id = 's'): Promise<string> {
    const store = makeStore()
    const open = await store.create({ id })
    append(open)
    await store.dispose()
    return open.location
  }

  const interrupted = ({ session }: OpenSession) => {
    session.append('turn/start', { turn: 1 })
    session.append('step/start', { turn: 1, step: 1 })
  }

  async function code(promise: Promise<unknown>): Promise<string> {
    return promise.then(
      () => 'ok',
      error => (error instanceof PlanModeError ? error.code : String(error)),
    )
  }

  describe('a new session', () => {
    it('leaves nothing behind while nothing happened in it', async () => {
      const store = makeStore()
      const open = await store.create()
      await open.flush()
      await open.dispose()
      assert.equal(existsSync(join(folder(), 'sessions')), false)
    })

    it('is told and placed by its header', async () => {
      const { session, location, readOnly } = await makeStore().create({ agentPreset: 'p' })
      assert.deepEqual(session.header, {
        type: 'session',
        version: 0,
        id: session.id,
        createdAt: 7,
        cwd: '/home/dev/demo',
        delegationDepth: 0,
        agentPreset: 'p',
      })
      assert.equal(location, join(folder(), 'sessions', '--home-dev-demo--', session.id, 'session.jsonl'))
      assert.equal(readOnly, undefined)
    })

    it('is durable after a flush, and by itself a window later', async () => {
      const timers = new ManualTimers()
      const open = await makeStore({ timers }).create()
      open.session.append('plan/mode', { active: true })
      await open.flush()
      assert.deepEqual(await storedTypes(open), ['plan/mode'])
      open.session.append('plan/mode', { active: false })
      timers.advance(199)
      assert.equal(timers.waiting, 3, 'the batch, the lock’s heartbeat and the look at who writes')
      timers.advance(1)
      while ((await storedTypes(open)).length < 2) await new Promise(setImmediate)
    })

    it('is written in the order of the log, whatever observers append', async () => {
      const open = await makeStore().create()
      using _first = open.session.observe(event => {
        if (event.type === 'turn/start') open.session.append('step/start', { turn: 1, step: 1 })
      })
      open.session.append('turn/start', { turn: 1 })
      open.session.append('step/end', { turn: 1, step: 1 })
      await open.flush()
      assert.deepEqual(await storedTypes(open), ['turn/start', 'step/start', 'step/end'])
    })

    it('cannot have the id of another', async () => {
      await stored(({ session }) => void session.append('plan/mode', { active: true }))
      const store = makeStore()
      assert.equal(await code(store.create({ id: 's' })), 'ALREADY_EXISTS')
      await store.create({ id: 't' })
      assert.equal(await code(store.create({ id: 't' })), 'ALREADY_EXISTS')
    })
  })

  describe('a session with a past', () => {
    it('is a copy of its seed, ended with one mark, and stored with it', async () => {
      const seed = [mode(0), mode(1)]
      const open = await makeStore().create({ id: 's', seed })
      assert.deepEqual([...open.session.from()].slice(0, 2), seed)
      assert.ok(
        seed.every(event => !Object.isFrozen(event)),
        'the given events stay the giver’s',
      )
      await open.flush()
      assert.deepEqual(await storedTypes(open), ['plan/mode', 'plan/mode', 'session/end-seed'])
    })

    it('is stored without a flush and without anything new', async () => {
      const timers = new ManualTimers()
      const ended: SessionEvent = { type: 'session/end-seed', seq: 1, time: 1, data: {} }
      const open = await makeStore({ timers }).create({ id: 's', seed: [mode(0), ended] })
      assert.equal(open.session.length, 2, 'a past that is ended is not ended again')
      timers.advance(200)
      while (!existsSync(open.location)) await new Promise(setImmediate)
      assert.deepEqual(await storedTypes(open), ['plan/mode', 'session/end-seed'])
    })

    it('takes over what was restored, frozen in place', async () => {
      const seed = [mode(0)]
      const given = header({ id: 's', createdAt: 3 })
      const open = await makeStore().create({ header: given, seed, seedSource: 'persistence' })
      assert.equal(open.session.at(0), seed[0])
      assert.equal(open.session.header, given)
      assert.ok(Object.isFrozen(seed[0]?.data) && Object.isFrozen(given))
    })

    it('is refused when the seed is no log', async () => {
      const store = makeStore()
      const refused: [string, SessionEvent[]][] = [
        ['INVALID_SEED', [mode(1)]],
        ['INVALID_SEED', [{ ...mode(0), time: 0.5 }]],
        ['INVALID_SEED', [{ type: 'turn/start', seq: 0, time: 0, data: { turn: -1 } }]],
        ['INVALID_SEED', [{ ...mode(0), surfaceOp: 'append' }]],
        ['NOT_JSON', [{ ...mode(0), data: { active: undefined } } as unknown as SessionEvent]],
      ]
      for (const [expected, seed] of refused) assert.equal(await code(store.create({ seed })), expected)
      assert.equal(await code(store.create({ seed: [mode(0)], seedLength: 2 })), 'INVALID_SEED')
      assert.equal(await code(store.create({ cwd: 'here' })), 'INVALID_HEADER')
      assert.equal(existsSync(join(folder(), 'sessions')), false)
    })
  })

  it('what a child is told of itself survives a restart', async () => {
    const kept = {
      createdAt: 3,
      parentSession: 'p',
      origin: 'subagent',
      delegationDepth: 2,
      agentPreset: 'scout',
    } as const
    const open = await makeStore().create({ id: 's', ...kept })
    open.session.append('plan/mode', { active: true })
    await stores[0]?.dispose()
    const again = await makeStore().open('s')
    assert.deepEqual(again.session.header, { ...open.session.header, ...kept })
  })

  describe('opening', () => {
    it('brings everything back and ends the past with one mark, once', async () => {
      await stored(({ session }) => void session.append('plan/mode', { active: true }))
      for (let times = 0; times < 2; times++) {
        const store = makeStore()
        const open = await store.open('s')
        assert.deepEqual(
          [...open.session.from()].map(event => event.type),
          ['plan/mode', 'session/end-seed'],
        )
        await store.dispose()
        assert.deepEqual(await storedTypes(open), ['plan/mode', 'session/end-seed'])
      }
    })

    it('closes an interrupted turn on disk, cuts a torn tail, and goes on behind it', async () => {
      const location = await stored(interrupted)
      await appendFile(location, '{"type":"step/end","seq":2')
      const open = await makeStore().open('s')
      open.session.append('plan/mode', { active: true })
      await open.flush()
      assert.deepEqual(await storedTypes(open), [
        'turn/start',
        'step/start',
        'step/end',
        'turn/end',
        'session/end-seed',
        'plan/mode',
      ])
    })

    it('twice gives one session, which lives until the last holder lets go', async () => {
      await stored(({ session }) => void session.append('plan/mode', { active: true }))
      const store = makeStore()
      const [one, two] = await Promise.all([store.open('s'), store.open('s')])
      assert.equal(one.session, two.session)
      await one.dispose()
      await one.dispose()
      two.session.append('plan/mode', { active: false })
      await two.flush()
      await two.dispose()
      assert.throws(() => two.session.append('plan/mode', { active: true }), /closed/)
      const third = await store.open('s')
      assert.notEqual(third.session, two.session)
      assert.equal(third.readOnly, undefined)
    })

    it('waits for the holder who is just letting go', async () => {
      const store = makeStore()
      const first = await store.create({ id: 's' })
      first.session.append('plan/mode', { active: true })
      const closing = first.dispose()
      const second = await store.open('s')
      await closing
      assert.deepEqual([second.session.at(0).type, second.readOnly], ['plan/mode', undefined])
    })

    it('to go on is refused where it would be read-only', async () => {
      await stored(({ session }) => void session.append('plan/mode', { active: true }))
      const owner = await makeStore().resume('s')
      const other = makeStore({ lockWaitMs: 0 })
      assert.equal(await code(other.resume('s')), 'WRITER_BUSY')
      await owner.dispose()
      assert.equal((await other.resume('s')).readOnly, undefined)
      assert.equal(await code(other.resume('nowhere')), 'NOT_FOUND')
    })

    it('of what cannot be opened tells why, and can be tried again', async () => {
      const store = makeStore()
      assert.equal(await code(store.open('s')), 'NOT_FOUND')
      const location = await stored(({ session }) => void session.append('plan/mode', { active: true }))
      const whole = await readFile(location)
      await writeFile(location, 'no log')
      assert.equal(await code(store.open('s')), 'CORRUPT')
      await writeFile(location, whole)
      assert.equal((await store.open('s')).session.at(0).type, 'plan/mode')
    })
  })

  describe('a session that another window writes', () => {
    it('is shown read-only, as it stands and untouched on disk', async () => {
      const owner = await makeStore().create({ id: 's' })
      interrupted(owner)
      await owner.flush()
      const before = await readFile(owner.location)
      const timers = new ManualTimers()
      const reader = await settle(timers, makeStore({ timers }).open('s'))
      assert.match(reader.readOnly?.message ?? '', /Another window is writing this conversation/)
      assert.throws(
        () => reader.session.append('plan/mode', { active: true }),
        error => error instanceof PlanModeError && error.code === 'READ_ONLY',
      )
      assert.equal(reader.session.at(reader.session.length - 1).type, 'step/start')
      await reader.flush()
      await reader.dispose()
      assert.deepEqual(await readFile(owner.location), before)
      assert.deepEqual(await readdir(dirname(owner.location)), ['session.jsonl', 'writer.1.lock'])
    })

    it('is waited for while its window reloads', async () => {
      const timers = new ManualTimers()
      const old = makeStore()
      const owner = await old.create({ id: 's' })
      owner.session.append('plan/mode', { active: true })
      await owner.flush()
      const opening = makeStore({ timers }).open('s')
      while (timers.waiting === 0) await new Promise(setImmediate)
      timers.advance(1000)
      await old.dispose()
      const open = await settle(timers, opening)
      assert.equal(open.readOnly, undefined)
    })

    it('tells when it can be written here, and opens anew then', async () => {
      const timers = new ManualTimers()
      const owner = await makeStore().create({ id: 's' })
      owner.session.append('plan/mode', { active: true })
      await owner.flush()
      const store = makeStore({ timers })
      const reader = await settle(timers, store.open('s'))
      let told = 0
      using _listener = reader.onStale(() => told++)
      for (let poll = 0; poll < 3; poll++) {
        timers.advance(2000)
        while (timers.waiting === 0) await new Promise(setImmediate)
      }
      assert.equal(told, 0)
      assert.equal((await store.open('s')).session, reader.session)
      await owner.dispose()
      timers.advance(2000)
      while (told === 0) await new Promise(setImmediate)
      const writer = await store.open('s')
      assert.notEqual(writer.session, reader.session)
      assert.equal(writer.readOnly, undefined)
      await reader.dispose()
      writer.session.append('plan/mode', { active: false })
      await writer.flush()
      assert.equal(told, 1)
    })

    it('that took over from this one stops it: nothing more is written, the session is sealed', async () => {
      const open = await makeStore().create({ id: 's' })
      open.session.append('plan/mode', { active: true })
      await open.flush()
      const before = await readFile(open.location)
      const record = await readFile(join(dirname(open.location), 'writer.1.lock'), 'utf8')
      await writeFile(join(dirname(open.location), 'writer.2.lock'), record.replace('"epoch":1', '"epoch":2'))
      const problems: (string | undefined)[] = []
      using _listener = open.onProblem(problem => problems.push(problem?.code))
      open.session.append('plan/mode', { active: false })
      assert.equal(await code(open.flush()), 'WRITER_LOST')
      assert.match(open.readOnly?.message ?? '', /took over/)
      assert.throws(() => open.session.append('plan/mode', { active: true }), /took over/)
      assert.equal(await code(open.flush()), 'WRITER_LOST')
      assert.deepEqual(problems, ['WRITER_LOST'])
      await open.dispose()
      assert.deepEqual(await readFile(open.location), before)
    })
  })

  describe('when writing fails', () => {
    it('says so, keeps everything in order, and says when it works again', async () => {
      const faulty = new FaultyFileSystem()
      const open = await makeStore({ fileSystem: faulty.fileSystem }).create({ id: 's' })
      const problems: (string | undefined)[] = []
      using _listener = open.onProblem(problem => problems.push(problem?.message))
      open.session.append('plan/mode', { active: true })
      faulty.failWhen(operation => (operation === 'write' ? 'ENOSPC' : undefined))
      assert.equal(await code(open.flush()), 'STORAGE')
      open.session.append('plan/mode', { active: false })
      assert.equal(await code(open.flush()), 'STORAGE')
      assert.match(problems[0] ?? '', /session\.jsonl.*the disk is full/)
      const late: unknown[] = []
      open.onProblem(problem => late.push(problem?.code))
      assert.deepEqual(late, ['STORAGE'], 'who comes later is told at once')
      faulty.heal()
      await open.flush()
      assert.deepEqual([problems.length, problems.at(-1)], [3, undefined])
      assert.deepEqual(await storedTypes(open), ['plan/mode', 'plan/mode'])
    })

    it('a listener that throws changes nothing of it', async () => {
      const faulty = new FaultyFileSystem()
      const thrown: unknown[] = []
      const options = { fileSystem: faulty.fileSystem, onObserverError: (error: unknown) => thrown.push(error) }
      const open = await makeStore(options).create({ id: 's' })
      using _listener = open.onProblem(() => {
        throw new Error('listener')
      })
      open.session.append('plan/mode', { active: true })
      faulty.failWhen(operation => (operation === 'write' ? 'ENOSPC' : undefined))
      assert.equal(await code(open.flush()), 'STORAGE')
      faulty.heal()
      await open.flush()
      assert.equal(thrown.length, 2)
    })

    it('to the end, closing tells of it and still lets go of the lock', async () => {
      const faulty = new FaultyFileSystem()
      const open = await makeStore({ fileSystem: faulty.fileSystem }).create({ id: 's' })
      open.session.append('plan/mode', { active: true })
      await open.flush()
      open.session.append('plan/mode', { active: false })
      faulty.failWhen(operation => (operation === 'write' ? 'EIO' : undefined))
      assert.equal(await code(open.dispose()), 'STORAGE')
      assert.equal((await makeStore().open('s')).readOnly, undefined)
    })

    it('on opening, the session is shown read-only with the reason, and the next opening tries again', async () => {
      await stored(interrupted)
      const faulty = new FaultyFileSystem()
      const store = makeStore({ fileSystem: faulty.fileSystem })
      faulty.failWhen(operation => (operation === 'open create' ? 'EACCES' : undefined))
      const denied = await store.open('s')
      assert.match(denied.readOnly?.message ?? '', /permission is missing/)
      assert.equal(denied.session.length, 4)
      faulty.heal()
      faulty.failWhen(operation => (operation === 'write' ? 'ENOSPC' : undefined))
      assert.match((await store.open('s')).readOnly?.message ?? '', /disk is full/)
      faulty.heal()
      assert.equal((await store.open('s')).readOnly, undefined)
    })
  })

  describe('listing', () => {
    it('gives the newest first and one problem for each log that is left out', async () => {
      const good = await stored(({ session }) => void session.append('plan/mode', { active: true }), 'good')
      const root = join(folder(), 'sessions')
      const project = join(root, '--home-dev-demo--')
      const header = (await readFile(good, 'utf8')).split('\n')[0] ?? ''
      const put = async (path: string, text: string) => {
        await mkdir(dirname(join(root, path)), { recursive: true })
        await writeFile(join(root, path), text)
      }
      await put('--elsewhere--/moved/session.jsonl', `${header.replace('"good"', '"moved"')}\n`)
      await put('--home-dev-demo--/torn/session.jsonl', header)
      await put('--home-dev-demo--/empty/session.jsonl', '')
      await put('--home-dev-demo--/future/session.jsonl', '{"type":"session","version":3}\n')
      await put('--home-dev-demo--/packed/session.jsonl.zstd', 'x')
      await put('--home-dev-demo--/flat.jsonl', `${header}\n`)
      await put('_no-cwd/twin/session.jsonl', `${header.replace('"good"', '"twin"').replace(/,"cwd":"[^"]*"/, '')}\n`)
      await put('--home-dev-demo--/twin/session.jsonl', `${header.replace('"good"', '"twin"')}\n`)
      await put('--home-dev-demo--/notes/readme.txt', 'not a log')
      await put('stray.txt', 'not a folder')
      const other = await stored(({ session }) => void session.append('plan/mode', { active: true }), 'later')

      const { sessions, problems } = await makeStore().list()
      assert.deepEqual(
        sessions.map(({ header: { id }, file }) => [id, file]),
        [
          ['later', other],
          ['good', good],
        ],
      )
      assert.ok(sessions.every(({ mtimeMs }) => mtimeMs > 0))
      assert.deepEqual(
        Object.fromEntries(problems.map(({ file, code: given }) => [file.slice(root.length + 1), given])),
        {
          '--elsewhere--/moved/session.jsonl': 'CORRUPT',
          '--home-dev-demo--/empty/session.jsonl': 'CORRUPT',
          '--home-dev-demo--/flat.jsonl': 'CORRUPT',
          '--home-dev-demo--/future/session.jsonl': 'FORMAT_UNSUPPORTED',
          '--home-dev-demo--/packed/session.jsonl.zstd': 'FORMAT_UNSUPPORTED',
          '--home-dev-demo--/torn/session.jsonl': 'CORRUPT',
          '--home-dev-demo--/twin/session.jsonl': 'CORRUPT',
          '_no-cwd/twin/session.jsonl': 'CORRUPT',
        },
      )
      assert.ok(problems.every(({ file, message }) => message.includes(file)))
      const store = makeStore()
      for (const [id, expected] of Object.entries({
        moved: 'CORRUPT',
        future: 'FORMAT_UNSUPPORTED',
        packed: 'FORMAT_UNSUPPORTED',
        twin: 'CORRUPT',
      })) {
        assert.equal(await code(store.open(id)), expected, id)
      }
      assert.equal(existsSync(join(project, 'future', 'writer.1.released')), false, 'a refused log is left alone')
    })

    it('of a root that is not there is empty', async () => {
      assert.deepEqual(await makeStore().list(), { sessions: [], problems: [] })
    })

    it('says that the root cannot be read', async () => {
      const faulty = new FaultyFileSystem()
      faulty.failWhen(() => 'EACCES')
      const { problems } = await makeStore({ fileSystem: faulty.fileSystem }).list()
      assert.deepEqual(
        problems.map(({ code: given }) => given),
        ['STORAGE'],
      )
    })
  })

  describe('describing', () => {
    const titled = ({ session }: OpenSession) => {
      session.append('session/title', { title: 'First', messageSeqs: [], source: { kind: 'user' } })
      session.append('session/title', { title: 'Last', messageSeqs: [], source: { kind: 'user' } })
      interrupted({ session } as OpenSession)
    }

    it('folds title and turns from the log and writes nothing', async () => {
      const location = await stored(titled)
      const files = await readdir(dirname(location))
      const before = await readFile(location)
      const { title, turns, session } = await makeStore().describe('s')
      assert.deepEqual([title, turns, session.length], ['Last', 1, 6])
      assert.ok(session.readOnly)
      assert.deepEqual(await readFile(location), before)
      assert.deepEqual(await readdir(dirname(location)), files)
    })

    it('of an open session is that session, unsaved events and all', async () => {
      const store = makeStore()
      const open = await store.create({ id: 's' })
      open.session.append('user/message', newUserMessage('hello'))
      const { title, turns, session } = await store.describe('s')
      assert.deepEqual([title, turns, session], [undefined, 0, open.session])
    })
  })

  it('disposal drains every session, and nothing opens any more', async () => {
    const store = makeStore()
    const opens = await Promise.all(['a', 'b'].map(id => store.create({ id })))
    for (const { session } of opens) session.append('plan/mode', { active: true })
    await store.dispose()
    for (const open of opens) assert.deepEqual(await storedTypes(open), ['plan/mode'])
    assert.equal(await code(store.create()), 'DISPOSED')
    assert.equal(await code(store.open('a')), 'DISPOSED')
  })

  it('a copied root opens as the original does', async () => {
    await stored(interrupted)
    const copy = join(folder(), 'copy')
    await cp(join(folder(), 'sessions'), copy, { recursive: true })
    const open = await makeStore({ root: copy }).open('s')
    assert.equal(open.readOnly, undefined)
    assert.equal(open.session.length, 5)
  })
})
