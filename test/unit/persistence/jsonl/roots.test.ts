import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { nodeFileSystem } from '../../../../src/persistence/file-system.ts'
import type { Encoding } from '../../../../src/persistence/jsonl/encoding.ts'
import { JsonlBackend } from '../../../../src/persistence/jsonl/jsonl-backend.ts'
import { rootEncoding } from '../../../../src/persistence/jsonl/root-encoding.ts'
import { PlanModeError } from '../../../../src/session/errors.ts'
import type { SessionHeader } from '../../../../src/session/header.ts'
import { bomb, frame } from '../../../support/zstd.ts'
import { header, modes, useFolder } from '../scratch.ts'

async function store(root: string, encoding: Encoding, ids: readonly string[]): Promise<void> {
  const backend = new JsonlBackend({ root, encoding })
  for (const id of ids) {
    const writer = await backend.createWriter(header({ id }))
    await writer.append(modes(0, 300))
    await writer.release()
  }
}

async function messageOf(promise: Promise<unknown>, code: string): Promise<string> {
  try {
    await promise
  } catch (error) {
    assert.ok(error instanceof PlanModeError && error.code === code, String(error))
    return error.message
  }
  assert.fail('it was not refused')
}

const idsOf = (sessions: readonly { header: SessionHeader }[]) => sessions.map(one => one.header.id).sort()

describe('the encoding of a root', function () {
  this.timeout(60_000)
  const folder = useFolder()

  it('is what its logs have; an empty one has none', async () => {
    const root = join(folder(), 'sessions')
    assert.equal(await rootEncoding(root), undefined)
    await mkdir(join(root, '--w--', 'x'), { recursive: true })
    await writeFile(join(root, '--w--', 'x', 'session.jsonl.0123456789ab.tmp'), '')
    assert.equal(await rootEncoding(root), undefined)
    await store(root, 'zstd', ['b', 'c'])
    assert.equal(await rootEncoding(root), 'zstd')
    await store(root, 'none', ['a'])
    assert.equal(await rootEncoding(root), 'zstd', 'a stray log does not turn the root')
  })

  for (const [own, other] of [
    ['none', 'zstd'],
    ['zstd', 'none'],
  ] as const) {
    it(`"${own}": logs of the other are problems that say how to open them, and hide none`, async () => {
      await store(folder(), own, ['a', 'b'])
      await store(folder(), other, ['c'])
      const backend = new JsonlBackend({ root: folder(), encoding: own })
      const { sessions, problems } = await backend.list()
      assert.deepEqual(idsOf(sessions), ['a', 'b'])
      assert.equal(problems.length, 1)
      const advice = new RegExp(`--home-dev-demo--.c.*intact.*convert.*planMode\\.log\\.compression to "${other}"`)
      assert.match(`${problems[0]?.code} ${problems[0]?.message}`, advice)
      for (const act of ['read', 'openWriter', 'exists', 'readText', 'revision'] as const) {
        assert.match(await messageOf(backend[act]('c'), 'FORMAT_UNSUPPORTED'), advice)
      }
      assert.equal((await backend.read('a')).events.length, 300)
      assert.equal((await new JsonlBackend({ root: folder(), encoding: other }).read('c')).events.length, 300)
    })
  }

  it('refuses a session that is stored in both', async () => {
    await store(folder(), 'none', ['a'])
    await mkdir(join(folder(), '--home-dev-demo--', 'a'), { recursive: true })
    await writeFile(
      join(folder(), '--home-dev-demo--', 'a', 'session.jsonl.zstd'),
      frame(`${JSON.stringify(header())}\n`),
    )
    const backend = new JsonlBackend({ root: folder() })
    assert.match(await messageOf(backend.read('a'), 'CORRUPT'), /stored more than once/)
    assert.deepEqual(
      (await backend.list()).problems.map(({ code }) => code),
      ['CORRUPT', 'CORRUPT'],
    )
  })
})

for (const encoding of ['none', 'zstd'] as const) {
  describe(`a root of logs (${encoding})`, function () {
    this.timeout(60_000)
    const folder = useFolder()
    const backendAt = (root: string) => new JsonlBackend({ root, encoding })
    const fileOf = (id: string) => backendAt(folder()).locate(header({ id }))

    it('is listed by the head of each log', async () => {
      await store(folder(), encoding, ['a'])
      const noise = Buffer.alloc(3 << 20, 7)
      await writeFile(fileOf('a'), Buffer.concat([await readFile(fileOf('a')), noise]))
      let bytes = 0
      const fileSystem = {
        ...nodeFileSystem,
        read: () => assert.fail('a whole log was read'),
        open: async (...[path, how]: Parameters<typeof nodeFileSystem.open>) => {
          const file = await nodeFileSystem.open(path, how)
          const read = async (...range: Parameters<typeof file.read>) => {
            const chunk = await file.read(...range)
            bytes += chunk.length
            return chunk
          }
          return { ...file, read }
        },
      }
      const { sessions, problems } = await new JsonlBackend({ root: folder(), encoding, fileSystem }).list()
      assert.deepEqual([idsOf(sessions), problems], [['a'], []])
      assert.ok(bytes > 0 && bytes <= 4096, `${bytes} bytes`)
    })

    it('lists a header that is longer than one read, and no head that never ends', async () => {
      const cwd = `/${'long/'.repeat(40)}${crypto.randomUUID().repeat(200)}`
      const writer = await backendAt(folder()).createWriter(header({ id: 'long', cwd }))
      await writer.append(modes(0, 1))
      await writer.release()
      await store(folder(), encoding, ['a'])
      await writeFile(fileOf('a'), encoding === 'zstd' ? bomb(32, 400_000) : Buffer.alloc(2 << 20, 32))
      const { sessions, problems } = await backendAt(folder()).list()
      assert.deepEqual([idsOf(sessions), problems.map(({ code }) => code)], [['long'], ['CORRUPT']])
      assert.match(problems[0]?.message ?? '', /header is missing or was never finished/)
    })

    it('gives a revision that changes with every append, cut and replacement, and only then', async () => {
      const backend = backendAt(folder())
      const writer = await backend.createWriter(header({ id: 'a' }))
      const seen = new Set<string>()
      for (let seq = 0; seq < 5; seq++) {
        await writer.append(modes(seq, seq + 1))
        const revision = await backend.revision('a')
        assert.match(revision, /^\d+:\d+:\d+:\d+:\d+$/)
        assert.equal((await backend.read('a')).revision, revision)
        assert.equal((await backend.list()).sessions[0]?.revision, revision)
        seen.add(revision)
      }
      await writer.release()
      const bytes = await readFile(fileOf('a'))
      await writeFile(fileOf('a'), bytes)
      seen.add(await backend.revision('a'))
      await writeFile(fileOf('a'), bytes.subarray(0, -3))
      seen.add(await backend.revision('a'))
      const torn = await backend.openWriter('a')
      await torn.writer.cut()
      await torn.writer.append([])
      await torn.writer.release()
      seen.add(await backend.revision('a'))
      assert.equal(seen.size, 8)
      assert.match(await messageOf(backend.revision('nowhere'), 'NOT_FOUND'), /nowhere/)
    })

    it('reads again what changes while it is read', async () => {
      await store(folder(), encoding, ['a'])
      const before = await readFile(fileOf('a'))
      let reads = 0
      const fileSystem = {
        ...nodeFileSystem,
        read: async (path: string) => {
          const bytes = await nodeFileSystem.read(path)
          if (++reads <= 2) await writeFile(path, before)
          return bytes
        },
      }
      const { events, revision } = await new JsonlBackend({ root: folder(), encoding, fileSystem }).read('a')
      assert.deepEqual([reads, events.length], [3, 300])
      assert.equal(revision, await backendAt(folder()).revision('a'))
    })

    it('gives a stale revision with what never holds still', async () => {
      await store(folder(), encoding, ['a'])
      const before = await readFile(fileOf('a'))
      const fileSystem = {
        ...nodeFileSystem,
        read: async (path: string) => {
          await writeFile(path, before)
          return before
        },
      }
      const { revision } = await new JsonlBackend({ root: folder(), encoding, fileSystem }).read('a')
      assert.notEqual(revision, await backendAt(folder()).revision('a'))
    })

    it('opens to write without reading again what it has read, while the log is the same', async () => {
      await store(folder(), encoding, ['a'])
      let reads = 0
      const fileSystem = {
        ...nodeFileSystem,
        read: (path: string) => {
          if (path === fileOf('a')) reads++
          return nodeFileSystem.read(path)
        },
      }
      const backend = new JsonlBackend({ root: folder(), encoding, fileSystem })
      const known = await backend.read('a')
      const first = await backend.openWriter('a', known)
      assert.equal(first.log, known)
      await first.writer.append(modes(300, 301))
      await first.writer.release()
      assert.equal(reads, 1)
      const second = await backend.openWriter('a', known)
      assert.deepEqual([second.log.events.length, reads], [301, 2])
      await second.writer.append(modes(301, 302))
      await second.writer.release()
      assert.equal((await backend.read('a')).events.length, 302)
    })

    it('gives a log’s own text under its plain name', async () => {
      await store(folder(), encoding, ['a'])
      const backend = backendAt(folder())
      const raw = await backend.readText('a')
      const lines = raw?.content.split('\n') ?? []
      assert.deepEqual([raw?.filename, raw?.header], ['session.jsonl', header({ id: 'a' })])
      assert.deepEqual(
        lines.slice(0, -1).map(line => JSON.parse(line)),
        [header({ id: 'a' }), ...modes(0, 300)],
      )
      assert.equal(lines.at(-1), '')
      assert.equal(await backend.readText('nowhere'), undefined)
      await mkdir(dirname(fileOf('b')), { recursive: true })
      await writeFile(fileOf('b'), await readFile(fileOf('a')))
      assert.match(await messageOf(backend.readText('b'), 'CORRUPT'), /names the session "a"/)
    })

    it('stops reading when it is told to', async () => {
      await store(folder(), encoding, ['a'])
      const signal = AbortSignal.abort(new Error('enough'))
      for (const act of [
        () => backendAt(folder()).read('a', signal),
        () => backendAt(folder()).readText('a', signal),
        () => backendAt(folder()).list(signal),
      ]) {
        await assert.rejects(act(), /^Error: enough$/)
      }
    })
  })
}
