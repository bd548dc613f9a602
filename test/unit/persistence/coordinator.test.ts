import assert from 'node:assert/strict'
import type { LogWriter, StoredLog } from '../../../src/persistence/backend.ts'
import { type CoordinatorOptions, PersistenceCoordinator } from '../../../src/persistence/coordinator.ts'
import { PlanModeError } from '../../../src/session/errors.ts'
import type { SessionEvent } from '../../../src/session/events.ts'
import { MemoryBackend } from '../../support/memory-backend.ts'
import { header, mode, modes } from './scratch.ts'

/** A memory backend whose acts can be held up, made to fail, or written by a stranger. */
class Bench extends MemoryBackend {
  #gate: Promise<void> | undefined
  openings = 0
  /** Openings that took the writer's place. */
  taken = 0
  appends = 0
  /** Runs before each revision is given, as if others wrote meanwhile. */
  meanwhile: (() => Promise<void>) | undefined

  /** Holds up every read and opening until the result is called. */
  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#gate = promise
    return () => {
      this.#gate = undefined
      resolve()
    }
  }

  override async read(id: string): Promise<StoredLog> {
    const log = await super.read(id)
    await this.#gate
    return log
  }

  override async revision(id: string): Promise<string> {
    await this.meanwhile?.()
    return super.revision(id)
  }

  override async openWriter(id: string, known?: StoredLog): Promise<{ writer: LogWriter; log: StoredLog }> {
    this.openings++
    await this.#gate
    const { writer, log } = await super.openWriter(id, known)
    this.taken++
    const append = async (events: readonly SessionEvent[]) => {
      if (events.length > 0) this.appends++
      await writer.append(events)
    }
    const release = async () => {
      await idle()
      await writer.release()
    }
    return { writer: { ...writer, append, release }, log }
  }

  async store(id: string, events: readonly SessionEvent[]): Promise<void> {
    const writer = await this.createWriter(header({ id }))
    await writer.append(events)
    await writer.release()
  }

  async extend(id: string, events: readonly SessionEvent[]): Promise<void> {
    const { writer } = await super.openWriter(id)
    await writer.append(events)
    await writer.release()
  }
}

const started: SessionEvent = { type: 'turn/start', seq: 0, time: 1, data: { turn: 1 } }
const idle = () => new Promise<void>(resolve => setImmediate(resolve))

describe('the coordinator', () => {
  let backend: Bench
  let persistence: PersistenceCoordinator
  const make = (options: CoordinatorOptions = {}) => {
    persistence = new PersistenceCoordinator(backend, options)
    return persistence
  }

  beforeEach(() => {
    backend = new Bench()
    make()
  })
  afterEach(() => persistence.dispose())

  describe('what was read', () => {
    it('serves every later look and the preparation from one read', async () => {
      await backend.store('s', modes(0, 3))
      const looks = await Promise.all([persistence.inspect('s'), persistence.inspect('s')])
      looks.push(await persistence.inspect('s'))
      using preparation = await persistence.prepare('s')
      assert.equal(new Set(looks).size, 1)
      assert.equal(preparation.session.at(2), looks[0]?.events[2])
      assert.equal(backend.reads, 1)
    })

    it('is read anew when the log has changed', async () => {
      await backend.store('s', modes(0, 1))
      await persistence.inspect('s')
      await backend.extend('s', modes(1, 2))
      const before = backend.reads
      assert.equal((await persistence.inspect('s')).events.length, 2)
      await backend.extend('s', modes(2, 3))
      using preparation = await persistence.prepare('s')
      assert.equal(preparation.session.length, 3)
      assert.equal(backend.reads, before + 3, 'one for the look, one by the stranger, one for the preparation')
    })

    it('is kept for as many sessions as asked for, the latest used', async () => {
      make({ keep: { sessions: 2 } })
      for (const id of ['a', 'b', 'c']) await backend.store(id, modes(0, 1))
      const look = async (...ids: string[]) => {
        for (const id of ids) await persistence.inspect(id)
        return backend.reads
      }
      assert.equal(await look('a', 'b', 'a', 'c'), 3)
      assert.equal(await look('c', 'a'), 3, 'both are kept')
      assert.equal(await look('b'), 4, 'b was the least recently used')
    })

    it('is kept up to a number of events, the newest session in any case', async () => {
      make({ keep: { events: 5 } })
      for (const id of ['a', 'b', 'c']) await backend.store(id, modes(0, id === 'c' ? 9 : 2))
      for (const id of ['a', 'b', 'a', 'b']) await persistence.inspect(id)
      assert.equal(backend.reads, 2)
      for (const id of ['c', 'c']) await persistence.inspect(id)
      assert.equal(backend.reads, 3)
      await persistence.inspect('b')
      assert.equal(backend.reads, 4)
    })

    it('that is damaged is not kept, and tells so each time', async () => {
      await backend.store('s', [{ ...started, data: null } as unknown as SessionEvent])
      for (let times = 0; times < 2; times++) {
        await assert.rejects(persistence.inspect('s'), { code: 'CORRUPT', message: /memory:s is damaged at event 0/ })
      }
      assert.equal(backend.reads, 2)
    })
  })

  describe('a log that others are writing', () => {
    it('is read until its revision holds still', async () => {
      await backend.store('s', modes(0, 1))
      let next = 1
      backend.meanwhile = async () => {
        if (next < 3) await backend.extend('s', [mode(next++)])
      }
      assert.deepEqual((await persistence.inspect('s')).events, modes(0, 3))
    })

    it('without a pause is given up with an error that says so', async () => {
      await backend.store('s', modes(0, 1))
      let next = 1
      backend.meanwhile = () => backend.extend('s', [mode(next++)])
      await assert.rejects(persistence.inspect('s'), {
        code: 'LOG_UNSETTLED',
        message: /memory:s is being written without a pause/,
      })
      backend.meanwhile = undefined
      assert.equal((await persistence.inspect('s')).events.length, next)
    })
  })

  it('a log that the backend itself saw hold still is taken as it was then', async () => {
    await backend.store('s', modes(0, 1))
    const read = backend.read
    backend.read = async id => ({ ...(await read.call(backend, id)), settled: true })
    backend.meanwhile = async () => assert.fail('nobody needs to ask')
    assert.equal((await persistence.inspect('s')).events.length, 1)
    backend.meanwhile = undefined
    await backend.extend('s', modes(1, 2))
    assert.equal((await persistence.inspect('s')).events.length, 2)
  })

  describe('a prepared session', () => {
    it('is lent to a look without a read', async () => {
      await backend.store('s', [started])
      using preparation = await persistence.prepare('s')
      const { events, closers } = await persistence.inspect('s')
      assert.deepEqual(events, [...preparation.session.from()])
      assert.deepEqual([closers, backend.reads], [[], 1])
    })

    it('goes back when it is not published, with what was committed', async () => {
      await backend.store('s', [started])
      const first = await persistence.prepare('s')
      first[Symbol.dispose]()
      await persistence.release('s')
      const { events, closers } = await persistence.inspect('s')
      assert.deepEqual([events.map(({ type }) => type), closers, backend.reads], [['turn/start', 'turn/end'], [], 1])
      using second = await persistence.prepare('s')
      assert.equal(second.session, first.session)
      assert.equal(backend.appends, 1, 'the closers, once')
    })

    it('that was written to is not given to the next', async () => {
      await backend.store('s', modes(0, 1))
      const first = await persistence.prepare('s')
      first.session.append('plan/mode', { active: true })
      first[Symbol.dispose]()
      using second = await persistence.prepare('s')
      assert.notEqual(second.session, first.session)
      assert.equal(second.session.length, 1)
    })

    it('that was published is not given to the next, even if nothing happened in it', async () => {
      await backend.store('s', modes(0, 1))
      const first = await persistence.prepare('s')
      persistence.publish({ session: first.session, flush: async () => {} })
      first[Symbol.dispose]()
      await persistence.append('s', [])
      await persistence.release('s')
      using second = await persistence.prepare('s')
      assert.notEqual(second.session, first.session)
    })

    it('that is published during a look does not come back through it', async () => {
      await backend.store('s', modes(0, 1))
      await persistence.inspect('s')
      const asked = Promise.withResolvers<void>()
      backend.meanwhile = () => asked.promise
      const looking = persistence.inspect('s')
      await idle()
      backend.meanwhile = undefined
      const first = await persistence.prepare('s')
      persistence.publish({ session: first.session, flush: async () => {} })
      asked.resolve()
      assert.deepEqual((await looking).events, modes(0, 1))
      await persistence.release('s')
      using second = await persistence.prepare('s')
      assert.notEqual(second.session, first.session)
    })

    it('waits until the one before has let go of the writer’s place', async () => {
      await backend.store('s', modes(0, 1))
      for (let times = 0; times < 3; times++) {
        const preparation = await persistence.prepare('s')
        preparation[Symbol.dispose]()
      }
      assert.equal(backend.openings, 3)
    })
  })

  it('a load that comes while the session is being opened waits, and shares it', async () => {
    await backend.store('s', [started])
    const go = backend.hold()
    const loads = [persistence.load('s'), persistence.load('s')]
    await idle()
    go()
    const [one, two] = await Promise.all(loads)
    assert.deepEqual(one?.events, two?.events)
    assert.deepEqual([backend.openings, backend.appends], [1, 1])
  })

  it('an opening that fails can be tried again', async () => {
    await backend.store('s', modes(0, 1))
    const openWriter = backend.openWriter
    backend.openWriter = () => Promise.reject(new PlanModeError('STORAGE', 'no'))
    await assert.rejects(persistence.prepare('s'), { code: 'STORAGE' })
    backend.openWriter = openWriter
    using _ = await persistence.prepare('s')
  })

  it('a repair that fails frees the writer’s place, and the next one repairs', async () => {
    await backend.store('s', [started])
    const openWriter = backend.openWriter
    backend.openWriter = async id => {
      const { writer, log } = await openWriter.call(backend, id)
      const append = () => Promise.reject(new PlanModeError('STORAGE', 'the disk is full'))
      return { writer: { ...writer, append }, log }
    }
    await assert.rejects(persistence.load('s'), { code: 'STORAGE' })
    assert.equal(await persistence.writable('s'), true)
    backend.openWriter = openWriter
    assert.equal((await persistence.load('s')).closers.length, 1)
    assert.equal((await persistence.readFrom('s', 0)).length, 2)
  })

  it('an abort answers at once, and what was under way is taken back', async () => {
    await backend.store('s', modes(0, 1))
    const go = backend.hold()
    const controller = new AbortController()
    const preparing = persistence.prepare('s', controller.signal)
    const looking = persistence.inspect('s', controller.signal)
    await idle()
    controller.abort()
    await assert.rejects(preparing, { name: 'AbortError' })
    await assert.rejects(looking, { name: 'AbortError' })
    go()
    while (backend.taken === 0 || !(await persistence.writable('s'))) await idle()
  })

  it('a preparation after an aborted one waits for it, and gets the session', async () => {
    await backend.store('s', [started])
    const go = backend.hold()
    const controller = new AbortController()
    const stopped = persistence.prepare('s', controller.signal)
    await idle()
    controller.abort()
    const next = persistence.prepare('s')
    await assert.rejects(stopped, { name: 'AbortError' })
    go()
    using preparation = await next
    assert.deepEqual([preparation.session.length, backend.taken, backend.appends], [2, 2, 1])
  })

  it('two preparations at once: one gets the session', async () => {
    await backend.store('s', modes(0, 1))
    const [one, two] = await Promise.allSettled([persistence.prepare('s'), persistence.prepare('s')])
    assert.equal(one.status, 'fulfilled')
    assert.equal(two.status === 'rejected' && two.reason.code, 'SESSION_RESERVED')
    assert.equal(backend.openings, 1)
  })

  it('an abort of one look leaves the other its read', async () => {
    await backend.store('s', modes(0, 1))
    const go = backend.hold()
    const controller = new AbortController()
    const stopped = persistence.inspect('s', controller.signal)
    const other = persistence.inspect('s')
    controller.abort()
    await assert.rejects(stopped, { name: 'AbortError' })
    go()
    assert.equal((await other).events.length, 1)
    assert.equal(backend.reads, 1)
  })

  it('disposal waits for what is under way', async () => {
    await backend.store('s', modes(0, 1))
    const go = backend.hold()
    const looking = persistence.inspect('s')
    const preparing = persistence.prepare('s')
    let done = false
    const disposing = persistence.dispose().then(() => {
      done = true
    })
    await idle()
    assert.equal(done, false)
    go()
    await Promise.all([looking, preparing, disposing])
    assert.equal(await backend.writable('s'), true)
  })

  it('a tail that cannot be understood alone is read with what is before it', async () => {
    const call = { id: 'r', content: [{ type: 'text', text: 'long' }], callId: 'c', isError: false }
    const { id: _, ...old } = call
    const result = (seq: number, data: object, more: object = {}) =>
      ({
        type: 'tool/result',
        seq,
        time: 1,
        data: { turn: 1, step: 1, ...data },
        surfaceOp: 'append',
        ...more,
      }) as never
    const replace = { surfaceOp: { op: 'replace', start: 0, end: 0 }, sourceEventSeqs: [0] }
    await backend.store('s', [result(0, old), result(1, { ...old, content: [] }, replace)])
    const tail = await persistence.readFrom('s', 1)
    assert.deepEqual(tail, (await persistence.readFrom('s', 0)).slice(1))
    assert.equal(backend.reads, 2)
    await backend.extend('s', modes(2, 3))
    const before = backend.reads
    assert.deepEqual(await persistence.readFrom('s', 2), modes(2, 3))
    assert.equal(backend.reads, before, 'a tail that can is not')
  })

  it('asks a backend without revisions for each look, and says that it has no snapshots', async () => {
    await backend.store('s', modes(0, 1))
    const { read, openWriter, createWriter, exists, writable, list, locate } = new Proxy(backend, {
      get: (target, key) => Reflect.get(target, key).bind(target),
    })
    const plain = { openWriter, createWriter, exists, writable, list, locate }
    const blind = new PersistenceCoordinator({
      ...plain,
      read: async id => {
        const { revision: _, ...log } = await read(id)
        return log
      },
    })
    for (let times = 0; times < 2; times++) await blind.inspect('s')
    assert.equal(backend.reads, 2)
    await assert.rejects(blind.listSnapshots(), { code: 'UNSUPPORTED' })
    await blind.dispose()
  })

  describe('payloads', () => {
    const damaged: readonly [string, unknown, RegExp][] = [
      ['turn/start', { turn: 0 }, /data\.turn/],
      ['turn/start', null, /\(data:/],
      ['turn/end', { turn: 1, reason: { kind: 'aborted', reason: 7 } }, /data\.reason\.reason/],
      ['step/start', { turn: 1 }, /data\.step/],
      ['step/end', [], /\(data:/],
      ['tool/call', { turn: 1, step: 1, callId: 'c', name: 'n', arguments: {} }, /data\.arguments/],
      ['request/header', { header: {}, reason: 'initial' }, /data\.header\.config/],
      ['agent/inbox/spliced', { target: 'next-turn', start: 0, inserted: ['hi'] }, /data\.inserted\.0/],
      ['session/title', { title: 5, messageSeqs: [], source: { kind: 'user' } }, /data\.title/],
      ['session/title', { title: 't', messageSeqs: [], source: {} }, /data\.source\.kind/],
      ['command/run', { commandId: 'c', name: 'plan', args: 1, source: { kind: 'user' } }, /data\.args/],
      ['command/done', { commandId: 'c', kind: 'odd' }, /data\.kind/],
      ['plan/mode', 'on', /not an object/],
      ['plan/selected', { active: 'yes', by: 'user' }, /data\.active/],
      ['review/presented', { reviewId: 'r' }, /data\.callId/],
      ['review/decided', { reviewId: 'r', planHash: 'h', decision: 'perhaps' }, /data\.decision/],
    ]
    for (const [type, data, problem] of damaged) {
      it(`${type} ${JSON.stringify(data)} is damage`, async () => {
        await backend.store('s', [mode(0), { type, seq: 1, time: 1, data } as unknown as SessionEvent])
        await assert.rejects(persistence.inspect('s'), { code: 'CORRUPT', message: problem })
        await assert.rejects(persistence.load('s'), { code: 'CORRUPT', message: /memory:s is damaged at event 1/ })
      })
    }

    const sound: readonly [string, unknown][] = [
      ['plan/mode', { active: 'maybe' }],
      ['plan/mode', {}],
      ['turn/end', { turn: 1, reason: { kind: 'of-the-future', more: 1 } }],
      ['step/end', { turn: 1, step: 1, ofTheFuture: true }],
      ['request/header', { header: { config: { provider: 'p', model: 'm', more: 1 } }, reason: 'initial' }],
      [
        'agent/inbox/spliced',
        {
          target: 'next-turn',
          start: 0,
          inserted: [{ id: 'm', role: 'user', content: [{ type: 'audio' }], source: { kind: 'phone' } }],
        },
      ],
      ['todo/write', 'whatever'],
      ['assistant/chunk', null],
    ]
    for (const [type, data] of sound) {
      it(`${type} ${JSON.stringify(data)} is carried`, async () => {
        const event = { type, seq: 0, time: 1, data } as unknown as SessionEvent
        await backend.store('s', [event])
        assert.deepEqual((await persistence.inspect('s')).events, [event])
      })
    }
  })
})
