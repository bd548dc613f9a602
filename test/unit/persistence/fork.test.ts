import assert from 'node:assert/strict'
import { PersistenceCoordinator } from '../../../src/persistence/coordinator.ts'
import { SessionStore } from '../../../src/persistence/store.ts'
import type { Session } from '../../../src/session/session.ts'
import { MemoryBackend } from '../../support/memory-backend.ts'

/** Two turns with something said between and after them: seqs 0 to 2, 3, 4 to 6, 7. */
function twoTurns(session: Session): void {
  for (const turn of [1, 2]) {
    session.append('turn/start', { turn })
    session.append('step/start', { turn, step: 1 })
    session.append('turn/end', { turn, reason: { kind: 'completed' } })
    session.append('plan/mode', { active: turn === 1 })
  }
}

describe('forking', () => {
  let persistence: PersistenceCoordinator
  let store: SessionStore
  let now = 100

  beforeEach(() => {
    persistence = new PersistenceCoordinator(new MemoryBackend(), { now: () => now })
    store = new SessionStore({ root: '/nowhere', cwd: '/home/dev/demo', persistence, now: () => now })
  })
  afterEach(() => store.dispose())

  async function parent(): Promise<Session> {
    const { session, flush } = await store.create({ id: 'p', cwd: '/home/dev/other', agentPreset: 'scout' })
    twoTurns(session)
    await flush()
    return session
  }

  it('makes a child that begins with a verbatim copy, ends it with one mark, and is durable', async () => {
    const original = await parent()
    now = 200
    const { session } = await store.fork('p', { turn: 1 }, { id: 'c' })
    assert.deepEqual(session.header, {
      type: 'session',
      version: 0,
      id: 'c',
      createdAt: 200,
      cwd: '/home/dev/other',
      parentSession: 'p',
      seedLength: 4,
      delegationDepth: 0,
      agentPreset: 'scout',
    })
    assert.deepEqual([...session.from()].slice(0, 4), [...original.from()].slice(0, 4))
    assert.deepEqual(session.at(4), { type: 'session/end-seed', seq: 4, time: 200, data: {} })
    assert.deepEqual(await persistence.readFrom('c', 0), [...session.from()])
    assert.equal(original.length, 8, 'the parent is as it was')
  })

  it('takes what stands alone behind the turn, up to the next one or the end', async () => {
    await parent()
    const lengths = []
    for (const turn of [1, 2]) lengths.push((await store.fork('p', { turn })).session.header.seedLength)
    lengths.push((await store.fork('p')).session.header.seedLength)
    assert.deepEqual(lengths, [4, 8, 8])
  })

  it('at a seq takes exactly the events before it', async () => {
    await parent()
    for (const seq of [0, 3, 4, 7, 8]) {
      const { session } = await store.fork('p', { seq })
      assert.equal(session.header.seedLength, seq)
      assert.equal(session.length, seq + 1, 'an empty past is ended by the mark, too')
    }
  })

  it('does not end a past that is ended already', async () => {
    const { session } = await store.create({ id: 'p' })
    session.append('plan/mode', { active: true })
    session.append('session/end-seed', {})
    const child = await store.fork('p')
    assert.deepEqual([child.session.length, child.session.header.seedLength], [2, 2])
  })

  it('goes from what is stored as well, closed in memory, and leaves it alone', async () => {
    const open = await store.create({ id: 'p' })
    open.session.append('turn/start', { turn: 1 })
    await open.dispose()
    const child = await store.fork('p')
    assert.deepEqual(
      [...child.session.from()].map(({ type }) => type),
      ['turn/start', 'turn/end', 'session/end-seed'],
    )
    assert.equal((await persistence.readFrom('p', 0)).length, 1)
  })

  it('goes from the open session itself', async () => {
    const session = await parent()
    assert.equal((await store.fork(session, { turn: 2 })).session.header.parentSession, 'p')
  })

  it('keeps what it is given, but for its descent', async () => {
    await parent()
    const { session } = await store.fork('p', undefined, { createdAt: 5, agentPreset: 'q', parentSession: 'x' })
    const { createdAt, agentPreset, parentSession } = session.header
    assert.deepEqual([createdAt, agentPreset, parentSession], [5, 'q', 'p'])
  })

  it('of a subagent’s session is at its depth, and a session like any other', async () => {
    const { session } = await store.create({ id: 'k', origin: 'subagent', delegationDepth: 2 })
    twoTurns(session)
    const { header } = (await store.fork('k')).session
    assert.deepEqual([header.origin, header.delegationDepth], [undefined, 2])
  })

  it('comes back after a restart and can be forked again', async () => {
    await parent()
    const first = await store.fork('p', { turn: 1 }, { id: 'c' })
    twoTurns(first.session)
    await first.dispose()
    const again = await store.open('c')
    assert.equal(again.session.header.seedLength, 4)
    assert.equal((await store.fork('c', undefined)).session.header.parentSession, 'c')
  })

  describe('is refused', () => {
    const cases: [string, () => Promise<unknown>][] = [
      ['SESSION_NOT_FOUND', () => store.fork('nowhere')],
      ['SESSION_ALREADY_EXISTS', () => store.fork('p', undefined, { id: 'p' })],
      ['INVALID_BOUNDARY', () => store.fork('p', { turn: 3 })],
      ['INVALID_BOUNDARY', () => store.fork('p', { turn: 0 })],
      ['INVALID_BOUNDARY', () => store.fork('p', { seq: 9 })],
      ['INVALID_BOUNDARY', () => store.fork('p', { seq: -1 })],
      ['INVALID_BOUNDARY', () => store.fork('p', { seq: 1.5 })],
      ['OPEN_TURN', () => store.fork('p', { seq: 1 })],
      ['OPEN_TURN', () => store.fork('p', { seq: 6 })],
    ]
    for (const [code, act] of cases) {
      it(`with ${code}: ${act.toString().slice(6)}`, async () => {
        await parent()
        await assert.rejects(act, { code })
        assert.equal((await store.list()).sessions.length, 1)
      })
    }

    it('with OPEN_TURN while the turn runs, at it and behind it', async () => {
      const session = await parent()
      session.append('turn/start', { turn: 3 })
      await assert.rejects(store.fork('p', { turn: 3 }), { code: 'OPEN_TURN' })
      await assert.rejects(store.fork('p'), { code: 'OPEN_TURN' })
      assert.equal((await store.fork('p', { turn: 2 })).session.header.seedLength, 8)
    })

    it('with OPEN_TURN at a turn that never ended, though another followed', async () => {
      const { session } = await store.create({ id: 'p' })
      session.append('turn/start', { turn: 1 })
      session.append('turn/start', { turn: 2 })
      session.append('turn/end', { turn: 2, reason: { kind: 'completed' } })
      await assert.rejects(store.fork('p', { turn: 1 }), { code: 'OPEN_TURN' })
    })

    it('with SESSION_NOT_LIVE for a session that is not the open one', async () => {
      const open = await store.create({ id: 'p' })
      twoTurns(open.session)
      await open.dispose()
      await assert.rejects(store.fork(open.session), { code: 'SESSION_NOT_LIVE' })
      await store.open('p')
      await assert.rejects(store.fork(open.session), { code: 'SESSION_NOT_LIVE' })
    })

    it('with SESSION_ALREADY_EXISTS when the id is stored but not open', async () => {
      const other = await store.create({ id: 'c' })
      twoTurns(other.session)
      await other.dispose()
      await parent()
      await assert.rejects(store.fork('p', undefined, { id: 'c' }), { code: 'SESSION_ALREADY_EXISTS' })
    })
  })
})
