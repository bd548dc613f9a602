import assert from 'node:assert/strict'
import { readFile, rm } from 'node:fs/promises'
import fc from 'fast-check'
import { PersistenceCoordinator } from '../../../../src/persistence/coordinator.ts'
import { JudgedRows } from '../../../../src/persistence/sqlite/judged-rows.ts'
import { type PlanState, planProjection } from '../../../../src/plan/projection.ts'
import type { SessionEvent } from '../../../../src/session/events.ts'
import { ProjectionRegistry } from '../../../../src/session/projection-registry.ts'
import type { Projection } from '../../../../src/session/projections.ts'
import type { Session } from '../../../../src/session/session.ts'
import { header, modes, useFolder } from '../scratch.ts'
import { backendAt, fileIn, store, tamper } from './database-file.ts'

const DROP = [
  'DROP TRIGGER event_changed',
  'DROP TRIGGER event_deleted',
  'DROP TABLE states',
  'PRAGMA user_version = 1',
]

describe('the state that is kept of a session', () => {
  const root = useFolder()

  async function byState(id = 's'): Promise<boolean> {
    const backend = backendAt(root())
    const { judged } = await backend.read(id)
    await backend.dispose()
    return judged instanceof JudgedRows
  }

  it('opens it with the same events, surface and brackets as reading it does', () =>
    fc.assert(
      fc.asyncProperty(fc.array(someEvent, { minLength: 1, maxLength: 40 }), async drafts => {
        const id = crypto.randomUUID()
        const events = drafts.map((draft, seq) => ({ ...draft, seq, time: seq }) as SessionEvent)
        const known = backendAt(root())
        const writer = await known.createWriter(header({ id }))
        await writer.append(events)
        await writer.release()
        const unknown = backendAt(root(), { keepFrom: Number.POSITIVE_INFINITY })
        const [one, other] = [await known.read(id), await unknown.read(id)]
        assert.ok(one.judged instanceof JudgedRows && other.judged !== undefined)
        assert.deepEqual(one.events, other.events)
        assert.deepEqual([...one.judged.surface], [...other.judged.surface])
        assert.equal(one.judged.turnOpen, other.judged.turnOpen)
        const types = new Set(['plan/mode', 'user/message'] as const)
        for (let seq = 0; seq <= events.length; seq++) {
          assert.deepEqual(one.judged.at(seq), other.judged.at(seq))
          assert.equal(one.judged.at(seq), one.judged.at(seq))
          assert.equal(one.judged.seek(types, seq), other.judged.seek(types, seq))
        }
        await known.dispose()
        await unknown.dispose()
      }),
      { numRuns: 25 },
    ))

  it('is not believed once anybody changed an event, or the session, without it', async () => {
    for (const sql of [
      `UPDATE events SET data = '{"active":true}' WHERE seq = 1`,
      'DELETE FROM events WHERE seq = 4',
      `INSERT INTO events VALUES ('s', 5, 'plan/mode', 5, '{"active":true}', NULL, NULL, NULL)`,
      'UPDATE sessions SET revision = revision + 1',
      `UPDATE sessions SET incarnation = 'another'`,
      `UPDATE states SET build = 'another'`,
      'UPDATE states SET turn_open = 2',
      `UPDATE states SET checkpoints = '['`,
      `UPDATE states SET checkpoints = '[{"key":"plan","version":3,"next":9,"state":null}]'`,
      `UPDATE states SET surface = x'01'`,
    ]) {
      await store(root())
      assert.equal(await byState(), true)
      tamper(root(), sql)
      assert.equal(await byState(), false, sql)
      await rm(fileIn(root()))
    }
  })

  it('goes with each append and comes again with the writer’s rest', async () => {
    await store(root())
    const backend = backendAt(root())
    const { writer } = await backend.openWriter('s')
    await writer.append(modes(5, 8))
    assert.equal(await byState(), false)
    await writer.release()
    assert.equal(await byState(), true)
    assert.equal((await backend.read('s')).events.length, 8)
    await backend.dispose()
  })

  it('holds projection states by key and version; others are folded anew', async () => {
    const counted: number[] = []
    const counting = (version: number): Projection<PlanState> => ({
      ...planProjection,
      version,
      apply(state, event) {
        counted.push(event.seq)
        return planProjection.apply(state, event)
      },
    })
    const openAnd = async (version: number) => {
      counted.length = 0
      const persistence = new PersistenceCoordinator(backendAt(root()))
      using preparation = await persistence.prepare('s')
      const { active } = preparation.session.state(counting(version))
      persistence.publish({ session: preparation.session, flush: async () => {} })
      await persistence.dispose()
      return { active, folded: counted.length }
    }
    const { version } = planProjection
    await store(root())
    assert.deepEqual(await openAnd(version), { active: true, folded: 5 })
    assert.deepEqual(await openAnd(version), { active: true, folded: 0 })
    assert.deepEqual(await openAnd(version + 1), { active: true, folded: 5 })
    assert.deepEqual(await openAnd(version + 1), { active: true, folded: 0 })
    assert.deepEqual(await openAnd(version - 1), { active: true, folded: 5 })
    tamper(root(), `UPDATE states SET checkpoints = replace(checkpoints, '"active"', '"activated"')`)
    assert.deepEqual(await openAnd(version - 1), { active: true, folded: 5 })
  })

  it('has the states that a composition wants, also those nobody asked for, from the one reading', async () => {
    await store(root(), modes(0, 50))
    tamper(root(), 'DELETE FROM states')
    let applied = 0
    const counting: Projection<PlanState> = {
      ...planProjection,
      apply(state, event) {
        applied++
        return planProjection.apply(state, event)
      },
    }
    const registry = new ProjectionRegistry()
    registry.register(counting)
    const openAnd = async (act: (session: Session) => void) => {
      const persistence = new PersistenceCoordinator(backendAt(root(), { projections: () => registry.all }))
      using preparation = await persistence.prepare('s')
      persistence.publish({ session: preparation.session, flush: async () => {} })
      act(preparation.session)
      await persistence.dispose()
    }
    await openAnd(() => {})
    assert.equal(applied, 50)
    await openAnd(session => session.state(counting))
    assert.equal(applied, 50)
  })

  it('lets events be read after the file is gone', async () => {
    await store(root(), modes(0, 3000))
    const backend = backendAt(root())
    const log = await backend.read('s')
    assert.ok(log.judged instanceof JudgedRows)
    // One look at a page each: as many turns as there are pages, and some.
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate)
    await rm(fileIn(root()))
    assert.deepEqual(log.events, modes(0, 3000))
    await backend.dispose()
  })

  it('lets events be read after the backend was disposed of, which waits for no loading', async () => {
    await store(root(), modes(0, 3000))
    const backend = backendAt(root())
    const log = await backend.read('s')
    await backend.dispose()
    assert.deepEqual(log.events, modes(0, 3000))
    await backend.dispose()
  })

  it('refuses an event that is another than when it was judged', async () => {
    await store(root(), modes(0, 600))
    const backend = backendAt(root())
    const { judged } = await backend.read('s')
    tamper(root(), `UPDATE events SET type = 'todo/write' WHERE seq IN (2, 599)`)
    assert.throws(() => judged?.at(599), { code: 'CORRUPT', message: /event 599/ })
    await backend.dispose()
  })
})

describe('a database of the version before', () => {
  const root = useFolder()

  beforeEach(async () => {
    await store(root())
    for (const sql of DROP) tamper(root(), sql)
  })

  it('is read as it is, and left so', async () => {
    const before = await readFile(fileIn(root()))
    const backend = backendAt(root())
    assert.deepEqual((await backend.read('s')).events, modes(0, 5))
    assert.equal((await backend.list()).sessions.length, 1)
    assert.equal(await backend.writable('s'), true)
    await backend.dispose()
    assert.deepEqual(await readFile(fileIn(root())), before)
  })

  it('is brought up by the first write, with all it holds', async () => {
    const backend = backendAt(root())
    const revision = await backend.revision('s')
    const { writer, log } = await backend.openWriter('s')
    assert.deepEqual(log.events, modes(0, 5))
    assert.equal(log.revision, revision)
    await writer.append(modes(5, 7))
    await writer.release()
    await backend.dispose()
    assert.deepEqual(Object.assign({}, tamper(root(), 'SELECT * FROM pragma_user_version')[0]), { user_version: 2 })
    const again = backendAt(root())
    const { events, judged } = await again.read('s')
    assert.deepEqual(events, modes(0, 7))
    assert.ok(judged instanceof JudgedRows)
    await again.dispose()
  })

  it('is refused when it is not exactly that', async () => {
    tamper(root(), 'CREATE TABLE more (x)')
    await assert.rejects(backendAt(root()).read('s'), { code: 'FORMAT_UNSUPPORTED' })
  })
})

const message = {
  role: 'user',
  content: [{ type: 'text', text: 'line\nbreak " \u001e \u2028 ü' }],
  source: { kind: 'user' },
}
const someEvent = fc.oneof(
  fc.boolean().map(active => ({ type: 'plan/mode', data: { active } })),
  fc.string().map(text => ({ type: 'acme/own "type"', data: { text }, ignorable: true })),
  fc.uuid().map(id => ({ type: 'user/message', data: { ...message, id }, surfaceOp: 'append' })),
  fc.constantFrom(
    { type: 'turn/start', data: { turn: 1 } },
    { type: 'turn/end', data: { turn: 1, reason: { kind: 'completed' } } },
    { type: 'feedback/record', data: null },
  ),
)
