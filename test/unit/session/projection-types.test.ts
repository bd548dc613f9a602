import assert from 'node:assert/strict'
import fc from 'fast-check'
import { installPlanMode } from '../../../src/plan/plan-mode.ts'
import type { SessionEvent } from '../../../src/session/events.ts'
import { newHeader } from '../../../src/session/header.ts'
import type { Projection } from '../../../src/session/projections.ts'
import { Session } from '../../../src/session/session.ts'
import { surface } from '../../../src/session/surface.ts'
import { testRuntime } from '../../support/runtime.ts'

const header = newHeader({ id: 's' }, () => 0)
const id = fc.constantFrom('a', 'b')
const user = (text: string, source: object = { kind: 'user' }) => ({
  id: 'm',
  role: 'user',
  content: [{ type: 'text', text }],
  source,
})
const notice = { kind: 'plugin', plugin: 'plan-mode', form: 'notice', summary: 'x' }
const checkpoint = { kind: 'plugin', plugin: 'compact', compactionId: 'c' }
const model = { kind: 'model', provider: 'p', model: 'm' }
const counted = { inputTokens: 5, outputTokens: 3 }
const result = (callId: string, isError: boolean) => ({
  turn: 1,
  step: 1,
  message: {
    id: 'r',
    role: 'user',
    content: [{ type: 'tool-result', toolCallId: callId, content: [], isError }],
    source: { kind: 'tool', callId },
  },
})

const someEvent: fc.Arbitrary<readonly [string, unknown, object?]> = fc.oneof(
  fc.constantFrom<readonly [string, unknown, object?]>(
    ['turn/start', { turn: 1 }],
    ['turn/end', { turn: 1, reason: { kind: 'completed' } }],
    ['step/start', { turn: 1, step: 1 }],
    ['step/end', { turn: 1, step: 1 }],
    ['assistant/chunk', { turn: 1, step: 1, chunk: { type: 'text-delta', index: 0, text: 'x' } }],
    ['user/message', user('hello'), { surfaceOp: 'append' }],
    ['user/message', user('mode', notice), { surfaceOp: 'append' }],
    ['request/header', { reason: 'initial', header: { config: { provider: 'p', model: 'm' } } }],
    ['request/context', { provider: 'p', model: 'm', contextWindow: 5 }],
    ['session/title', { title: 'T', messageSeqs: [], source: { kind: 'user' } }],
    ['compaction/start', { compactionId: 'c', turn: null }],
    ['compaction/end', { compactionId: 'c', turn: null, error: 'no' }],
    ['session/end-seed', {}],
    ['user/message', user('S', checkpoint), { surfaceOp: { op: 'replace', start: 0, end: 0 }, sourceEventSeqs: [0] }],
    [
      'assistant/message',
      { turn: 1, step: 1, message: { id: 'a', role: 'assistant', content: [], source: model }, usage: counted },
      { surfaceOp: 'append' },
    ],
    ['acme/other', { active: true }, { ignorable: true }],
  ),
  fc.boolean().map(active => ['plan/mode', { active }] as const),
  fc.boolean().map(active => ['plan/selected', { active, by: 'user' }, { ignorable: true }] as const),
  id.map(commandId => ['command/run', { commandId, name: 'plan', args: ' off', source: { kind: 'user' } }] as const),
  fc
    .tuple(id, fc.constantFrom('success', 'error'))
    .map(([commandId, kind]) => ['command/done', { commandId, kind }] as const),
  fc.constantFrom('a', 'b').map(content => ['todo/write', { todos: [{ content, status: 'pending' }] }] as const),
  fc.constantFrom('ask', 'never').map(policy => ['approval/policy', { policy }] as const),
  id.map(callId => ['tool/call', { turn: 1, step: 1, callId, name: 'exit_plan_mode', arguments: '{}' }] as const),
  fc
    .tuple(id, fc.boolean())
    .map(([callId, failed]) => ['tool/result', result(callId, failed), { surfaceOp: 'append' }] as const),
  fc.tuple(id, id).map(([reviewId, callId]) => ['review/presented', { reviewId, callId, planHash: 'h' }] as const),
  fc
    .tuple(id, fc.constantFrom('kept', 'approved'))
    .map(([reviewId, decision]) => ['review/decided', { reviewId, decision, planHash: 'h' }] as const),
  id.map(subCallId => {
    const call = { rootCallId: 'r', parentCallId: 'r', subCallId, name: 'exit_plan_mode', arguments: { plan: '# P' } }
    return ['tool/code-dispatch-start', call] as const
  }),
  fc.string().map(text => {
    const message = { ...user(text), id: crypto.randomUUID() }
    return ['agent/inbox/spliced', { target: 'next-turn', start: 0, inserted: [message] }] as const
  }),
)

const runtime = testRuntime()
installPlanMode(runtime, () => ({ section: 'Plan.' }))
// Every projection of a composition, whatever its state.
const all = [surface, ...runtime.projections.all] as readonly Projection<unknown>[]

describe('the types a projection names', () => {
  it('are all it reacts to: its state is the same with and without them', () => {
    fc.assert(
      fc.property(fc.array(someEvent, { maxLength: 60 }), fc.nat(60), (drafts, pause) => {
        const events = drafts.map(
          ([type, data, more], seq) => ({ type, seq, time: seq, data, ...more }) as SessionEvent,
        )
        const session = new Session(header, structuredClone(events))
        const early = new Session(header, structuredClone(events.slice(0, pause)))
        for (const projection of all) {
          assert.ok(projection.types !== undefined, projection.key)
          const { types: _, ...plain } = projection
          const whole = structuredClone(events).reduce((state, event) => plain.apply(state, event), plain.initial)
          assert.deepEqual(shown(session.state(projection)), shown(whole), projection.key)
          const begun = structuredClone(events.slice(0, pause)).reduce(
            (s, event) => plain.apply(s, event),
            plain.initial,
          )
          assert.deepEqual(shown(early.state(projection)), shown(begun), projection.key)
        }
      }),
      { numRuns: 150 },
    )
  })

  it('are its own: every other event leaves the very same state', () => {
    fc.assert(
      fc.property(fc.array(someEvent, { minLength: 1, maxLength: 40 }), drafts => {
        const events = drafts.map(
          ([type, data, more], seq) => ({ type, seq, time: seq, data, ...more }) as SessionEvent,
        )
        for (const projection of all) {
          let state = projection.initial
          for (const event of events) {
            const next = projection.apply(state, event)
            if (projection.types?.includes(event.type) !== true)
              assert.ok(next === state, `${projection.key} ${event.type}`)
            state = next
          }
        }
      }),
      { numRuns: 100 },
    )
  })

  it('spare the fold every other event', () => {
    const types = ['plan/mode', 'assistant/chunk', 'turn/start', 'plan/mode']
    const events = types.map((type, seq) => ({ type, seq, time: 0, data: { active: true, turn: 1 } }) as SessionEvent)
    const seen: number[] = []
    const spy: Projection<null> = {
      key: 'spy',
      version: 1,
      initial: null,
      types: ['plan/mode'],
      apply: (_, event) => {
        seen.push(event.seq)
        return null
      },
    }
    const session = new Session(header, events)
    session.state(spy)
    assert.deepEqual(seen, [0, 3])
    session.append('plan/mode', { active: false })
    session.append('turn/start', { turn: 2 })
    session.state(spy)
    assert.deepEqual(seen, [0, 3, 4])
  })
})

/** A surface is compared by its nodes: how its list is shared is its own affair. */
function shown(state: unknown): unknown {
  return typeof state === 'object' && state !== null && Symbol.iterator in state
    ? [...(state as Iterable<unknown>)]
    : state
}
