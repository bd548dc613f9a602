import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import fc from 'fast-check'
import { PersistenceCoordinator } from '../../../src/persistence/coordinator.ts'
import { JsonlBackend } from '../../../src/persistence/jsonl/jsonl-backend.ts'
import type { SessionEvent } from '../../../src/session/events.ts'
import { header, useFolder } from './scratch.ts'

/** Two turns; the second asks for two tools. */
const drafts: Pick<SessionEvent, 'type' | 'data'>[] = [
  { type: 'turn/start', data: { turn: 1 } },
  { type: 'turn/end', data: { turn: 1, reason: { kind: 'completed' } } },
  { type: 'turn/start', data: { turn: 2 } },
  { type: 'step/start', data: { turn: 2, step: 1 } },
  ...[0, 1, 2, 3].map(k => ({
    type: 'assistant/chunk' as const,
    data: { turn: 2, step: 1, chunk: { type: 'text-delta' as const, index: 0, text: `é${k}` } },
  })),
  {
    type: 'assistant/message',
    data: {
      turn: 2,
      step: 1,
      message: {
        id: 'a',
        role: 'assistant',
        source: { kind: 'model', provider: 'p', model: 'm' },
        content: ['x', 'y'].map(id => ({ type: 'tool-call' as const, id, name: 'look', arguments: '{}' })),
      },
    },
  },
  { type: 'tool/call', data: { turn: 2, step: 1, callId: 'x', name: 'look', arguments: '{}' } },
  { type: 'step/end', data: { turn: 2, step: 1 } },
  { type: 'turn/end', data: { turn: 2, reason: { kind: 'completed' } } },
]
const events = drafts.map((draft, seq) => ({
  ...draft,
  seq,
  time: seq,
  ...(draft.type === 'assistant/message' ? { surfaceOp: 'append' } : {}),
})) as SessionEvent[]

describe('a log that is cut off anywhere', function () {
  this.timeout(60_000)
  const folder = useFolder()

  it('opens with the prefix that is whole, closed, and goes on behind it', async () => {
    const persistence = new PersistenceCoordinator(new JsonlBackend({ root: folder() }))
    await persistence.create(header())
    await persistence.append('s', events)
    await persistence.release('s')
    const file = persistence.locate(header()) ?? ''
    const whole = await readFile(file)
    const start = whole.indexOf(10) + 1
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: start, max: whole.length }), async size => {
        await writeFile(file, whole.subarray(0, size))
        const kept = await persistence.readFrom('s', 0)
        assert.deepEqual(kept, events.slice(0, kept.length))
        // Four chunks are one line, so they are kept or lost together.
        const lines = whole.subarray(start, size).toString().split('\n').length - 1
        assert.equal(kept.length, lines > 4 ? lines + 3 : lines)
        const loaded = await persistence.load('s')
        const open = kept.filter(({ type }) => type === 'turn/start').length
        const closed = kept.filter(({ type }) => type === 'turn/end').length
        assert.equal(loaded.closers.at(-1)?.type, open > closed ? 'turn/end' : undefined)
        const next = { type: 'plan/mode', seq: loaded.events.length, time: 0, data: { active: true } } as const
        await persistence.append('s', [next])
        await persistence.release('s')
        assert.deepEqual(await persistence.readFrom('s', 0), [...loaded.events, next])
      }),
      { numRuns: 60 },
    )
  })
})
