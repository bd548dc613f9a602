import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Encoding } from '../../../../src/persistence/jsonl/encoding.ts'
import { encodings } from '../../../../src/persistence/jsonl/encodings.ts'
import { JsonlBackend } from '../../../../src/persistence/jsonl/jsonl-backend.ts'
import { PlanModeError } from '../../../../src/session/errors.ts'
import { FaultyFileSystem } from '../faulty-file-system.ts'
import { header, mode, modes, useFolder } from '../scratch.ts'

async function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'ok',
    error => {
      assert.ok(error instanceof PlanModeError, String(error))
      return error.code
    },
  )
}

/** No run of the system calls here comes near this many. */
const MOST_CALLS = 40

for (const encoding of ['none', 'zstd'] as const) describe(`taking a log over (${encoding})`, () => itFences(encoding))

function itFences(encoding: Encoding): void {
  const folder = useFolder()
  const fileOf = (root: string) => join(root, '--home-dev-demo--', 's', encodings[encoding].logName)

  /** A log of five events whose writer is at work through a file system of its own. */
  async function working(root: string) {
    const faulty = new FaultyFileSystem()
    const old = await new JsonlBackend({ root, encoding, fileSystem: faulty.fileSystem }).createWriter(header())
    await old.append(modes(0, 5))
    return { faulty, old, backend: new JsonlBackend({ root, encoding }) }
  }

  it('from an owner who is frozen at any call of an append: what he was told is there once, nothing comes later', async () => {
    let held = 0
    for (let call = 0; call < MOST_CALLS; call++) {
      const root = join(folder(), `${call}`)
      const { faulty, old, backend } = await working(root)
      const paused = faulty.pauseAt(call)
      const append = codeOf(old.append(modes(5, 7)))
      const came = await Promise.race([paused.reached.then(() => true), append.then(() => false)])
      const { writer, log } = await backend.openWriter('s', undefined, 'by-force')
      const { length } = log.events
      assert.ok(length === 5 || length === 7 || log.torn, 'a batch is there or it is not')
      await writer.cut()
      const mine = Array.from({ length: 3 }, (_, k) => ({ ...mode(length + k), time: -1 }))
      await writer.append(mine.slice(0, 2))
      paused.resume()
      const outcome = await append
      assert.ok(outcome === 'WRITER_LOST' || (outcome === 'ok' && length === 7), `${outcome} at call ${call}`)
      await writer.append(mine.slice(2))
      assert.deepEqual((await backend.read('s')).events, [...modes(0, length), ...mine])
      assert.equal(await codeOf(old.append(modes(outcome === 'ok' ? 7 : 5, 9))), 'WRITER_LOST')
      await Promise.all([old.release(), writer.release()])
      if (!came) break
      held++
    }
    assert.ok(held >= 6 && held < MOST_CALLS, `it was held at each call (${held})`)
  })

  it('from an owner who is frozen while he cuts a failed batch back: the cut reaches no later event', async () => {
    let held = 0
    for (let call = 0; call < MOST_CALLS; call++) {
      const root = join(folder(), `${call}`)
      const { faulty, old, backend } = await working(root)
      faulty.failWhen(operation => (operation === 'sync' && !faulty.calls.includes('truncate') ? 'EIO' : undefined))
      const paused = faulty.pauseAt(call)
      const append = codeOf(old.append(modes(5, 7)))
      const came = await Promise.race([paused.reached.then(() => true), append.then(() => false)])
      const { writer, log } = await backend.openWriter('s', undefined, 'by-force')
      const { length } = log.events
      await writer.cut()
      const mine = [{ ...mode(length), time: -1 }]
      await writer.append(mine)
      paused.resume()
      assert.notEqual(await append, 'ok')
      faulty.heal()
      assert.equal(await codeOf(old.append(modes(5, 7))), 'WRITER_LOST')
      assert.deepEqual((await backend.read('s')).events, [...modes(0, length), ...mine])
      await Promise.all([old.release(), writer.release()])
      if (!came) break
      held++
    }
    assert.ok(held >= 8 && held < MOST_CALLS, `it was held at each call (${held})`)
  })

  it('by one who is frozen at any call of that: another waits, or has it for good', async () => {
    const outcomes = new Set<string>()
    let held = 0
    for (let call = 0; call < MOST_CALLS; call++) {
      const root = join(folder(), `${call}`)
      const { old, backend } = await working(root)
      const slow = new FaultyFileSystem()
      const taker = new JsonlBackend({ root, encoding, fileSystem: slow.fileSystem })
      const paused = slow.pauseAt(call)
      const taking = taker.openWriter('s', undefined, 'by-force')
      const came = await Promise.race([paused.reached.then(() => true), taking.then(() => false)])
      let mine: ReturnType<typeof mode>[] = []
      const second = await backend.openWriter('s', undefined, 'by-force').catch((error: PlanModeError) => error.code)
      outcomes.add(typeof second === 'string' ? second : 'ok')
      if (typeof second !== 'string') {
        mine = [{ ...mode(5), time: -2 }]
        await second.writer.append(mine)
      }
      paused.resume()
      const first = await taking.catch((error: PlanModeError) => error.code)
      if (typeof first === 'string') assert.equal(first, 'WRITER_BUSY')
      else {
        const next = first.log.events.length
        const outcome = await codeOf(first.writer.append([{ ...mode(next), time: -1 }]))
        // Who claims last has it, and begins with all that was acknowledged before.
        if (typeof second === 'string') assert.equal(outcome, 'ok')
        if (outcome === 'ok') mine = [...mine, { ...mode(next), time: -1 }]
        else assert.equal(outcome, 'WRITER_LOST')
        await first.writer.release()
      }
      assert.equal(await codeOf(old.append(modes(5, 6))), 'WRITER_LOST')
      assert.deepEqual((await backend.read('s')).events, [...modes(0, 5), ...mine], `held at call ${call}`)
      if (typeof second !== 'string') await second.writer.release()
      await old.release()
      assert.equal(await backend.writable('s'), true)
      if (!came) break
      held++
    }
    assert.deepEqual(outcomes, new Set(['ok', 'WRITER_BUSY']))
    assert.ok(held > 15 && held < MOST_CALLS, `it was held at each call (${held})`)
  })

  for (const code of ['ENOSPC', 'EIO', 'EACCES']) {
    it(`loses nothing when any call of it fails (${code}), and can be tried again`, async () => {
      let failures = 0
      for (let failing = 0; failing < MOST_CALLS; failing++) {
        const root = join(folder(), `${failing}`)
        const { old, backend } = await working(root)
        const faulty = new FaultyFileSystem()
        faulty.failWhen((_, index) => (index === failing ? code : undefined))
        const taker = new JsonlBackend({ root, encoding, fileSystem: faulty.fileSystem })
        const first = await taker.openWriter('s', undefined, 'by-force').catch((error: unknown) => {
          assert.ok(error instanceof PlanModeError && ['STORAGE', 'NOT_WRITABLE'].includes(error.code), String(error))
          failures++
        })
        faulty.heal()
        assert.deepEqual((await backend.read('s')).events, modes(0, 5))
        await first?.writer.release()
        const { writer, log } = await taker.openWriter('s', undefined, 'by-force')
        assert.deepEqual(log.events, modes(0, 5))
        await writer.append(modes(5, 6))
        assert.equal(await codeOf(old.append(modes(5, 7))), 'WRITER_LOST')
        await Promise.all([old.release(), writer.release()])
        if (faulty.calls.length < failing) break
      }
      assert.ok(failures > 10, `most calls matter (${failures})`)
    })
  }

  it('leaves one log, one claim and its marks behind, and the content byte for byte', async () => {
    const { old, backend } = await working(folder())
    const before = await readFile(fileOf(folder()))
    const { writer } = await backend.openWriter('s', undefined, 'by-force')
    assert.deepEqual(await readFile(fileOf(folder())), before)
    const names = await readdir(dirname(fileOf(folder())))
    assert.deepEqual(names.sort(), [encodings[encoding].logName, 'writer.2.lock', 'writer.2.taken'])
    await Promise.all([old.release(), writer.release()])
    const again = await backend.openWriter('s')
    assert.deepEqual(
      (await readdir(dirname(fileOf(folder())))).sort(),
      [encodings[encoding].logName, 'writer.3.lock'],
      'the next claim is an ordinary one',
    )
    await again.writer.release()
  })

  it('from a taker that died half-way fences off whoever was before it', async () => {
    const { faulty, old, backend } = await working(folder())
    const record = JSON.parse(await readFile(join(dirname(fileOf(folder())), 'writer.1.lock'), 'utf8'))
    const dead = { ...record, epoch: 2, owner: 'dead', pid: 2 ** 22 - 1, startTime: '1', takesOver: true }
    const paused = faulty.pauseAt(3)
    const append = codeOf(old.append(modes(5, 7)))
    await paused.reached
    const { nodeFileSystem, createFile } = await import('../../../../src/persistence/file-system.ts')
    const claim = join(dirname(fileOf(folder())), 'writer.2.lock')
    await createFile(nodeFileSystem, claim, Buffer.from(JSON.stringify(dead)))
    const { writer, log } = await backend.openWriter('s')
    assert.equal(log.events.length, 5)
    await writer.append([{ ...mode(5), time: -1 }])
    paused.resume()
    assert.equal(await append, 'WRITER_LOST')
    assert.deepEqual((await backend.read('s')).events, [...modes(0, 5), { ...mode(5), time: -1 }])
    await Promise.all([old.release(), writer.release()])
  })
}
