import assert from 'node:assert/strict'
import fc from 'fast-check'
import { EventScan } from '../../../src/persistence/jsonl/event-scan.ts'
import { encodeLines, expandRow } from '../../../src/persistence/jsonl/packed-rows.ts'
import type { SessionEvent } from '../../../src/session/events.ts'
import { mode } from './scratch.ts'

function readBack(lines: readonly string[]): readonly unknown[] {
  const scan = new EventScan('a.jsonl')
  scan.feed(Buffer.from(`${lines.join('\n')}\n`))
  return scan.events
}

function delta(seq: number, time: number, chunk: object, turn = 3, step = 2): SessionEvent {
  return { type: 'assistant/chunk', seq, time, data: { turn, step, chunk } } as unknown as SessionEvent
}

/** Few values, so that neighbours often belong together. */
const someChunk = fc.oneof(
  fc.record({ type: fc.constantFrom('text-delta', 'reasoning-delta'), index: fc.nat(1), text: fc.string() }),
  fc.record(
    {
      type: fc.constant('tool-call-delta'),
      index: fc.nat(1),
      id: fc.constantFrom('a', 'b'),
      name: fc.constantFrom('peek', 'mend'),
      argumentsDelta: fc.string(),
    },
    { requiredKeys: ['type', 'index', 'id', 'argumentsDelta'] },
  ),
  fc.constant({ type: 'finish', reason: { kind: 'stop' } }),
)
const someTime = fc.oneof(
  { weight: 9, arbitrary: fc.integer({ min: -5, max: 5_000 }) },
  { weight: 1, arbitrary: fc.constantFrom(Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER) },
)
const someRun = fc.tuple(someChunk, fc.array(fc.tuple(someTime, fc.string()), { minLength: 1, maxLength: 6 }))
const someStream = fc
  .array(fc.tuple(someRun, fc.integer({ min: 1, max: 2 }), fc.boolean()), { maxLength: 8 })
  .map(runs => {
    const events: SessionEvent[] = []
    for (const [[chunk, members], turn, ignorable] of runs) {
      for (const [time, text] of members) {
        const said = 'text' in chunk ? { text } : 'argumentsDelta' in chunk ? { argumentsDelta: text } : {}
        const event = delta(events.length, time, { ...chunk, ...said }, turn, 1)
        events.push(ignorable && text.length > 8 ? { ...event, ignorable: true } : event)
      }
    }
    return events
  })

describe('packed rows', () => {
  it('gives the lines of the format’s own example', () => {
    const events = [
      delta(40, 5000, { type: 'text-delta', index: 1, text: 'Ha' }),
      delta(41, 5004, { type: 'text-delta', index: 1, text: 'llo' }),
      delta(42, 4990, { type: 'text-delta', index: 1, text: '' }),
      delta(43, 4991, { type: 'tool-call-delta', index: 2, id: 'c9', name: 'peek', argumentsDelta: '{' }),
      delta(44, 4992, { type: 'tool-call-delta', index: 2, id: 'c9', argumentsDelta: '"p"' }),
      delta(45, 4992, { type: 'tool-call-delta', index: 2, id: 'c9', argumentsDelta: ':1' }),
      delta(46, 4999, { type: 'tool-call-delta', index: 2, id: 'c9', argumentsDelta: '}' }),
    ]
    assert.deepEqual(
      encodeLines(events).map(line => JSON.parse(line)),
      [
        {
          type: 'text-chunks',
          seq0: 40,
          time0: 5000,
          data: { turn: 3, step: 2, index: 1, dt: [4, -14], texts: ['Ha', 'llo', ''] },
        },
        events[3],
        {
          type: 'tool-call-chunks',
          seq0: 44,
          time0: 4992,
          data: { turn: 3, step: 2, index: 2, dt: [0, 7], id: 'c9', args: ['"p"', ':1', '}'] },
        },
      ],
    )
  })

  it('read back to the same events, whatever the stream', () => {
    let packed = 0
    fc.assert(
      fc.property(someStream, events => {
        const lines = encodeLines(events)
        packed += events.length - lines.length
        assert.deepEqual(readBack(lines), events)
      }),
      { numRuns: 400 },
    )
    assert.ok(packed > 200, `runs were met (${packed})`)
  })

  it('hold every run of three that fits, and none of two', () => {
    const run = (length: number) =>
      Array.from({ length }, (_, k) => delta(k, k, { type: 'text-delta', index: 0, text: 'x' }))
    assert.equal(encodeLines(run(2)).length, 2)
    assert.equal(encodeLines(run(3)).length, 1)
    assert.equal(encodeLines([...run(3), mode(3)]).length, 2)
  })

  it('leave strange payloads of other writers one per line', () => {
    const strange = [
      { type: 'text-delta', index: 0, text: 5 },
      { type: 'text-delta', index: '0', text: 'x' },
      { type: 'text-delta', index: 0, text: 'x', more: 1 },
      { type: 'tool-call-delta', index: 0, argumentsDelta: 'x' },
      { type: 'tool-call-delta', index: 0, id: 'c', name: null, argumentsDelta: 'x' },
      { type: 'unheard-of', index: 0, text: 'x' },
    ]
    for (const chunk of strange) {
      const events = [0, 1, 2].map(seq => delta(seq, seq, chunk))
      assert.equal(encodeLines(events).length, 3, JSON.stringify(chunk))
      assert.deepEqual(readBack(encodeLines(events)), events)
    }
  })

  describe('on read', () => {
    const text = {
      type: 'text-chunks',
      seq0: 0,
      time0: 5,
      data: { turn: 1, step: 1, index: 0, dt: [1], texts: ['a', 'b'] },
    }
    const call = {
      type: 'tool-call-chunks',
      seq0: 0,
      time0: 5,
      data: { turn: 1, step: 1, index: 0, id: 'c', name: 'n', dt: [], args: ['x'] },
    }

    it('may have one or two members, and a name on every member', () => {
      assert.equal(expandRow(text)?.length, 2)
      assert.deepEqual(expandRow(call), [
        delta(0, 5, { type: 'tool-call-delta', index: 0, id: 'c', name: 'n', argumentsDelta: 'x' }, 1, 1),
      ])
    })

    it('are refused for any broken rule', () => {
      const withData = (row: typeof text | typeof call, data: object) => ({ ...row, data: { ...row.data, ...data } })
      const bad = [
        { ...text, more: 1 },
        { ...text, seq0: -1 },
        { ...text, seq0: Number.MAX_SAFE_INTEGER },
        { ...text, time0: 0.5 },
        { ...text, data: null },
        withData(text, { dt: [] }),
        withData(text, { dt: ['1'] }),
        withData(text, { dt: [Number.MAX_SAFE_INTEGER] }),
        withData(text, { dt: [], texts: [] }),
        withData(text, { texts: ['a', 1] }),
        withData(text, { more: 1 }),
        withData(text, { turn: '1' }),
        withData(text, { id: 'c' }),
        withData(call, { id: 1 }),
        withData(call, { name: null }),
        withData(call, { texts: ['x'] }),
      ]
      for (const row of bad) assert.equal(expandRow(row), undefined, JSON.stringify(row))
    })
  })
})
