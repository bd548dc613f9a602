import assert from 'node:assert/strict'
import type { PersistenceBackend } from '../../src/persistence/backend.ts'
import { PersistenceCoordinator } from '../../src/persistence/coordinator.ts'
import type { FollowedLog, SessionPersistence } from '../../src/persistence/persistence.ts'
import type { SessionEvent } from '../../src/session/events.ts'
import { newHeader, type SessionHeader } from '../../src/session/header.ts'
import type { Session } from '../../src/session/session.ts'
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
const asked: SessionEvent = {
  type: 'user/message',
  seq: 0,
  time: 12,
  data: { id: 'm', role: 'user', content: [{ type: 'text', text: 'Grüße 雪 \u2028' }], source: { kind: 'user' } },
  surfaceOp: 'append',
}
const answered: SessionEvent = {
  type: 'assistant/message',
  seq: 1,
  time: 11,
  data: {
    turn: 1,
    step: 1,
    message: {
      id: 'n',
      role: 'assistant',
      content: [],
      source: { kind: 'model', provider: 'p', model: 'm' },
    },
  },
  surfaceOp: 'append',
  sourceEventSeqs: [0],
}
const selected: SessionEvent = {
  type: 'plan/selected',
  seq: 2,
  time: -1,
  data: { active: true, by: 'user' },
  ignorable: true,
}

/** Observing calls by name, each with a signal. */
const observing: Readonly<Record<string, (from: SessionPersistence, signal: AbortSignal) => Promise<unknown>>> = {
  prepare: (from, signal) => from.prepare('s', signal),
  inspect: (from, signal) => from.inspect('s', signal),
  readFrom: (from, signal) => from.readFrom('s', 1, signal),
  readRaw: (from, signal) => from.readRaw('s', signal),
  list: (from, signal) => from.list(signal),
  listSnapshots: (from, signal) => from.listSnapshots(signal),
}

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

    it('create is for one: an id that was created here is taken', async () => {
      await here.create(header())
      assert.equal(await refusal(() => here.create(header())), 'ALREADY_EXISTS')
    })

    it('keeps every key of a header', async () => {
      const child: SessionHeader = {
        ...header(),
        parentSession: 'p',
        seedLength: 1,
        origin: 'subagent',
        delegationDepth: 2,
        agentPreset: 'scout',
      }
      await here.create(child)
      await here.append('s', [mode(0)])
      assert.deepEqual((await there.inspect('s')).header, child)
      assert.deepEqual((await there.list()).sessions[0]?.header, child)
    })

    it('keeps every key of an event, whatever text it holds', async () => {
      await stored(asked, answered, selected)
      assert.deepEqual(await there.readFrom('s', 0), [asked, answered, selected])
      assert.deepEqual((await there.inspect('s')).events, [asked, answered, selected])
    })

    it('locate does no I/O and gives the same before and after', async () => {
      const before = there.locate(header())
      await stored(mode(0))
      assert.equal(there.locate(header()), before)
      if (before !== undefined) assert.equal((await there.list()).sessions[0]?.file, before)
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
      assert.equal(await refusal(() => there.readFrom('s', -1)), 'INVALID_SEQ')
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

    it('load of a log that owes nothing writes nothing', async () => {
      await stored(started, { ...mode(1) }, { type: 'turn/end', seq: 2, time: 30, data: endOf(1) }, mode(3))
      const before = await there.listSnapshots()
      assert.equal((await here.load('s')).closers.length, 0)
      assert.deepEqual(await there.listSnapshots(), before)
    })

    it('load of a session that is open here repairs nothing', async () => {
      await here.create(header())
      await here.append('s', [mode(0)])
      assert.equal((await here.load('s')).events.length, 1)
      await here.append('s', [{ ...started, seq: 1 }])
      assert.equal(await refusal(() => here.load('s')), 'SESSION_LIVE')
      assert.equal((await there.readFrom('s', 0)).length, 2)
    })

    it('a payload that no fold could read is damage, told by its event; what the ancestor folds is not', async () => {
      await stored(mode(0), { ...started, seq: 1, data: { turn: 'one' } } as unknown as SessionEvent)
      for (const open of [() => there.inspect('s'), () => there.load('s'), () => there.prepare('s')]) {
        await assert.rejects(open(), { code: 'CORRUPT', message: /event 1.*data\.turn/ })
      }
      assert.equal(await there.writable('s'), true)
      assert.equal((await there.readFrom('s', 0)).length, 2)
      const odd = { ...mode(0), data: { active: 'maybe' } } as unknown as SessionEvent
      await here.create(header('t'))
      await here.append('t', [odd])
      assert.deepEqual((await there.inspect('t')).events, [odd])
    })

    it('load of what is not for this build or damaged takes no writer’s place', async () => {
      const foreign = { type: 'acme/required', seq: 0, time: 0, data: {} } as unknown as SessionEvent
      await stored(foreign)
      assert.equal(await refusal(() => here.load('s')), 'FORMAT_UNSUPPORTED')
      assert.equal(await there.writable('s'), true)
    })

    describe('inspect', () => {
      it('never writes, and what it gives is nobody’s to change', async () => {
        await stored(started, stepped)
        const before = await there.listSnapshots()
        const { events, header: seen } = await there.inspect('s')
        assert.deepEqual(await there.listSnapshots(), before)
        assert.ok([events, seen, events[0], events[0]?.data].every(value => Object.isFrozen(value)))
        assert.equal(await there.writable('s'), true)
      })

      it('shares what was read until the log changes', async () => {
        await stored(mode(0))
        const [one, two] = await Promise.all([there.inspect('s'), there.inspect('s')])
        assert.equal(one, two)
        assert.equal(await there.inspect('s'), one)
        await here.load('s')
        await here.append('s', [mode(1)])
        assert.deepEqual((await there.inspect('s')).events, [mode(0), mode(1)])
        assert.deepEqual(one.events, [mode(0)])
      })
    })

    describe('prepare', () => {
      it('gives one unpublished session, recovered and stored so', async () => {
        await stored(started, stepped)
        using preparation = await here.prepare('s')
        const { session } = preparation
        assert.deepEqual([session.length, preparation.stored, session.readOnly], [4, 4, undefined])
        assert.deepEqual(await there.readFrom('s', 0), [...session.from()])
        assert.deepEqual((await here.inspect('s')).events, [...session.from()])
        assert.deepEqual((await here.load('s')).closers, [])
      })

      it('is exclusive', async () => {
        await stored(mode(0))
        using _ = await here.prepare('s')
        assert.equal(await refusal(() => here.prepare('s')), 'SESSION_RESERVED')
        assert.equal(await refusal(() => there.prepare('s')), 'WRITER_BUSY')
      })

      it('disposed of, frees the session for the next, once and at once', async () => {
        await stored(mode(0))
        const first = await here.prepare('s')
        first[Symbol.dispose]()
        using second = await here.prepare('s')
        first[Symbol.dispose]()
        assert.equal(await refusal(() => there.prepare('s')), 'WRITER_BUSY')
        assert.equal(second.session.length, 1)
        second[Symbol.dispose]()
        await here.release('s')
        using _ = await there.prepare('s')
      })

      it('of what cannot be opened tells why and takes nothing', async () => {
        assert.equal(await refusal(() => here.prepare('nowhere')), 'NOT_FOUND')
        await stored({ ...mode(0), type: 'acme/required' } as unknown as SessionEvent)
        assert.equal(await refusal(() => here.prepare('s')), 'FORMAT_UNSUPPORTED')
        assert.equal(await there.writable('s'), true)
      })
    })

    describe('takeOver', () => {
      it('takes the place from a live owner, who is told at his next append, for good', async () => {
        await stored(mode(0))
        await here.load('s')
        await here.append('s', [mode(1)])
        using preparation = await there.takeOver('s')
        assert.deepEqual([...preparation.session.from()], [mode(0), mode(1)])
        assert.equal(preparation.stored, 2)
        assert.equal(await refusal(() => here.confirm('s')), 'WRITER_LOST')
        assert.equal(await refusal(() => here.append('s', [mode(2)])), 'WRITER_LOST')
        await there.confirm('s')
        await there.append('s', [mode(2)])
        assert.equal(await refusal(() => here.append('s', [mode(2)])), 'WRITER_LOST')
        assert.deepEqual(await here.readFrom('s', 0), [mode(0), mode(1), mode(2)])
      })

      it('closes the turn that the owner has open', async () => {
        await stored(mode(0))
        await here.load('s')
        await here.append('s', [{ ...started, seq: 1 }])
        using preparation = await there.takeOver('s')
        assert.equal(preparation.session.at(2).type, 'turn/end')
        assert.equal((await here.readFrom('s', 0)).length, 3)
      })

      it('goes to and fro', async () => {
        await stored(mode(0))
        for (let seq = 1; seq < 5; seq++) {
          const [taker, other] = seq % 2 === 0 ? [here, there] : [there, here]
          using _preparation = await taker.takeOver('s')
          await taker.append('s', [mode(seq)])
          await other.release('s')
        }
        assert.deepEqual(await there.readFrom('s', 0), [0, 1, 2, 3, 4].map(mode))
      })

      it('of a free session is as prepare, and of one that is open here refused', async () => {
        await stored(mode(0))
        using _preparation = await here.takeOver('s')
        assert.equal(await refusal(() => here.takeOver('s')), 'SESSION_RESERVED')
        assert.equal(await refusal(() => there.prepare('s')), 'WRITER_BUSY')
        assert.equal(await refusal(() => here.takeOver('nowhere')), 'NOT_FOUND')
      })

      it('leaves the place free when the taker lets go', async () => {
        await stored(mode(0))
        await here.load('s')
        const preparation = await there.takeOver('s')
        preparation[Symbol.dispose]()
        await there.release('s')
        await here.release('s')
        assert.equal(await here.writable('s'), true)
        assert.equal((await here.load('s')).events.length, 1)
      })
    })

    describe('follow', () => {
      it('gives what is stored, an open turn left open, and each event that comes once', async () => {
        await stored(started)
        using followed = await there.follow('s')
        assert.deepEqual([followed.header, listed(followed)], [header(), [started]])
        assert.deepEqual(await followed.next(), [])
        await here.load('s')
        assert.deepEqual(
          (await followed.next())?.map(({ type }) => type),
          ['turn/end'],
        )
        await here.append('s', [mode(2), mode(3)])
        await here.append('s', [mode(4)])
        assert.deepEqual(await followed.next(), [mode(2), mode(3), mode(4)])
        assert.deepEqual(await followed.next(), [])
      })

      it('never writes and holds nothing', async () => {
        await stored(started)
        const before = await here.listSnapshots()
        using followed = await there.follow('s')
        await followed.next()
        assert.deepEqual(await here.listSnapshots(), before)
        assert.equal(await here.writable('s'), true)
        assert.equal(await refusal(() => there.follow('nowhere')), 'NOT_FOUND')
      })

      it('goes over a takeover, by what comes or by saying that it has to begin anew', async () => {
        await stored(mode(0))
        await here.load('s')
        using followed = await here.follow('s')
        using _preparation = await there.takeOver('s')
        await there.append('s', [mode(1)])
        const next = await followed.next()
        if (next !== undefined) assert.deepEqual(next, [mode(1)])
        using again = await here.follow('s')
        assert.deepEqual(listed(again), [mode(0), mode(1)])
      })

      it('calls back when something is stored, where the system tells', async () => {
        if (store.one.watch === undefined) return
        await stored(mode(0))
        await here.load('s')
        using followed = await there.follow('s')
        const { promise, resolve } = Promise.withResolvers<void>()
        using _listening = followed.onChange(resolve)
        await here.append('s', [mode(1)])
        await promise
        assert.deepEqual(await followed.next(), [mode(1)])
      })
    })

    describe('rewrite', () => {
      it('leaves a whole log as it is, and is refused to whoever lost it', async () => {
        await stored(mode(0))
        await here.load('s')
        await here.append('s', [mode(1)])
        await here.rewrite('s', [mode(0), mode(1)])
        await here.append('s', [mode(2)])
        assert.deepEqual(await there.readFrom('s', 0), [0, 1, 2].map(mode))
        using _preparation = await there.takeOver('s')
        assert.equal(await refusal(() => here.rewrite('s', [0, 1, 2].map(mode))), 'WRITER_LOST')
        assert.equal(await refusal(() => there.rewrite('t', [])), 'NOT_FOUND')
      })
    })

    describe('a live session', () => {
      /** Appends to the session as if the world waited for `flush`. */
      function live(session: Session, durable: number) {
        const flush = async () => {
          const events = Array.from({ length: session.length - durable }, (_, k) => session.at(durable + k))
          durable = session.length
          await here.append(session.id, events)
        }
        here.publish({ session, flush })
        return flush
      }

      it('is inspected as it stands, unsaved events and open turn and all', async () => {
        await stored(mode(0))
        using preparation = await here.prepare('s')
        const { session } = preparation
        const flush = live(session, 1)
        preparation[Symbol.dispose]()
        session.append('turn/start', { turn: 1 })
        const seen = await here.inspect('s')
        assert.deepEqual([seen.events.length, seen.closers], [2, []])
        session.append('step/start', { turn: 1, step: 1 })
        assert.equal(seen.events.length, 2, 'a snapshot does not grow')
        await flush()
        assert.equal((await there.readFrom('s', 0)).length, 3)
        assert.equal(await refusal(() => here.prepare('s')), 'SESSION_LIVE')
      })

      it('is loaded as soon as it is durable, and not while a turn is open', async () => {
        await stored(mode(0))
        using preparation = await here.prepare('s')
        const { session } = preparation
        live(session, 1)
        session.append('plan/mode', { active: false })
        assert.deepEqual((await here.load('s')).events, [...session.from()])
        assert.deepEqual(await there.readFrom('s', 0), [...session.from()])
        session.append('turn/start', { turn: 1 })
        assert.equal(await refusal(() => here.load('s')), 'SESSION_LIVE')
        assert.equal((await there.readFrom('s', 0)).length, 2, 'nothing was repaired')
      })

      it('is bound only where it is open for writing', async () => {
        await stored(mode(0))
        const preparation = await here.prepare('s')
        preparation[Symbol.dispose]()
        assert.throws(() => live(preparation.session, 1), { code: 'NOT_FOUND' })
      })

      it('is made durable when the persistence is disposed of', async () => {
        await stored(mode(0))
        const { session } = await here.prepare('s')
        live(session, 1)
        session.append('plan/mode', { active: false })
        await here.dispose()
        assert.equal((await there.inspect('s')).events.length, 2)
      })
    })

    describe('readRaw', () => {
      it('gives the text as it was written, or says that there is none to give', async () => {
        await stored(mode(0), mode(1))
        if (!there.supportsRawArtifacts) {
          return assert.equal(await refusal(() => there.readRaw('s')), 'UNSUPPORTED')
        }
        const raw = await there.readRaw('s')
        assert.equal(raw?.filename, 'session.jsonl')
        assert.deepEqual(raw.header, header())
        assert.ok(raw.content.endsWith('\n'))
        const lines = raw.content
          .trimEnd()
          .split('\n')
          .map(line => JSON.parse(line))
        assert.deepEqual(lines, [header(), mode(0), mode(1)])
        assert.equal(await there.readRaw('nowhere'), undefined)
      })
    })

    describe('listSnapshots', () => {
      const revisionOf = async (from: SessionPersistence) => {
        const [snapshot] = await from.listSnapshots()
        assert.ok(snapshot)
        assert.deepEqual(snapshot.header, header())
        return snapshot.revision
      }

      it('names a revision that stays while the log does, and changes with an append and a repair', async () => {
        await stored(started)
        const first = await revisionOf(there)
        assert.equal(await revisionOf(there), first)
        assert.equal(await revisionOf(here), first)
        await here.load('s')
        const repaired = await revisionOf(there)
        assert.notEqual(repaired, first)
        await here.append('s', [mode(2)])
        const appended = await revisionOf(there)
        assert.equal(new Set([first, repaired, appended]).size, 3)
      })

      it('is empty for a session without events', async () => {
        await here.create(header())
        assert.deepEqual(await here.listSnapshots(), [])
      })

      it('tells two stores of the same content apart', async () => {
        await stored(mode(0))
        const second = await make()
        const elsewhere = new PersistenceCoordinator(second.one)
        try {
          await elsewhere.create(header())
          await elsewhere.append('s', [mode(0)])
          assert.notEqual(await revisionOf(elsewhere), await revisionOf(here))
        } finally {
          await elsewhere.dispose()
          await second.dispose()
        }
      })
    })

    describe('a signal', () => {
      for (const [call, act] of Object.entries(observing)) {
        it(`stops ${call}, before and during it`, async () => {
          await stored(mode(0))
          const before = new Error('before')
          await assert.rejects(act(there, AbortSignal.abort(before)), before)
          const during = new Error('during')
          const controller = new AbortController()
          const work = act(there, controller.signal)
          controller.abort(during)
          await assert.rejects(work, during)
        })
      }

      it('that stops a preparation leaves the writer’s place free', async () => {
        await stored(mode(0))
        const controller = new AbortController()
        const work = there.prepare('s', controller.signal)
        controller.abort()
        await assert.rejects(work, { name: 'AbortError' })
        {
          using _ = await there.prepare('s')
        }
        await there.release('s')
        using _ = await here.prepare('s')
      })
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

    it('once disposed of, does nothing more', async () => {
      await stored(mode(0))
      await here.dispose()
      await here.dispose()
      assert.equal(await refusal(() => here.create(header('t'))), 'DISPOSED')
      assert.equal(await refusal(() => here.load('s')), 'DISPOSED')
      assert.equal(await refusal(() => here.inspect('s')), 'DISPOSED')
    })
  })
}

function listed({ events }: FollowedLog): (SessionEvent | undefined)[] {
  return Array.from({ length: events.length }, (_, seq) => events.at(seq))
}

function endOf(turn: number) {
  return { turn, reason: { kind: 'completed' as const } }
}
