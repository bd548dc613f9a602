import assert from 'node:assert/strict'
import fc from 'fast-check'
import { PlanModeError } from '../../../src/session/errors.ts'
import type { EventData, SessionEvent } from '../../../src/session/events.ts'
import { newHeader } from '../../../src/session/header.ts'
import { newUserMessage } from '../../../src/session/messages.ts'
import { Session } from '../../../src/session/session.ts'
import { deriveMessages, replacementProblem, Surface, surface } from '../../../src/session/surface.ts'

const source = { kind: 'model' as const, provider: 'p', model: 'm' }

function session(): Session {
  return new Session(
    newHeader({ id: 's' }, () => 0),
    [],
    { now: () => 0 },
  )
}

function result(text: string, more: Partial<EventData<'tool/result'>> = {}): EventData<'tool/result'> {
  return {
    turn: 1,
    step: 1,
    message: {
      id: 'r',
      role: 'user',
      source: { kind: 'tool', callId: 'c' },
      content: [{ type: 'tool-result', toolCallId: 'c', content: [{ type: 'text', text }], isError: false }],
    },
    ...more,
  }
}

function assistant(text?: string): EventData<'assistant/message'> {
  const content = text === undefined ? [] : [{ type: 'text' as const, text }]
  return { turn: 1, step: 1, message: { id: 'a', role: 'assistant', content, source } }
}

describe('surface', () => {
  it('derives messages in order and leaves out assistant messages without content', () => {
    const log = session()
    const asked = log.append('user/message', newUserMessage('one'))
    log.append('turn/start', { turn: 1 })
    log.append('assistant/message', assistant())
    const answered = log.append('assistant/message', assistant('two'))
    const told = log.append('tool/result', result('three'))
    assert.deepEqual(deriveMessages(log), [asked.data, answered.data.message, told.data.message])
    assert.deepEqual([...log.state(surface)], [0, 2, 3, 4])
  })

  it('replaces positions, not numbers: a later summary may stand before smaller seqs', () => {
    const log = session()
    for (let i = 0; i < 5; i++) log.append('user/message', newUserMessage(String(i)))
    const over = (start: number, end: number, sourceEventSeqs: number[]) =>
      log.append('user/message', newUserMessage('sum'), { surfaceOp: { op: 'replace', start, end }, sourceEventSeqs })
    over(1, 2, [1, 2])
    assert.deepEqual([...log.state(surface)], [0, 5, 3, 4])
    over(5, 3, [5, 3])
    assert.deepEqual([...log.state(surface)], [0, 6, 4])
  })

  it('an append is told from no change, and earlier states stay as they were', () => {
    const log = session()
    const before = log.state(surface)
    log.append('turn/start', { turn: 1 })
    assert.equal(log.state(surface), before)
    log.append('user/message', newUserMessage('x'))
    assert.notEqual(log.state(surface), before)
    assert.deepEqual([...before], [])
  })

  it('appending twice to one state gives two surfaces', () => {
    const base = new Surface().append(1)
    const [left, right] = [base.append(2), base.append(3)]
    assert.deepEqual([[...base], [...left], [...right]], [[1], [1, 2], [1, 3]])
    assert.equal(base.at(1), undefined)
    assert.equal(base.replace(2, 2, 4), undefined, 'what another state appended is not on this one')
  })

  it('behaves as a plain list under any appends and replacements', () => {
    const move = fc.record({ replace: fc.boolean(), from: fc.nat(30), to: fc.nat(30) })
    fc.assert(
      fc.property(fc.array(move, { maxLength: 40 }), moves => {
        let state = new Surface()
        const plain: number[] = []
        for (const [seq, { replace, from, to }] of moves.entries()) {
          if (!replace || plain.length === 0) {
            state = state.append(seq)
            plain.push(seq)
          } else {
            const [a, b] = [from % plain.length, to % plain.length].sort((x, y) => x - y)
            const next = state.replace(plain[a ?? 0] ?? 0, plain[b ?? 0] ?? 0, seq)
            assert.ok(next)
            state = next
            plain.splice(a ?? 0, (b ?? 0) - (a ?? 0) + 1, seq)
          }
          assert.deepEqual([...state], plain)
        }
      }),
    )
  })

  it('appends without copying: a hundred thousand messages fold at once', () => {
    let state = new Surface()
    for (let seq = 0; seq < 100_000; seq++) state = state.append(seq)
    assert.equal(state.at(99_999), 99_999)
  })
})

describe('replacements', () => {
  const log: SessionEvent[] = [
    { type: 'user/message', seq: 0, time: 0, data: newUserMessage('a'), surfaceOp: 'append' },
    { type: 'tool/result', seq: 1, time: 0, data: result('long'), surfaceOp: 'append' },
    { type: 'user/message', seq: 2, time: 0, data: newUserMessage('b'), surfaceOp: 'append' },
  ]
  const state = log.reduce(surface.apply, surface.initial)
  const at = (seq: number) => log[seq] ?? assert.fail(`no event ${seq}`)
  const problemOf = (data: EventData<'tool/result'> | 'user', start: number, end: number, sourceEventSeqs: number[]) =>
    replacementProblem(
      state,
      {
        ...(data === 'user'
          ? { type: 'user/message', data: newUserMessage('s') }
          : { type: 'tool/result' as const, data }),
        seq: 3,
        time: 0,
        surfaceOp: { op: 'replace', start, end },
        sourceEventSeqs,
      } as SessionEvent,
      at,
    )

  it('hold when they name every node they replace', () => {
    assert.equal(problemOf('user', 0, 1, [0, 1]), undefined)
    assert.equal(problemOf(result('cut'), 1, 1, [1]), undefined)
  })

  it('are refused otherwise', () => {
    assert.match(problemOf('user', 0, 1, [0]) ?? '', /without naming/)
    assert.match(problemOf('user', 1, 0, [0, 1]) ?? '', /no range/)
    assert.match(problemOf('user', 0, 9, [0]) ?? '', /no range/)
    assert.match(problemOf(result('cut'), 0, 0, [0]) ?? '', /no tool result/)
    assert.match(problemOf(result('cut'), 0, 1, [0, 1]) ?? '', /one node/)
    assert.match(
      problemOf(result('cut', { error: { name: 'E', code: 'X' } }), 1, 1, [1]) ?? '',
      /more than its content/,
    )
    assert.match(problemOf(result('cut', { step: 2 }), 1, 1, [1]) ?? '', /more than its content/)
  })

  it('a session appends nothing that a reader would refuse', () => {
    const live = session()
    live.append('user/message', newUserMessage('a'))
    const refused = (act: () => unknown) =>
      assert.throws(act, error => error instanceof PlanModeError && error.code === 'INVALID_EVENT')
    refused(() => live.append('user/message', newUserMessage('b'), { surfaceOp: { op: 'replace', start: 0, end: 7 } }))
    refused(() => live.append('turn/start', { turn: 1 }, { sourceEventSeqs: [0] }))
    refused(() => live.append('user/message', newUserMessage('c'), { sourceEventSeqs: [5] }))
    const mixed = result('x')
    refused(() => live.append('tool/result', { ...mixed, message: { ...mixed.message, content: [] } }))
    assert.equal(live.length, 1)
  })
})
