import assert from 'node:assert/strict'
import type { SessionEvent } from '../../../src/session/events.ts'
import { newHeader } from '../../../src/session/header.ts'
import { Session } from '../../../src/session/session.ts'
import { turnBoundary } from '../../../src/session/turns.ts'

const mode = (seq: number): SessionEvent => ({ type: 'plan/mode', seq, time: seq, data: { active: true } })

describe('admitting what another process has stored', () => {
  const sealed = () => {
    const session = new Session(
      newHeader({ id: 's' }, () => 1),
      [mode(0)],
    )
    session.seal('Another window writes it.')
    return session
  }

  it('grows the log, its folds and its observers as an append does, and leaves it read-only', () => {
    const session = sealed()
    const seen: number[] = []
    using _observing = session.observe(({ seq }) => seen.push(seq))
    assert.equal(session.state(turnBoundary).turnOpen, false)
    session.admit([mode(1), { type: 'turn/start', seq: 2, time: 2, data: { turn: 1 } }])
    assert.deepEqual(
      [...session.from(1)].map(({ type }) => type),
      ['plan/mode', 'turn/start'],
    )
    assert.deepEqual([seen, session.length, session.state(turnBoundary).turnOpen], [[1, 2], 3, true])
    assert.ok(Object.isFrozen(session.at(2).data))
    assert.throws(() => session.append('plan/mode', { active: true }), { code: 'READ_ONLY' })
  })

  it('is refused where the session is written, and for what does not go on from it', () => {
    const own = new Session(
      newHeader({ id: 's' }, () => 1),
      [mode(0)],
    )
    assert.throws(() => own.admit([mode(1)]), { code: 'INVALID_EVENT', message: /written here/ })
    const session = sealed()
    assert.throws(() => session.admit([mode(0)]), { code: 'INVALID_EVENT' })
    assert.throws(() => session.admit([mode(1), mode(3)]), {
      code: 'INVALID_EVENT',
      message: /does not follow event 1/,
    })
    assert.equal(session.length, 2, 'what went before stands')
    const replaces: SessionEvent = {
      type: 'user/message',
      seq: 2,
      time: 2,
      data: { id: 'm', role: 'user', content: [], source: { kind: 'user' } },
      surfaceOp: { op: 'replace', start: 0, end: 1 },
    }
    assert.throws(() => session.admit([replaces]), { code: 'INVALID_EVENT' })
  })
})
