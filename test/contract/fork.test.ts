import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { persistenceOf, type RootForm } from '../../src/persistence/root-form.ts'
import { SessionStore } from '../../src/persistence/store.ts'
import { planProjection } from '../../src/plan/projection.ts'
import type { Session } from '../../src/session/session.ts'
import { typesOf } from '../support/reading.ts'

const forms: readonly RootForm[] = [
  { backend: 'jsonl', compression: 'none' },
  { backend: 'jsonl', compression: 'zstd' },
  { backend: 'sqlite', compression: 'none' },
]

/** Three turns, the mode on after the second; seqs 0 to 1, 2 to 4, 5 to 6. */
function threeTurns(session: Session): void {
  for (const turn of [1, 2, 3]) {
    session.append('turn/start', { turn })
    session.append('turn/end', { turn, reason: { kind: 'completed' } })
    if (turn === 2) session.append('plan/mode', { active: true })
  }
}

for (const form of forms) {
  describe(`a conversation and its forks in ${form.backend}, ${form.compression}`, () => {
    let root: string
    let stores: SessionStore[]

    beforeEach(async () => {
      root = await mkdtemp(join(tmpdir(), 'plan-mode-fork-'))
      stores = []
    })
    afterEach(async () => {
      for (const store of stores) await store.dispose()
      await rm(root, { recursive: true, force: true })
    })

    /** A window of its own on the root. */
    function look(): SessionStore {
      const persistence = persistenceOf(root, form, { packChunks: true })
      const store = new SessionStore({ root, cwd: '/home/dev/demo', persistence, windowMs: 0, lockWaitMs: 0 })
      stores.push(store)
      return store
    }

    it('at each turn, are there after a restart, each with its past and its mark', async () => {
      const first = look()
      const { session, flush } = await first.create({ id: 'p' })
      threeTurns(session)
      await flush()
      const seeds = [2, 5, 7]
      for (const turn of [1, 2, 3]) await first.fork('p', { turn }, { id: `c${turn}` })
      await first.dispose()
      const again = look()
      for (const turn of [1, 2, 3]) {
        const child = (await again.open(`c${turn}`)).session
        const seed = seeds[turn - 1] ?? 0
        assert.deepEqual([child.header.parentSession, child.header.seedLength], ['p', seed])
        assert.equal(child.length, seed + 1, 'an untouched fork gets no second mark')
        assert.equal(child.at(seed).type, 'session/end-seed')
        assert.deepEqual([...child.from()].slice(0, seed), [...session.from()].slice(0, seed))
        assert.equal(child.state(planProjection).active, turn > 1)
      }
      assert.equal((await again.list()).sessions.length, 4)
    })

    it('go on apart from each other', async () => {
      const store = look()
      const { session } = await store.create({ id: 'p' })
      threeTurns(session)
      const child = await store.fork('p', { turn: 1 }, { id: 'c' })
      session.append('plan/mode', { active: false })
      child.session.append('plan/mode', { active: true })
      await store.dispose()
      const again = look()
      assert.deepEqual(typesOf((await again.open('c')).session), [
        'turn/start',
        'turn/end',
        'session/end-seed',
        'plan/mode',
        'session/end-seed',
      ])
      assert.equal((await again.open('p')).session.state(planProjection).active, false)
    })

    it('can be made of one that another window writes, while its last turn runs', async () => {
      const writer = look()
      const { session, flush } = await writer.create({ id: 'p' })
      threeTurns(session)
      session.append('turn/start', { turn: 4 })
      await flush()
      const reader = look()
      const read = await reader.open('p', { patient: false })
      assert.equal(read.readOnly?.code, 'WRITER_BUSY')
      const child = await reader.fork('p', { turn: 3 }, { id: 'c' })
      assert.equal(child.readOnly, undefined)
      assert.equal(child.session.header.seedLength, 7)
      await assert.rejects(reader.fork('p', { turn: 4 }), { code: 'OPEN_TURN' })
      session.append('turn/end', { turn: 4, reason: { kind: 'completed' } })
      await flush()
      assert.equal(read.readOnly?.code, 'WRITER_BUSY', 'the parent stays its writer’s')
    })

    it('end an empty past with one mark, as a resumed log without events does', async () => {
      const store = look()
      const { session, flush } = await store.create({ id: 'p' })
      threeTurns(session)
      await flush()
      await store.fork('p', { seq: 0 }, { id: 'c' })
      await store.dispose()
      const again = (await look().open('c')).session
      assert.deepEqual(typesOf(again), ['session/end-seed'])
      assert.equal(again.header.seedLength, 0)
    })
  })
}
