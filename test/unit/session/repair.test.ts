import assert from 'node:assert/strict'
import type { SessionEvent } from '../../../src/session/events.ts'
import { interruptedClosers } from '../../../src/session/repair.ts'

type Draft = Pick<SessionEvent, 'type' | 'data'>

function log(...drafts: Draft[]): SessionEvent[] {
  return drafts.map((draft, seq) => ({ ...draft, seq, time: 100 + seq }) as SessionEvent)
}

const turn = (n: number): Draft => ({ type: 'turn/start', data: { turn: n } })
const turnEnd = (n: number): Draft => ({ type: 'turn/end', data: { turn: n, reason: { kind: 'completed' } } })
const step = (n: number): Draft => ({ type: 'step/start', data: { turn: 1, step: n } })
const stepEnd = (n: number): Draft => ({ type: 'step/end', data: { turn: 1, step: n } })
const asks = (stepNumber: number, ...ids: string[]): Draft => ({
  type: 'assistant/message',
  data: {
    turn: 1,
    step: stepNumber,
    message: {
      id: 'a',
      role: 'assistant',
      source: { kind: 'model', provider: 'p', model: 'm' },
      content: ids.map(id => ({ type: 'tool-call', id, name: 'look', arguments: '{}' })),
    },
  },
})
const calls = (callId: string): Draft => ({
  type: 'tool/call',
  data: { turn: 1, step: 1, callId, name: 'look', arguments: '{}' },
})
const answers = (callId: string): Draft => ({
  type: 'tool/result',
  data: {
    turn: 1,
    step: 1,
    message: {
      id: 'r',
      role: 'user',
      source: { kind: 'tool', callId },
      content: [{ type: 'tool-result', toolCallId: callId, content: [] }],
    },
  },
})

function brief(closers: readonly SessionEvent[]) {
  return closers.map(event => (event.type === 'tool/result' ? event.data.error?.code : event.type))
}

describe('interrupted logs', () => {
  it('owe nothing while no turn is open', () => {
    assert.deepEqual(interruptedClosers([]), [])
    assert.deepEqual(interruptedClosers(log({ type: 'plan/mode', data: { active: true } })), [])
    assert.deepEqual(interruptedClosers(log(turn(1), step(1), stepEnd(1), turnEnd(1))), [])
  })

  it('owe the end of the turn, and of the step when one is open', () => {
    assert.deepEqual(interruptedClosers(log(turn(1), turnEnd(1), turn(2))), [
      { type: 'turn/end', seq: 3, time: 102, data: { turn: 2, reason: { kind: 'interrupted' } } },
    ])
    assert.deepEqual(brief(interruptedClosers(log(turn(1), step(1), stepEnd(1)))), ['turn/end'])
    const [end] = interruptedClosers(log(turn(1), step(1), stepEnd(1), step(2)))
    assert.deepEqual(end, { type: 'step/end', seq: 4, time: 103, data: { turn: 1, step: 2 } })
  })

  it('owe a result for every unanswered call, in order of appearance, then the ends', () => {
    const events = log(turn(1), step(1), asks(1, 'x', 'y', 'z'), calls('x'), answers('x'), calls('y'))
    const closers = interruptedClosers(events)
    assert.deepEqual(brief(closers), ['TOOL_OUTCOME_UNKNOWN', 'TOOL_NOT_STARTED', 'step/end', 'turn/end'])
    assert.deepEqual(
      closers.map(({ seq, time }) => [seq, time]),
      [6, 7, 8, 9].map(seq => [seq, 105]),
    )
    const [unknown, unstarted] = closers
    assert.deepEqual(unknown?.sourceEventSeqs, [5])
    assert.ok(unstarted && !('sourceEventSeqs' in unstarted))
    assert.equal(unknown?.surfaceOp, 'append')
  })

  it('give a lost result the exact shape of the format', () => {
    const [closer] = interruptedClosers(log(turn(1), step(1), asks(1, 'q'), calls('q')))
    assert.ok(closer?.type === 'tool/result')
    const { message, error, turn: inTurn, step: inStep } = closer.data
    assert.deepEqual(
      { error, inTurn, inStep },
      {
        error: { name: 'ToolOutcomeUnknownError', code: 'TOOL_OUTCOME_UNKNOWN' },
        inTurn: 1,
        inStep: 1,
      },
    )
    const [block] = message.content
    assert.ok(block?.type === 'tool-result')
    assert.deepEqual(
      { ...message, content: [{ ...block, content: [] }] },
      {
        id: 'interrupted-tool-result-q-4',
        role: 'user',
        source: { kind: 'tool', callId: 'q' },
        content: [{ type: 'tool-result', toolCallId: 'q', isError: true, content: [] }],
      },
    )
    const [text] = block.content
    assert.match(text?.type === 'text' ? text.text : '', /^Error: .*may or may not have taken effect/)
  })

  it('forget calls at step and turn boundaries, and calls that no message announced', () => {
    assert.deepEqual(brief(interruptedClosers(log(turn(1), step(1), asks(1, 'x'), stepEnd(1), step(2)))), [
      'step/end',
      'turn/end',
    ])
    assert.deepEqual(brief(interruptedClosers(log(turn(1), step(1), asks(1, 'x'), turn(2)))), ['turn/end'])
    assert.deepEqual(brief(interruptedClosers(log(turn(1), step(1), calls('x')))), ['step/end', 'turn/end'])
  })

  it('name the step that announced the call', () => {
    const [closer] = interruptedClosers(log(turn(1), step(1), stepEnd(1), step(2), asks(2, 'x')))
    assert.ok(closer?.type === 'tool/result')
    assert.equal(closer.data.step, 2)
  })
})
