import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { EventData, EventType } from '../../../src/session/events.ts'
import { newHeader } from '../../../src/session/header.ts'
import { newUserMessage } from '../../../src/session/messages.ts'
import { Session } from '../../../src/session/session.ts'
import { Transcript, type TranscriptChange } from '../../../src/vscode/transcript/transcript.ts'
import type { Item } from '../../../src/webview/transcript-messages.ts'

type Draft = { [T in EventType]: readonly [T, EventData<T>] }[EventType]

const at = { turn: 1, step: 1 }
const text = fc.constantFrom('', ' ', 'a', 'plan', '\n', 'two words')
const index = fc.nat(2)
const callId = fc.constantFrom('c1', 'c2', 'c3')
const reviewId = fc.constantFrom('r1', 'r2')
const source = { kind: 'model' as const, provider: 'p', model: 'm' }
const block = fc.oneof(
  text.map(value => ({ type: 'text' as const, text: value })),
  text.map(value => ({ type: 'reasoning' as const, text: value })),
  fc.record({
    type: fc.constant('tool-call' as const),
    id: callId,
    name: fc.constantFrom('read_file', 'exit_plan_mode'),
    arguments: fc.constant('{"plan":"# P"}'),
  }),
)

function draft<T extends EventType>(type: T, data: fc.Arbitrary<EventData<T>>): fc.Arbitrary<Draft> {
  return data.map(value => [type, value] as unknown as Draft)
}

const drafts = fc.array(
  fc.oneof(
    draft('turn/start', fc.constant({ turn: 1 })),
    draft('step/end', fc.constant(at)),
    draft(
      'turn/end',
      fc.constantFrom({ turn: 1, reason: { kind: 'completed' } }, { turn: 1, reason: { kind: 'interrupted' } }),
    ),
    draft(
      'user/message',
      text.map(value => ({ ...newUserMessage(value), id: 'm' })),
    ),
    {
      weight: 6,
      arbitrary: draft(
        'assistant/chunk',
        fc.record({
          turn: fc.constant(1),
          step: fc.constant(1),
          chunk: fc.oneof(
            fc.record({ type: fc.constant('text-delta' as const), index, text }),
            fc.record({ type: fc.constant('reasoning-delta' as const), index, text }),
            fc.record({ type: fc.constant('block-end' as const), index, block }),
          ),
        }),
      ),
    },
    draft(
      'assistant/message',
      fc
        .array(block, { maxLength: 4 })
        .map(content => ({ ...at, message: { id: 'm', role: 'assistant', content, source } })),
    ),
    draft(
      'tool/call',
      fc.record({
        turn: fc.constant(1),
        step: fc.constant(1),
        callId,
        name: fc.constantFrom('read_file', 'exit_plan_mode'),
        arguments: fc.constantFrom('{"plan":"# P"}', '{', '{"path":"a"}'),
      }),
    ),
    draft(
      'tool/result',
      fc.tuple(callId, fc.boolean()).map(([id, isError]) => ({
        ...at,
        message: {
          id: 'm',
          role: 'user',
          content: [{ type: 'tool-result', toolCallId: id, content: [], isError }],
          source: { kind: 'tool', callId: id },
        },
      })),
    ),
    draft('subagent/started', fc.record({ callId, childId: fc.constantFrom('k1', 'k2') })),
    draft('review/presented', fc.record({ reviewId, callId, planHash: fc.constant('h') })),
    draft(
      'review/decided',
      fc.record({ reviewId, decision: fc.constantFrom('approved', 'kept'), planHash: fc.constant('h') }),
    ),
    draft('plan/mode', fc.record({ active: fc.boolean() })),
    draft('approval/asked', fc.record({ id: callId, toolName: fc.constant('write_file') })),
    draft('approval/decided', fc.record({ id: callId, outcome: fc.constant('rejected') })),
    draft(
      'command/run',
      fc.record({ commandId: callId, name: fc.constant('plan'), source: fc.constant({ kind: 'user' }) }),
    ),
    draft('command/done', fc.record({ commandId: callId, kind: fc.constantFrom('success', 'error') })),
    draft(
      'llm/retry',
      fc.constant({
        retryId: 'r',
        ...at,
        provider: 'p',
        policyKey: 'k',
        retry: 1,
        mode: 'always',
        delayMs: 1,
        failure: { message: 'm', code: 'SERVER' },
      }),
    ),
  ),
  { maxLength: 60 },
)

/** What a page holds that was given the first entries and then every change. */
function replay(start: readonly Item[], changes: readonly TranscriptChange[]): readonly Item[] {
  const shown = new Map(start.map(item => [item.id, item]))
  for (const change of changes) {
    if (change.kind === 'upsert') for (const item of change.items) shown.set(item.id, item)
    else {
      const item = shown.get(change.id)
      assert.ok(item?.kind === 'assistant' || item?.kind === 'reasoning', 'a delta goes to a text that is shown')
      shown.set(item.id, { ...item, text: item.text + change.text })
    }
  }
  return [...shown.values()]
}

describe('Transcript: property', () => {
  it('gives the same entries event by event, at once, and to a page that follows the changes', () => {
    fc.assert(
      fc.property(drafts, fc.nat(60), (log, cut) => {
        const session = new Session(newHeader({ id: 's' }, () => 0))
        const add = ([type, data]: Draft) => void session.append(type, data as never)
        for (const event of log.slice(0, cut)) add(event)
        const followed = new Transcript(session)
        const start = [...followed.items]
        const changes: TranscriptChange[] = []
        followed.onChange(change => changes.push(change))
        for (const event of log.slice(cut)) add(event)
        const whole = new Transcript(session).items
        assert.deepEqual(followed.items, whole)
        assert.deepEqual(replay(start, changes), whole)
        assert.equal(new Set(whole.map(item => item.id)).size, whole.length)
      }),
    )
  })

  it('adds a delta to a long text without copying it', () => {
    const session = new Session(newHeader({ id: 's' }, () => 0))
    const chunk = (value: string) => ({ ...at, chunk: { type: 'text-delta' as const, index: 0, text: value } })
    session.append('assistant/chunk', chunk('x'.repeat(1_000_000)))
    const transcript = new Transcript(session)
    const deltas: TranscriptChange[] = []
    transcript.onChange(change => deltas.push(change))
    for (let i = 0; i < 1_000; i++) session.append('assistant/chunk', chunk('y'))
    assert.ok(deltas.length === 1_000 && deltas.every(change => change.kind === 'delta' && change.text === 'y'))
    const [item] = transcript.items
    assert.equal(item?.kind === 'assistant' && item.text.length, 1_001_000)
  })
})
