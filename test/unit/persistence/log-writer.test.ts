import assert from 'node:assert/strict'
import { chmod, mkdir, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import type { LogWriter } from '../../../src/persistence/backend.ts'
import type { FileSystem } from '../../../src/persistence/file-system.ts'
import type { Encoding } from '../../../src/persistence/jsonl/encoding.ts'
import { encodings } from '../../../src/persistence/jsonl/encodings.ts'
import { JsonlBackend } from '../../../src/persistence/jsonl/jsonl-backend.ts'
import { PlanModeError } from '../../../src/session/errors.ts'
import type { SessionEvent } from '../../../src/session/events.ts'
import { FaultyFileSystem } from './faulty-file-system.ts'
import { header, mode, modes, useFolder } from './scratch.ts'

async function codeOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise
  } catch (error) {
    assert.ok(error instanceof PlanModeError, String(error))
    return error.code
  }
  return 'ok'
}

describe('writing a raw log', () => itWrites('none'))
describe('writing a compressed log', () => itWrites('zstd'))

function itWrites(encoding: Encoding): void {
  const folder = useFolder()
  const { logName } = encodings[encoding]
  const fileOf = (root: string) => join(root, '--home-dev-demo--', 's', logName)

  it('publishes header and first batch at once, private to the user, and leaves no temporary file', async () => {
    const root = join(folder(), 'sessions')
    const writer = await new JsonlBackend({ encoding, root }).createWriter(header())
    await writer.append(modes(0, 2))
    const lines = (await encodings[encoding].text(await readFile(fileOf(root)), 'a')).split('\n')
    assert.deepEqual(
      lines.slice(0, -1).map(line => JSON.parse(line)),
      [header(), ...modes(0, 2)],
    )
    assert.equal(lines.at(-1), '')
    assert.equal((await stat(fileOf(root))).mode & 0o777, 0o600)
    for (const path of [root, dirname(dirname(fileOf(root))), dirname(fileOf(root))]) {
      assert.equal((await stat(path)).mode & 0o777, 0o700, path)
    }
    assert.deepEqual((await readdir(dirname(fileOf(root)))).sort(), [logName, 'writer.1.lock'])
    await writer.release()
  })

  it('writes once and syncs once per later batch', async () => {
    const faulty = new FaultyFileSystem()
    const backend = new JsonlBackend({ encoding, root: folder(), fileSystem: faulty.fileSystem })
    const writer = await backend.createWriter(header())
    await writer.append(modes(0, 1))
    await writer.append(modes(1, 2))
    faulty.calls.length = 0
    await writer.append(modes(2, 500))
    assert.deepEqual(faulty.calls, ['open append', 'size', 'write', 'sync', 'entries', 'close'])
    await writer.release()
  })

  it('never overwrites a log that is there', async () => {
    const backend = new JsonlBackend({ encoding, root: folder() })
    const writer = await backend.createWriter(header())
    await writeFile(fileOf(folder()), 'someone else’s')
    assert.equal(await codeOf(writer.append(modes(0, 1))), 'ALREADY_EXISTS')
    assert.equal(await readFile(fileOf(folder()), 'utf8'), 'someone else’s')
    await writer.release()
  })

  it('creates the file exclusively where links are not possible', async () => {
    const faulty = new FaultyFileSystem()
    faulty.failWhen(operation => (operation === 'link' ? 'EPERM' : undefined))
    const backend = new JsonlBackend({ encoding, root: folder(), fileSystem: faulty.fileSystem })
    const writer = await backend.createWriter(header())
    await writer.append(modes(0, 3))
    assert.equal((await backend.read('s')).events.length, 3)
    assert.deepEqual((await readdir(dirname(fileOf(folder())))).sort(), [logName, 'writer.1.lock'])
    await writer.release()
  })

  it('leaves nothing of a file that it could not create whole where links are not possible', async () => {
    for (const failing of ['write', 'sync', 'close', 'open create']) {
      const faulty = new FaultyFileSystem()
      const root = join(folder(), failing)
      const backend = new JsonlBackend({ encoding, root, fileSystem: faulty.fileSystem })
      const writer = await backend.createWriter(header())
      let linked = false
      faulty.failWhen(operation => {
        if (operation === 'link') linked = true
        return operation === 'link' ? 'EISDIR' : linked && operation === failing ? 'EIO' : undefined
      })
      assert.equal(await codeOf(writer.append(modes(0, 3))), 'STORAGE')
      assert.deepEqual(await readdir(dirname(fileOf(root))), ['writer.1.lock'], failing)
      faulty.heal()
      await writer.append(modes(0, 3))
      assert.equal((await backend.read('s')).events.length, 3)
      await writer.release()
    }
  })

  it('never overwrites a log that is there where links are not possible', async () => {
    const faulty = new FaultyFileSystem()
    faulty.failWhen(operation => (operation === 'link' ? 'ENOTSUP' : undefined))
    const writer = await new JsonlBackend({ encoding, root: folder(), fileSystem: faulty.fileSystem }).createWriter(
      header(),
    )
    await writeFile(fileOf(folder()), 'someone else’s')
    assert.equal(await codeOf(writer.append(modes(0, 1))), 'ALREADY_EXISTS')
    assert.equal(await readFile(fileOf(folder()), 'utf8'), 'someone else’s')
    await writer.release()
  })

  it('cuts back through a handle of its own: Windows truncates none that appends', async () => {
    const faulty = new FaultyFileSystem()
    const opened: string[] = []
    const fileSystem: FileSystem = {
      ...faulty.fileSystem,
      open: async (path, how) => {
        const file = await faulty.fileSystem.open(path, how)
        const truncate = (size: number) => {
          opened.push(how)
          return how === 'append' ? Promise.reject(new Error('EPERM')) : file.truncate(size)
        }
        return { ...file, truncate }
      },
    }
    const writer = await new JsonlBackend({ encoding, root: folder(), fileSystem }).createWriter(header())
    await writer.append(modes(0, 2))
    const before = await readFile(fileOf(folder()))
    faulty.failWhen((operation, index) => (operation === 'sync' && index < 6 ? 'EIO' : undefined))
    assert.equal(await codeOf(writer.append(modes(2, 4))), 'STORAGE')
    assert.deepEqual([await readFile(fileOf(folder())), opened], [before, ['cut']])
    await writer.release()
  })

  it('takes only the batch that goes on from what is stored', async () => {
    const backend = new JsonlBackend({ encoding, root: folder() })
    const writer = await backend.createWriter(header())
    for (const batch of [[mode(1)], [mode(0), mode(2)]]) {
      assert.equal(await codeOf(writer.append(batch)), 'NOT_CONTIGUOUS')
    }
    await writer.append(modes(0, 2))
    assert.equal(await codeOf(writer.append(modes(0, 1))), 'NOT_CONTIGUOUS')
    assert.equal((await backend.read('s')).events.length, 2)
    await writer.release()
  })

  it('reads random events in random batches back equal', async () => {
    const backend = new JsonlBackend({ encoding, root: folder() })
    const chunk = (text: string) => ({ turn: 1, step: 1, chunk: { type: 'text-delta', index: 0, text } })
    const someData = fc.oneof(
      fc.tuple(fc.constant('assistant/chunk'), fc.string({ unit: 'binary' }).map(chunk)),
      fc.tuple(fc.constant('acme/x'), fc.jsonValue()),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(someData, { minLength: 1, maxLength: 9 }), { minLength: 1, maxLength: 5 }),
        async batches => {
          const id = crypto.randomUUID()
          const writer = await backend.createWriter(header({ id }))
          const all: unknown[] = []
          for (const batch of batches) {
            const events = batch.map(([type, data], k) => ({ type, seq: all.length + k, time: k, data }))
            await writer.append(JSON.parse(JSON.stringify(events)) as SessionEvent[])
            for (const event of events) all.push(event)
          }
          await writer.release()
          assert.deepEqual((await backend.read(id)).events, JSON.parse(JSON.stringify(all)))
        },
      ),
      { numRuns: 40 },
    )
  })

  describe('when the file changes under it', () => {
    it('refuses to write over what something else wrote', async () => {
      const backend = new JsonlBackend({ encoding, root: folder() })
      const writer = await backend.createWriter(header())
      await writer.append(modes(0, 2))
      const { size } = await stat(fileOf(folder()))
      await truncate(fileOf(folder()), size - 4)
      assert.equal(await codeOf(writer.append(modes(2, 3))), 'LOG_GONE')
      assert.equal((await stat(fileOf(folder()))).size, size - 4)
      await writer.release()
    })

    it('makes no new file in the place of a deleted one, and goes on when it is back', async () => {
      const backend = new JsonlBackend({ encoding, root: folder() })
      const writer = await backend.createWriter(header())
      await writer.append(modes(0, 2))
      const bytes = await readFile(fileOf(folder()))
      await rm(fileOf(folder()))
      await assert.rejects(writer.append(modes(2, 3)), (error: Error) => error.message.includes(fileOf(folder())))
      await writeFile(fileOf(folder()), bytes)
      await writer.append(modes(2, 3))
      assert.equal((await backend.read('s')).events.length, 3)
      await writer.release()
    })

    it('says that permission is missing', async function () {
      if (process.getuid?.() === 0) return this.skip()
      const backend = new JsonlBackend({ encoding, root: folder() })
      const writer = await backend.createWriter(header())
      await writer.append(modes(0, 2))
      await chmod(fileOf(folder()), 0o400)
      assert.equal(await codeOf(writer.append(modes(2, 3))), 'NOT_WRITABLE')
      await writer.release()
    })
  })

  describe('when a call to the system fails', function () {
    this.timeout(60_000)
    const batches = [modes(0, 2), modes(2, 5), modes(5, 6)]

    /** Appends every batch while the given call fails, checks what is stored then, heals, tries again. */
    async function walk(root: string, arrange: (faulty: FaultyFileSystem) => void, wasCut: boolean) {
      const faulty = new FaultyFileSystem()
      const backend = new JsonlBackend({ encoding, root, fileSystem: faulty.fileSystem })
      const sound = new JsonlBackend({ encoding, root })
      let writer: LogWriter | undefined
      let acknowledged = Buffer.alloc(0)
      arrange(faulty)
      let failures = 0
      for (const batch of batches) {
        for (let tries = 0; ; tries++) {
          assert.ok(tries < 2, 'a healed system takes the same batch')
          try {
            writer ??= await backend.createWriter(header())
            await writer.append(batch)
            break
          } catch (error) {
            assert.ok(error instanceof PlanModeError && ['STORAGE', 'NOT_WRITABLE'].includes(error.code), String(error))
            failures++
            const now = await readFile(fileOf(root)).catch(() => Buffer.alloc(0))
            if (wasCut) assert.deepEqual(now, acknowledged, 'the file is cut back')
            else assert.ok(now.subarray(0, acknowledged.length).equals(acknowledged), 'what was acknowledged stands')
            faulty.heal()
          }
        }
        acknowledged = await readFile(fileOf(root))
      }
      assert.deepEqual((await sound.read('s')).events, modes(0, 6))
      faulty.heal()
      await writer?.release()
      assert.equal(await sound.writable('s'), true, 'no half-made claim is left')
      return { failures, calls: faulty.calls }
    }

    /** The calls of a walk on which nothing fails. */
    async function clean(root: string): Promise<string[]> {
      const { calls, failures } = await walk(root, () => {}, true)
      assert.equal(failures, 0)
      return calls
    }

    for (const code of ['ENOSPC', 'EIO']) {
      it(`nothing acknowledged is lost and the file is cut back (each call once, ${code})`, async () => {
        const calls = await clean(join(folder(), 'clean'))
        assert.ok(['link', 'write', 'sync', 'syncDirectory', 'open append'].every(name => calls.includes(name)))
        let failures = 0
        for (const failing of calls.keys()) {
          const root = join(folder(), `${failing}`)
          const walked = await walk(
            root,
            faulty => faulty.failWhen((_, index) => (index === failing ? code : undefined)),
            true,
          )
          failures += walked.failures
        }
        assert.ok(failures > calls.length / 2, `most calls matter (${failures} of ${calls.length})`)
      })
    }

    it('nothing acknowledged is lost when every call fails from one on, the cut too', async () => {
      const calls = await clean(join(folder(), 'clean'))
      for (const failing of calls.keys()) {
        const root = join(folder(), `${failing}`)
        await walk(root, faulty => faulty.failWhen((_, index) => (index >= failing ? 'EIO' : undefined)), false)
      }
    })

    it('a short write goes on, and is cut back when the rest fails', async () => {
      await walk(join(folder(), 'whole'), faulty => faulty.writeInHalves(), true)
      for (let nth = 1; nth < 30; nth++) {
        const root = join(folder(), `${nth}`)
        let writes = 0
        await walk(
          root,
          faulty => {
            faulty.writeInHalves()
            faulty.failWhen(operation => (operation === 'write' && ++writes === nth ? 'ENOSPC' : undefined))
          },
          true,
        )
      }
    })
  })
}

describe('a new root of logs', () => {
  const folder = useFolder()

  it('inside a .plan-mode folder makes that folder ignore everything, once', async () => {
    const own = join(folder(), '.plan-mode')
    const backend = new JsonlBackend({ root: join(own, 'sessions') })
    await (await backend.createWriter(header())).release()
    assert.equal(await readFile(join(own, '.gitignore'), 'utf8'), '*\n')
    await rm(join(own, '.gitignore'))
    await (await backend.createWriter(header({ id: 't' }))).release()
    assert.deepEqual(await readdir(own), ['sessions'], 'what a person removed stays removed')
  })

  it('elsewhere ignores itself', async () => {
    await (await new JsonlBackend({ root: join(folder(), 'logs') }).createWriter(header())).release()
    assert.equal(await readFile(join(folder(), 'logs', '.gitignore'), 'utf8'), '*\n')
  })

  it('leaves an ignore file alone that is there already', async () => {
    const own = join(folder(), '.plan-mode')
    await mkdir(own)
    await writeFile(join(own, '.gitignore'), '!shared\n')
    await (await new JsonlBackend({ root: join(own, 'sessions') }).createWriter(header())).release()
    assert.equal(await readFile(join(own, '.gitignore'), 'utf8'), '!shared\n')
  })

  it('does not bring a removed workspace folder back', async () => {
    const root = join(folder(), 'gone', '.plan-mode', 'sessions')
    assert.equal(await codeOf(new JsonlBackend({ root }).createWriter(header())), 'STORAGE')
    assert.deepEqual(await readdir(folder()), [])
  })
})
