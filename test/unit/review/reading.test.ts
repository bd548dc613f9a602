import assert from 'node:assert/strict'
import { baseOf, type Revision } from '../../../src/review/revisions.ts'
import { Writing } from '../../../src/review/writing.ts'
import type { SessionEvent } from '../../../src/session/events.ts'
import type { Chunk } from '../../../src/session/messages.ts'

const revision = (number: number, state: Revision['state']): Revision => ({
  ...{ reviewId: `r${number}`, callId: `c${number}`, planHash: 'h', callSeq: number, textSeq: number },
  ...{ revision: number, at: 0, state, decidedSeq: undefined },
})

describe('the base that a revision is compared with', () => {
  it('is the last one a human decided, else the one before, and none for the first', () => {
    const all = [revision(1, 'kept'), revision(2, 'superseded'), revision(3, 'withdrawn'), revision(4, 'waiting')]
    assert.equal(baseOf(all, { revision: 4 })?.revision, 1)
    assert.equal(baseOf(all.slice(1), { revision: 4 })?.revision, 3)
    assert.equal(baseOf(all, { revision: 1 }), undefined)
  })
})

describe('the plan that is being written', () => {
  const event = (type: string, data: unknown): SessionEvent =>
    ({ type, data, seq: 0, time: 0 }) as unknown as SessionEvent
  const chunk = (value: Chunk): SessionEvent => event('assistant/chunk', { turn: 't', step: 's', chunk: value })
  const delta = (argumentsDelta: string, name?: string, index = 1): SessionEvent =>
    chunk({
      type: 'tool-call-delta',
      index,
      id: `call-${index}`,
      argumentsDelta,
      ...(name === undefined ? {} : { name }),
    })

  it('grows with the deltas of its own call, and ends with the message', () => {
    const writing = new Writing()
    assert.equal(writing.apply(delta('{"path":"a"}', 'read_file', 0)), false)
    writing.apply(delta('{"pl', 'exit_plan_mode'))
    writing.apply(delta('an":"# T'))
    writing.apply(chunk({ type: 'text-delta', index: 2, text: 'no' }))
    writing.apply(delta('{"plan":"x', undefined, 0))
    assert.equal(writing.text, '# T')
    writing.apply(delta('itle\\n'))
    assert.equal(writing.text, '# Title\n')
    assert.equal(writing.apply(event('assistant/message', {})), true)
    assert.equal(writing.text, undefined)
  })

  it('ends with a retry, a step and a turn, and begins anew', () => {
    for (const type of ['llm/retry', 'step/end', 'turn/end']) {
      const writing = new Writing()
      writing.apply(delta('{"plan":"one', 'exit_plan_mode'))
      writing.apply(event(type, {}))
      assert.equal(writing.text, undefined)
      writing.apply(delta('{"plan":"two', 'exit_plan_mode'))
      assert.equal(writing.text, 'two')
    }
  })
})
