import assert from 'node:assert/strict'
import fc from 'fast-check'
import { z } from 'zod'
import { envelopeProblem, isForeign, messageProblem, type StoredEvent } from '../../../src/session/envelope.ts'
import { isSurfaceType, surfaceOp } from '../../../src/session/events.ts'

/** Session-log format section 3, said as a schema: what the hand-written check has to agree with. */
const seq = z.int().nonnegative()
const bare = z.strictObject({
  type: z.string().refine(type => !isSurfaceType(type)),
  seq,
  time: z.int(),
  data: z.json(),
  ignorable: z.literal(true).optional(),
})
const onSurface = bare
  .extend({
    type: z.enum(['user/message', 'assistant/message', 'tool/result']),
    surfaceOp,
    sourceEventSeqs: z.array(seq).optional(),
  })
  .refine(({ sourceEventSeqs = [], seq: own }) => sourceEventSeqs.every(source => source < own))
  .refine(({ sourceEventSeqs = [] }) => new Set(sourceEventSeqs).size === sourceEventSeqs.length)
  .refine(event => event.sourceEventSeqs?.length !== 0 || event.type === 'assistant/message')
const envelope = z.union([bare, onSurface])

/** Mostly right envelopes with one thing or another wrong. */
const someSeq = fc.oneof(
  fc.nat(12),
  fc.constantFrom<unknown>(-1, 1.5, '3', null, Number.MAX_SAFE_INTEGER + 1, Number.MAX_SAFE_INTEGER),
)
const someOp = fc.oneof(
  fc.constant<unknown>('append'),
  fc.record({ op: fc.constantFrom('replace', 'insert'), start: someSeq, end: someSeq }),
  fc.record({ op: fc.constant('replace'), start: fc.nat(5), end: fc.nat(5), more: fc.constant(1) }),
  fc.constantFrom<unknown>('replace', null, true),
)
const rightEvent = fc.record(
  { type: fc.constantFrom('turn/start', 'acme/x', ''), seq: fc.nat(20), time: fc.integer(), data: fc.jsonValue() },
  { requiredKeys: ['type', 'seq', 'time', 'data'] },
)
const rightSurfaceEvent = fc
  .record({
    type: fc.constantFrom('user/message', 'assistant/message', 'tool/result'),
    time: fc.integer(),
    data: fc.jsonValue(),
    surfaceOp: fc.constantFrom('append', { op: 'replace', start: 2, end: 1 }),
    sources: fc.option(fc.uniqueArray(fc.nat(8), { maxLength: 4 }), { nil: undefined }),
  })
  .map(({ sources, ...event }) => ({ ...event, seq: 9, ...(sources ? { sourceEventSeqs: sources } : {}) }))
const change = fc.record(
  {
    type: fc.constantFrom<unknown>('turn/start', 'user/message', 'assistant/message', 7),
    seq: someSeq,
    time: fc.constantFrom<unknown>(0.5, '1', null),
    surfaceOp: someOp,
    sourceEventSeqs: fc.array(someSeq, { maxLength: 4 }),
    ignorable: fc.constantFrom<unknown>(true, true, false, 1),
    extra: fc.constant(1),
  },
  { requiredKeys: [] },
)
/** Right in half of the cases; else with one key changed or added. */
const someEvent = fc
  .tuple(fc.oneof(rightEvent, rightSurfaceEvent), fc.boolean(), change, fc.nat(6))
  .map(([event, right, changes, which]) => {
    const [key, value] = Object.entries(changes)[which] ?? []
    return { ...event, ...(right || key === undefined ? {} : { [key]: value }) } as unknown as StoredEvent
  })

describe('envelope', () => {
  it('agrees with the schema on every line', () => {
    let [right, wrong] = [0, 0]
    fc.assert(
      fc.property(someEvent, event => {
        const fits = envelope.safeParse(event).success
        if (fits) right++
        else wrong++
        assert.equal(envelopeProblem(event) === undefined, fits, JSON.stringify(event))
      }),
      { numRuns: 3000 },
    )
    assert.ok(right > 300 && wrong > 300, `both sides were met (${right} right, ${wrong} wrong)`)
  })

  it('misses no required key', () => {
    const whole = { type: 'user/message', seq: 1, time: 1, data: null, surfaceOp: 'append' }
    assert.equal(envelopeProblem(whole), undefined)
    for (const key of Object.keys(whole)) {
      const { [key as 'seq']: _, ...rest } = whole
      assert.notEqual(envelopeProblem(rest as unknown as StoredEvent), undefined, key)
    }
  })

  it('tells events of other builds apart', () => {
    const event = (type: unknown, more = {}): StoredEvent => ({ type, seq: 0, time: 0, data: {}, ...more })
    assert.equal(isForeign(event('acme/note')), true)
    assert.equal(isForeign(event('acme/note', { ignorable: true })), false)
    assert.equal(isForeign(event('acme/note', { ignorable: false })), true)
    assert.equal(isForeign(event('plan/mode', { ignorable: true })), false)
    assert.equal(isForeign(event('toString')), true)
    assert.equal(isForeign(event(undefined)), true)
  })
})

describe('stored messages', () => {
  const user = { id: 'm', role: 'user', content: [], source: { kind: 'user' } }
  const model = { id: 'm', role: 'assistant', content: [], source: { kind: 'model', provider: 'p', model: 'm' } }
  const result = { type: 'tool-result', toolCallId: 'c', content: [] }
  const tool = { id: 'm', role: 'user', content: [result], source: { kind: 'tool', callId: 'c' } }
  const problem = (type: string, data: unknown) => messageProblem({ type, seq: 0, time: 0, data })

  it('passes today’s shapes, also with blocks and sources of other programs', () => {
    assert.equal(problem('user/message', { ...user, content: [{ type: 'hologram' }] }), undefined)
    assert.equal(problem('user/message', { ...user, source: { kind: 'coordinator' } }), undefined)
    assert.equal(problem('assistant/message', { turn: 1, step: 1, message: model }), undefined)
    assert.equal(problem('tool/result', { turn: 1, step: 1, message: tool }), undefined)
    assert.equal(problem('turn/start', null), undefined)
  })

  it('refuses every part that is missing or wrong', () => {
    const bad: [string, unknown][] = [
      ['user/message', null],
      ['user/message', { ...user, id: '' }],
      ['user/message', { ...user, role: 'assistant' }],
      ['user/message', { ...user, content: 'text' }],
      ['user/message', { ...user, content: [null] }],
      ['user/message', { ...user, source: {} }],
      ['assistant/message', model],
      ['assistant/message', { message: user }],
      ['assistant/message', { message: { ...model, source: { kind: 'user' } } }],
      ['assistant/message', { message: { ...model, source: { kind: 'model', provider: 'p', model: '' } } }],
      ['tool/result', { message: user }],
      ['tool/result', { message: { ...tool, source: { kind: 'tool', callId: '' } } }],
      ['tool/result', { message: { ...tool, content: [] } }],
      ['tool/result', { message: { ...tool, content: [result, result] } }],
      ['tool/result', { message: { ...tool, content: [{ ...result, content: 'x' }] } }],
      ['tool/result', { message: { ...tool, content: [{ ...result, toolCallId: 'other' }] } }],
    ]
    for (const [type, data] of bad) assert.notEqual(problem(type, data), undefined, `${type} ${JSON.stringify(data)}`)
  })
})
