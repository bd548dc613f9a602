import assert from 'node:assert/strict'
import type { LockOptions, ProcessTable } from '../../../../src/persistence/lock-owner.ts'
import { SqliteBackend } from '../../../../src/persistence/sqlite/sqlite-backend.ts'
import { refusal } from '../../../contract/log-cases.ts'
import { ManualTimers } from '../manual-timers.ts'
import { header, modes, useFolder } from '../scratch.ts'
import { backendAt, store, tamper } from './database-file.ts'

function processes(self: Partial<ReturnType<ProcessTable['self']>>, look?: ProcessTable['look']): ProcessTable {
  return {
    self: () => ({ pid: 7, host: 'here', startTime: '1', ...self }),
    look: look ?? (() => ({ alive: true, startTime: '1' })),
  }
}

describe("a writer's place in the database", () => {
  const root = useFolder()
  const epochs = () => tamper(root(), 'SELECT epoch, released FROM writers').map(row => Object.values(row ?? {}))
  const at = (options: LockOptions) => backendAt(root(), { processes: processes({}), ...options })

  it('is held by one, says by whom, and keeps its epoch over a release', async () => {
    await store(root())
    for (let epoch = 2; epoch < 5; epoch++) {
      const backend = at({ processes: processes({ pid: 42, pidSpace: 'p' }), now: () => 9 })
      const { writer } = await backend.openWriter('s')
      const [row] = tamper(root(), 'SELECT * FROM writers')
      const { owner, ...rest } = Object.assign({ owner: '' }, row)
      assert.match(owner, /^[0-9a-f-]{36}$/)
      assert.deepEqual(rest, {
        ...{ session_id: 's', epoch, pid: 42, start_time: '1', host: 'here', pid_space: 'p' },
        ...{ claimed_at: 9, touched_at: 9, released: 0 },
      })
      assert.equal(await refusal(() => at({ processes: processes({ pidSpace: 'p' }) }).openWriter('s')), 'WRITER_BUSY')
      assert.equal(await at({ processes: processes({ pidSpace: 'p' }) }).writable('s'), false)
      await writer.release()
      assert.equal(await backend.writable('s'), true)
      assert.deepEqual(epochs(), [[epoch, 1]])
    }
  })

  it('is taken without asking when its owner is gone or another process has its pid', async () => {
    await store(root())
    await at({}).openWriter('s')
    await at({ processes: processes({ pid: 8 }, () => ({ alive: false })) }).openWriter('s')
    await at({ processes: processes({ pid: 9 }, () => ({ alive: true, startTime: '2' })) }).openWriter('s')
    assert.deepEqual(epochs(), [[4, 0]])
  })

  it('of an owner that cannot be looked at falls free after two silent minutes', async () => {
    await store(root())
    for (const elsewhere of [{ host: 'there' }, { pidSpace: 'another boot' }]) {
      const there = processes(elsewhere, () => assert.fail('its pid means nothing here'))
      await at({ processes: there, now: () => 1_000 }).openWriter('s')
      assert.equal(await refusal(() => at({ now: () => 120_000 }).openWriter('s')), 'WRITER_BUSY')
      const { writer } = await at({ now: () => 122_000 }).openWriter('s')
      await writer.release()
    }
  })

  it('is said to be alive every 15 seconds while it is held, and not after', async () => {
    await store(root())
    const timers = new ManualTimers()
    const backend = new SqliteBackend({ root: root(), timers, now: () => timers.now })
    const { writer } = await backend.openWriter('s')
    for (let beat = 1; beat <= 3; beat++) {
      timers.advance(15_000)
      while (timers.waiting === 0) await new Promise(setImmediate)
      assert.deepEqual(Object.assign({}, ...tamper(root(), 'SELECT touched_at FROM writers')), {
        touched_at: beat * 15_000,
      })
    }
    await writer.release()
    assert.equal(timers.waiting, 0)
    await backend.dispose()
  })

  it('is lost to a higher epoch, for good, and nothing more is written', async () => {
    await store(root())
    const backend = at({})
    const { writer } = await backend.openWriter('s')
    tamper(root(), 'UPDATE writers SET epoch = epoch + 1, owner = ?', 'another window')
    assert.equal(await refusal(() => writer.append(modes(5, 6))), 'WRITER_LOST')
    tamper(root(), 'UPDATE writers SET epoch = epoch - 1')
    assert.equal(await refusal(() => writer.append(modes(5, 6))), 'WRITER_LOST')
    await writer.release()
    assert.deepEqual(epochs(), [[2, 0]], 'nothing is given back that is not held')
    assert.equal((await backend.read('s')).events.length, 5)
  })

  it('that could not be given back counts as free here', async () => {
    await store(root())
    const backend = at({})
    const { writer } = await backend.openWriter('s')
    tamper(root(), 'PRAGMA user_version = 3')
    await writer.release()
    tamper(root(), 'PRAGMA user_version = 2')
    assert.equal(await at({}).writable('s'), false)
    assert.equal(await backend.writable('s'), true)
    await backend.openWriter('s')
  })

  it('is not needed for a session that was stored meanwhile', async () => {
    const backend = at({})
    const late = await backend.createWriter(header())
    assert.equal(await refusal(() => at({}).createWriter(header())), 'WRITER_BUSY')
    await late.release()
    await store(root())
    const later = await backend.createWriter(header())
    assert.equal(await refusal(() => later.append(modes(0, 9))), 'ALREADY_EXISTS')
    assert.deepEqual((await backend.read('s')).events, modes(0, 5))
    await later.release()
  })
})
