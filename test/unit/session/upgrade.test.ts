import assert from 'node:assert/strict'
import { messageProblem, type StoredEvent } from '../../../src/session/envelope.ts'
import { PlanModeError } from '../../../src/session/errors.ts'
import { Upgrade } from '../../../src/session/upgrade.ts'

function event(type: string, data: unknown, more: object = {}): StoredEvent {
  return { type, seq: 7, time: 0, data, ...more }
}

function upgraded(given: StoredEvent): StoredEvent {
  return new Upgrade('s').apply(given)
}

function refused(given: StoredEvent): void {
  assert.throws(
    () => upgraded(given),
    error => error instanceof PlanModeError && error.code === 'RETIRED',
  )
}

describe('older shapes of version 0', () => {
  it('leave today’s events as they are, the same object', () => {
    for (const given of [
      event('turn/start', { turn: 1 }),
      event('turn/end', { turn: 1, reason: { kind: 'aborted', reason: { kind: 'user' } } }),
      event('turn/end', { turn: 1, reason: { kind: 'error', error: { message: 'm', code: 'c' } } }),
      event('turn/end', { turn: 1, reason: { kind: 'of-another-program', more: 1 } }),
      event('user/message', { id: 'm', role: 'user', content: [], source: { kind: 'user' } }),
      event('plan/mode', null),
      event('request/header', { reason: 'change' }),
    ]) {
      assert.equal(upgraded(given), given)
    }
  })

  it('lose the trigger of a turn', () => {
    assert.deepEqual(upgraded(event('turn/start', { turn: 2, trigger: { kind: 'prompt', by: 1 } })).data, { turn: 2 })
    refused(event('turn/start', { turn: 2, trigger: { kind: '' } }))
    refused(event('turn/start', { turn: 0, trigger: { kind: 'prompt' } }))
    refused(event('turn/start', { turn: 1, trigger: { kind: 'prompt' }, more: 1 }))
  })

  it('get today’s reasons of a turn end', () => {
    const reason = (given: object) => upgraded(event('turn/end', { turn: 1, reason: given })).data
    const today = (given: object) => ({ turn: 1, reason: given })
    assert.deepEqual(reason({ kind: 'disposed' }), today({ kind: 'aborted', reason: { kind: 'disposed' } }))
    assert.deepEqual(reason({ kind: 'aborted' }), today({ kind: 'aborted', reason: { kind: 'legacy' } }))
    assert.deepEqual(
      reason({ kind: 'error', step: 1, failure: { message: 'm', code: 'c', status: 500 } }),
      today({ kind: 'error', error: { message: 'm', code: 'c', status: 500 } }),
    )
    assert.deepEqual(
      reason({ kind: 'error', step: 1, message: 'm' }),
      today({ kind: 'error', error: { message: 'm', code: 'UNKNOWN' } }),
    )
    assert.deepEqual(
      reason({ kind: 'error', step: 1, message: 'm', code: 'c' }),
      today({ kind: 'error', error: { message: 'm', code: 'c' } }),
    )
    for (const bad of [
      { kind: 'completed', more: 1 },
      { kind: 'disposed', more: 1 },
      { kind: 'aborted', more: 1 },
      { kind: 'error', message: 'm' },
      { kind: 'error', step: 1 },
      { kind: 'error', step: 1, message: 'm', code: 3 },
      { kind: 'error', step: 1, failure: { message: 'm', code: 'c', more: 1 } },
      {},
    ]) {
      refused(event('turn/end', { turn: 1, reason: bad }))
    }
  })

  it('become messages with an identity', () => {
    const content = [{ type: 'text', text: 'x' }]
    const id = 'legacy-message:s:7'
    const source = { kind: 'user' }
    assert.deepEqual(upgraded(event('user/message', { content, source })).data, { content, source, id, role: 'user' })
    assert.deepEqual(
      upgraded(
        event('assistant/message', { turn: 1, step: 2, content, provenance: { provider: 'p', model: 'm' }, usage: {} }),
      ).data,
      {
        turn: 1,
        step: 2,
        usage: {},
        message: { id, role: 'assistant', content, source: { provider: 'p', model: 'm', kind: 'model' } },
      },
    )
    const result = upgraded(event('tool/result', { turn: 1, step: 2, callId: 'c', content, isError: true, meta: 1 }))
    assert.equal(messageProblem(result), undefined)
    assert.deepEqual(result.data, {
      turn: 1,
      step: 2,
      meta: 1,
      message: {
        id,
        role: 'user',
        source: { kind: 'tool', callId: 'c' },
        content: [{ type: 'tool-result', toolCallId: 'c', content, isError: true }],
      },
    })
  })

  it('let a replacing tool result keep the identity of what it replaces', () => {
    const upgrade = new Upgrade('s')
    const old = { turn: 1, step: 1, callId: 'c', content: [], isError: false }
    upgrade.apply({ type: 'tool/result', seq: 3, time: 0, data: old, surfaceOp: 'append' })
    const op = { op: 'replace', start: 3, end: 3 }
    const { data } = upgrade.apply({ type: 'tool/result', seq: 4, time: 0, data: old, surfaceOp: op })
    assert.equal((data as { message: { id: string } }).message.id, 'legacy-message:s:3')
  })

  it('turn steering messages into user messages', () => {
    const message = { id: 'm', role: 'user', content: [], source: { kind: 'user' } }
    assert.deepEqual(upgraded(event('steering/message', { turn: 1, message })), event('user/message', message))
    const { type, data } = upgraded(event('steering/message', { turn: 1, content: [], source: { kind: 'user' } }))
    assert.equal(type, 'user/message')
    assert.deepEqual(data, { content: [], source: { kind: 'user' }, id: 'legacy-message:s:7', role: 'user' })
    refused(event('steering/message', { turn: 1, message, more: 1 }))
    refused(event('steering/message', { message }))
  })

  it('are refused where no reader takes them any more', () => {
    refused(event('request/header-delta', {}))
    refused(event('mode/set', {}))
    refused(event('request/header', { reason: 'fallback' }))
  })
})
