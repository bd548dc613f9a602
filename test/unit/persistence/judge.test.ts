import assert from 'node:assert/strict'
import fc from 'fast-check'
import { encodings } from '../../../src/persistence/jsonl/encodings.ts'
import { JudgedLines } from '../../../src/persistence/jsonl/lines/judged-lines.ts'
import { HeldBytes } from '../../../src/persistence/jsonl/lines/log-text.ts'
import { encodeLines } from '../../../src/persistence/jsonl/packed-rows.ts'
import { plainlyFits } from '../../../src/persistence/reading/payload.ts'
import { interpret, recover } from '../../../src/persistence/reading/recovery.ts'
import type { SessionEvent } from '../../../src/session/events.ts'
import { type EventType, eventSchemas } from '../../../src/session/events.ts'
import { header } from './scratch.ts'

const chunk = (text: string) => ({ turn: 1, step: 1, chunk: { type: 'text-delta', index: 0, text } })
const user = { id: 'u', role: 'user', content: [{ type: 'text', text: 'x' }], source: { kind: 'user' } }
const failed = (id: string, extra: object = {}) => ({
  turn: 1,
  step: 1,
  message: {
    id,
    role: 'user',
    content: [{ type: 'tool-result', toolCallId: 'c', content: [], isError: true }],
    source: { kind: 'tool', callId: 'c' },
  },
  ...extra,
})

/** Sound, old, foreign and damaged events, so that each rule finds something to say. */
const someEvent: fc.Arbitrary<readonly [string, unknown, object?]> = fc.oneof(
  { weight: 8, arbitrary: fc.string().map(text => ['assistant/chunk', chunk(text)] as const) },
  {
    weight: 6,
    arbitrary: fc.constantFrom<readonly [string, unknown, object?]>(
      ['turn/start', { turn: 1 }],
      ['turn/end', { turn: 1, reason: { kind: 'completed' } }],
      ['step/start', { turn: 1, step: 1 }],
      ['user/message', user, { surfaceOp: 'append' }],
      ['tool/result', failed('r'), { surfaceOp: 'append' }],
      ['turn/start', { turn: 1, trigger: { kind: 'user' } }],
      ['turn/end', { turn: 1, reason: { kind: 'disposed' } }],
      ['user/message', { content: user.content, source: user.source }, { surfaceOp: 'append' }],
      ['tool/result', { turn: 1, step: 1, callId: 'c', content: [], isError: true }, { surfaceOp: 'append' }],
      ['acme/skipped', null, { ignorable: true }],
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<readonly [string, unknown, object?]>(
      ['acme/required', null],
      ['mode/set', {}],
      ['user/message', { ...user, id: '' }, { surfaceOp: 'append' }],
      ['user/message', user],
      ['turn/start', { turn: 'one' }],
      ['assistant/chunk', chunk('x'), { ignorable: 1 }],
      ['assistant/chunk', chunk('x'), { more: 1 }],
      ['plan/mode', 7],
      ['user/message', user, { surfaceOp: { op: 'replace', start: 3, end: 3 }, sourceEventSeqs: [3] }],
    ),
  },
)
const replacing = fc.tuple(fc.nat(12), fc.boolean()).map(([start, old]) => {
  const data = old ? { turn: 1, step: 1, callId: 'c', content: [], isError: true } : failed('r')
  const more = { surfaceOp: { op: 'replace', start, end: start }, sourceEventSeqs: [start] }
  return ['tool/result', data, more] as const
})
const someLog = fc
  .array(fc.oneof({ weight: 15, arbitrary: someEvent }, { weight: 2, arbitrary: replacing }), { maxLength: 30 })
  .map(drafts => drafts.map(([type, data, more], seq) => ({ type, seq, time: seq, data, ...more }) as SessionEvent))

function outcome<T>(act: () => T): T | string {
  try {
    return act()
  } catch (error) {
    return String(error)
  }
}

describe('judging a log while its lines are read', () => {
  for (const encoding of [encodings.none, encodings.zstd]) {
    it(`says the same as judging all its events (${encoding.name})`, async () => {
      const reached = { sound: 0, refused: 0 }
      const property = fc.asyncProperty(someLog, fc.integer({ min: 1, max: 9 }), async (events, size) => {
        const pieces = [Buffer.from(`${JSON.stringify(header())}\n`)]
        for (let at = 0; at < events.length; at += size) {
          pieces.push(Buffer.from(`${encodeLines(events.slice(at, at + size)).join('\n')}\n`))
        }
        const bytes = Buffer.from(await encoding.encode(pieces))
        const text = encoding.textOf(new HeldBytes(bytes), 'f')
        const sinkOf = () => new JudgedLines('f', 's', text, bytes.length)
        const { sink: judged } = await encoding.scan(bytes, 'f', sinkOf)
        const log = { file: 'f', header: header(), torn: false }
        const whole = () => ({ ...log, events: structuredClone(events) as never[] })
        const lines = { ...log, events: [], judged }
        assert.deepEqual([...judged.stored()], events)
        assert.deepEqual(
          outcome(() => interpret(lines)),
          outcome(() => interpret(whole())),
        )
        const [mine, theirs] = [lines, whole()].map(given =>
          outcome(() => {
            const { events: found, closers } = recover(given)
            return [closers, Array.from({ length: found.length }, (_, seq) => found.at(seq))]
          }),
        )
        assert.deepEqual(mine, theirs)
        reached[typeof mine === 'string' ? 'refused' : 'sound']++
      })
      await fc.assert(property, { numRuns: 300 })
      assert.ok(reached.sound > 30 && reached.refused > 30, JSON.stringify(reached))
    })
  }

  it('lets a payload pass by hand only where its schema does, but for keys it does not know', () => {
    const someValue = fc.oneof(
      fc.constantFrom<unknown>(1, 0, -1, 1.5, '1', '', null, undefined, {}, [], { kind: 'completed' }, { kind: 'x' }),
      fc.jsonValue(),
    )
    const keys = ['turn', 'step', 'callId', 'name', 'arguments', 'reason', 'more']
    const someData = fc.oneof(
      fc.dictionary(fc.constantFrom(...keys), someValue, { noNullPrototype: true }),
      fc.jsonValue(),
      fc.record({ turn: fc.nat(2), step: fc.nat(2), callId: fc.string(), name: fc.string(), arguments: fc.string() }),
      fc.record({ turn: fc.nat(2), reason: fc.constantFrom({ kind: 'completed' }, { kind: 'interrupted', more: 1 }) }),
    )
    const someType = fc.constantFrom<EventType>('turn/start', 'turn/end', 'step/start', 'step/end', 'tool/call')
    let passed = 0
    fc.assert(
      fc.property(someType, someData, (type, data) => {
        if (!plainlyFits(type, data)) return
        passed++
        const issues = eventSchemas[type].safeParse(data).error?.issues ?? []
        assert.deepEqual(
          issues.filter(({ code }) => code !== 'unrecognized_keys'),
          [],
        )
      }),
      { numRuns: 3000 },
    )
    assert.ok(passed > 200, `${passed}`)
  })
})
