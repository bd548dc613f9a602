import assert from 'node:assert/strict'
import { appendFile, mkdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import type { PersistenceBackend } from '../../../src/persistence/backend.ts'
import { PersistenceCoordinator } from '../../../src/persistence/coordinator.ts'
import { encodings } from '../../../src/persistence/jsonl/encodings.ts'
import { JsonlBackend } from '../../../src/persistence/jsonl/jsonl-backend.ts'
import type { FollowedLog } from '../../../src/persistence/persistence.ts'
import { SqliteBackend } from '../../../src/persistence/sqlite/sqlite-backend.ts'
import type { SessionEvent } from '../../../src/session/events.ts'
import { MemoryBackend } from '../../support/memory-backend.ts'
import { header, modes, useFolder } from './scratch.ts'

const chunk = (text: string) => ({
  type: 'assistant/chunk',
  data: { turn: 1, step: 1, chunk: { type: 'text-delta', index: 0, text } },
})
/** Events that are packed into rows among some that are not. */
const someEvent = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: 'grapheme' }).map(chunk) },
  { weight: 1, arbitrary: fc.boolean().map(active => ({ type: 'plan/mode', data: { active } })) },
  { weight: 1, arbitrary: fc.jsonValue().map(data => ({ type: 'acme/note', data, ignorable: true })) },
)
const someBatches = fc.array(fc.array(someEvent, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 8 })

function numbered(batches: readonly (readonly { type: string; data: unknown }[])[]): SessionEvent[][] {
  let seq = 0
  return batches.map(batch =>
    batch.map(event => JSON.parse(JSON.stringify({ ...event, seq, time: 1000 + seq++ })) as SessionEvent),
  )
}

function listed({ events }: FollowedLog): SessionEvent[] {
  return Array.from({ length: events.length }, (_, seq) => events.at(seq)).filter(event => event !== undefined)
}

describe('following a log', function () {
  this.timeout(60_000)
  const folder = useFolder()

  const backends: Readonly<Record<string, () => PersistenceBackend>> = {
    memory: () => new MemoryBackend(),
    'raw logs': () => new JsonlBackend({ root: join(folder(), 'raw') }),
    'compressed logs': () => new JsonlBackend({ root: join(folder(), 'zstd'), encoding: 'zstd' }),
    sqlite: () => new SqliteBackend({ root: join(folder(), 'sqlite') }),
  }

  for (const [name, make] of Object.entries(backends)) {
    it(`sees any events, in batches of any size, looked at at any time, equal (${name})`, async () => {
      const backend = make()
      const persistence = new PersistenceCoordinator(backend)
      await fc.assert(
        fc.asyncProperty(someBatches, fc.infiniteStream(fc.boolean()), async (given, looks) => {
          const id = crypto.randomUUID()
          const [first = [], ...batches] = numbered(given)
          await persistence.create(header({ id }))
          await persistence.append(id, first)
          using followed = await persistence.follow(id)
          const seen = listed(followed)
          for (const batch of batches) {
            await persistence.append(id, batch)
            if (looks.next().value) seen.push(...((await followed.next()) ?? assert.fail('it is the same log')))
          }
          seen.push(...((await followed.next()) ?? assert.fail('it is the same log')))
          assert.deepEqual(seen, [first, ...batches].flat())
          await persistence.release(id)
        }),
        { numRuns: name === 'sqlite' ? 25 : 60 },
      )
      await persistence.dispose()
    })
  }

  for (const encoding of ['none', 'zstd'] as const) {
    const fileOf = () => join(folder(), '--home-dev-demo--', 's', encodings[encoding].logName)

    async function stored(events: SessionEvent[]) {
      const persistence = new PersistenceCoordinator(new JsonlBackend({ root: folder(), encoding }))
      await persistence.create(header())
      await persistence.append('s', events)
      return persistence
    }

    it(`gives only what is finished, however the bytes come (${encoding})`, async () => {
      await fc.assert(
        fc.asyncProperty(
          someBatches,
          fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1 }),
          async (given, sizes) => {
            const [first = [], ...batches] = numbered(given)
            const persistence = await stored(first)
            const { length: begun } = await readFile(fileOf())
            for (const batch of batches) await persistence.append('s', batch)
            const bytes = await readFile(fileOf())
            await persistence.dispose()

            // From anywhere behind the first batch on, byte by byte as another process may be seen to write.
            await truncate(fileOf(), begun + Math.min(bytes.length - begun, sizes[0] ?? 0))
            const reader = new PersistenceCoordinator(new JsonlBackend({ root: folder(), encoding }))
            using followed = await reader.follow('s')
            const seen = listed(followed)
            for (let at = begun + (sizes[0] ?? 0), k = 1; at < bytes.length; k++) {
              const size = sizes[k % sizes.length] ?? 1
              await appendFile(fileOf(), bytes.subarray(at, at + size))
              at += size
              if (k % 3 > 0) seen.push(...((await followed.next()) ?? assert.fail('it is the same log')))
            }
            seen.push(...((await followed.next()) ?? assert.fail('it is the same log')))
            assert.deepEqual(seen, [first, ...batches].flat())
            await rm(folder(), { recursive: true })
            await mkdir(folder())
          },
        ),
        { numRuns: 40 },
      )
    })

    it(`reads the tail only (${encoding})`, async () => {
      const persistence = await stored(modes(0, 5000))
      const reads: number[] = []
      const { nodeFileSystem } = await import('../../../src/persistence/file-system.ts')
      const fileSystem = {
        ...nodeFileSystem,
        open: async (path: string, how: 'create' | 'append' | 'cut' | 'read') => {
          const file = await nodeFileSystem.open(path, how)
          return {
            ...file,
            read: (length: number, position: number) => {
              reads.push(length)
              return file.read(length, position)
            },
          }
        },
        read: (path: string) => {
          if (path === fileOf()) reads.push(Number.POSITIVE_INFINITY)
          return nodeFileSystem.read(path)
        },
      }
      const reader = new PersistenceCoordinator(new JsonlBackend({ root: folder(), encoding, fileSystem }))
      using followed = await reader.follow('s')
      reads.length = 0
      for (let seq = 5000; seq < 5010; seq++) {
        await persistence.append('s', modes(seq, seq + 1))
        assert.equal((await followed.next())?.length, 1)
      }
      assert.ok(reads.length > 0 && Math.max(...reads) < 1000, `at most some hundred bytes (${Math.max(...reads)})`)
      reads.length = 0
      assert.deepEqual(await followed.next(), [])
      assert.deepEqual(reads, [], 'nothing is read while nothing changes')
      await persistence.dispose()
    })

    const others: Readonly<Record<string, (file: string) => Promise<void>>> = {
      'was cut short': file => truncate(file, 200),
      'was replaced': async file => {
        await writeFile(`${file}.new`, await readFile(file))
        await rename(`${file}.new`, file)
      },
      'has other bytes before the end': async file => {
        const bytes = await readFile(file)
        bytes.writeUInt8(bytes.readUInt8(bytes.length - 3) ^ 1, bytes.length - 3)
        await writeFile(file, Buffer.concat([bytes, bytes.subarray(-40)]))
      },
      'goes on with something that does not follow': async file => {
        const bytes = await readFile(file)
        await appendFile(
          file,
          encoding === 'none' ? bytes.subarray(bytes.lastIndexOf(10, -2) + 1) : Buffer.from('rubbish'),
        )
      },
    }
    for (const [what, change] of Object.entries(others)) {
      it(`says that a log has to be read anew that ${what} (${encoding})`, async () => {
        const persistence = await stored(modes(0, 20))
        await persistence.dispose()
        const reader = new PersistenceCoordinator(new JsonlBackend({ root: folder(), encoding }))
        using followed = await reader.follow('s')
        assert.deepEqual(await followed.next(), [])
        await change(fileOf())
        assert.equal(await followed.next(), undefined)
      })
    }

    it(`says that a log is not there, and goes on when it is back (${encoding})`, async () => {
      const persistence = await stored(modes(0, 2))
      using followed = await persistence.follow('s')
      await rename(dirname(fileOf()), join(folder(), 'away'))
      await assert.rejects(followed.next(), { code: 'STORAGE', message: /session\.jsonl.* could not be read/ })
      await rename(join(folder(), 'away'), dirname(fileOf()))
      await persistence.append('s', modes(2, 3))
      assert.deepEqual(await followed.next(), modes(2, 3))
      await persistence.dispose()
    })
  }
})
