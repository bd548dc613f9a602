import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import type { PersistenceBackend } from '../../../../src/persistence/backend.ts'
import { PersistenceCoordinator } from '../../../../src/persistence/coordinator.ts'
import { JsonlBackend } from '../../../../src/persistence/jsonl/jsonl-backend.ts'
import type { SessionEvent } from '../../../../src/session/events.ts'
import { newHeader } from '../../../../src/session/header.ts'
import { MemoryBackend } from '../../../support/memory-backend.ts'
import { backendAt } from './database-file.ts'

const someText = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\ud800', '\u0000', '__proto__', '"\\\n'))
const someData = fc.jsonValue({ stringUnit: 'binary' })
const someSeqs = fc.array(fc.nat(9), { maxLength: 4 })
const someEvent = fc.record(
  {
    type: fc.oneof(fc.constantFrom('plan/mode', 'assistant/chunk', 'turn/end', 'user/message'), someText),
    time: fc.oneof(fc.integer(), fc.constantFrom(Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER)),
    data: fc.oneof(someData, chunkData()),
    surfaceOp: fc.oneof(
      fc.constant('append'),
      fc.record({ op: fc.constant('replace'), start: fc.nat(9), end: fc.nat(9) }),
    ),
    sourceEventSeqs: someSeqs,
    ignorable: fc.constant(true),
  },
  { requiredKeys: ['type', 'time', 'data'] },
)
// By way of JSON, as every event is lossless JSON before it comes to a store.
const someLog = fc
  .array(someEvent, { minLength: 1, maxLength: 40 })
  .map(events => events.map((event, seq) => ({ ...JSON.parse(JSON.stringify(event)), seq }) as SessionEvent))
const someHeader = fc
  .record(
    {
      id: someText.filter(id => id.length > 0 && id.length < 30),
      createdAt: fc.maxSafeNat(),
      cwd: fc.constantFrom('/home/dev/demo', 'C:\\demo'),
      parentSession: someText,
      seedLength: fc.nat(9),
      origin: fc.constant('subagent' as const),
      delegationDepth: fc.nat(3),
      agentPreset: someText,
    },
    { requiredKeys: ['id', 'createdAt'] },
  )
  .map(given => newHeader(given, () => 0))

function chunkData() {
  const chunk = fc.record({ type: fc.constant('text-delta'), index: fc.nat(1), text: fc.string() })
  return fc.record({ turn: fc.constant(1), step: fc.constant(1), chunk })
}

describe('the same log in every backend', function () {
  this.timeout(60_000)

  it('reads back equal, in whatever batches and by whoever it was written', async () => {
    const property = fc.asyncProperty(someHeader, someLog, fc.array(fc.nat(12)), fc.nat(50), async (...given) => {
      const [header, events, sizes, fromSeq] = given
      const folder = await mkdtemp(join(tmpdir(), 'plan-mode-differential-'))
      const sqlite = backendAt(folder)
      try {
        for (const backend of [new MemoryBackend(), new JsonlBackend({ root: folder }), sqlite]) {
          await write(backend, header, events, sizes)
          const log = await backend.read(header.id)
          assert.deepEqual([log.header, log.events, log.torn], [header, events, false])
        }
        if (fromSeq > 0) assert.deepEqual((await sqlite.readFrom(header.id, fromSeq))?.events, events.slice(fromSeq))
      } finally {
        await sqlite.dispose()
        await rm(folder, { recursive: true, force: true })
      }
    })
    await fc.assert(property, { numRuns: 60 })
  })

  it('opens alike for every log of the project that can be opened', async () => {
    const logs = join(import.meta.dirname, '../../../fixtures/logs')
    const folder = await mkdtemp(join(tmpdir(), 'plan-mode-differential-'))
    let compared = 0
    for (const name of (await readdir(logs, { withFileTypes: true })).filter(entry => entry.isDirectory())) {
      const raw = new JsonlBackend({ root: join(logs, name.name) })
      const sqlite = backendAt(join(folder, name.name))
      for (const { header } of (await raw.list()).sessions) {
        const opened = await new PersistenceCoordinator(raw).inspect(header.id).catch(() => undefined)
        // A session without events cannot be made: the first append makes it.
        if (opened === undefined || opened.events.length === 0) continue
        const { events } = await raw.read(header.id)
        await write(sqlite, header, events as unknown as readonly SessionEvent[], [2, 3, 1, 0, 4])
        const read = new PersistenceCoordinator(sqlite)
        assert.deepEqual((await sqlite.read(header.id)).events, events)
        assert.deepEqual(await read.inspect(header.id), opened)
        assert.deepEqual((await read.load(header.id)).events, opened.events)
        await read.dispose()
        compared++
      }
    }
    await rm(folder, { recursive: true, force: true })
    assert.ok(compared > 15, `they are there (${compared})`)
  })

  /** In batches of these sizes, with the writer's place given back and taken again between some of them. */
  async function write(
    backend: PersistenceBackend,
    header: Parameters<PersistenceBackend['createWriter']>[0],
    events: readonly SessionEvent[],
    sizes: readonly number[],
  ): Promise<void> {
    let writer = await backend.createWriter(header)
    for (let at = 0, turn = 0; at < events.length; turn++) {
      const size = sizes[turn] ?? events.length
      await writer.append(events.slice(at, at + size))
      at += size
      if (at > 0 && turn % 3 === 2) {
        await writer.release()
        writer = (await backend.openWriter(header.id)).writer
      }
    }
    await writer.release()
  }
})
