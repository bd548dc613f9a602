import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { PersistenceCoordinator } from '../../../../src/persistence/coordinator.ts'
import { walkFrames } from '../../../../src/persistence/jsonl/frames.ts'
import { JsonlBackend } from '../../../../src/persistence/jsonl/jsonl-backend.ts'
import { zstdEncoding } from '../../../../src/persistence/jsonl/zstd-encoding.ts'
import type { SessionEvent } from '../../../../src/session/events.ts'
import { frame, unfinished } from '../../../support/zstd.ts'
import { FaultyFileSystem } from '../faulty-file-system.ts'
import { header, mode, modes, useFolder } from '../scratch.ts'

const encoding = 'zstd'
const start: SessionEvent = { type: 'turn/start', seq: 0, time: 7, data: { turn: 1 } }
const lines = (...values: object[]) => values.map(value => `${JSON.stringify(value)}\n`).join('')
/** Key order and spaces of another writer. */
const foreign = (event: SessionEvent) => `{ "seq":${event.seq}, ${JSON.stringify(event).slice(1, -1)}}\n`

describe('a compressed log whose last frame was never finished', function () {
  this.timeout(60_000)
  const folder = useFolder()
  const whole = Buffer.concat([frame(lines(header())), frame(lines(start))])
  const torn = Buffer.concat([whole, unfinished(foreign(mode(1)) + lines(mode(2)) + lines(mode(3)).slice(0, 9))])

  async function place(root: string, bytes: Uint8Array): Promise<string> {
    const file = join(root, '--home-dev-demo--', 's', 'session.jsonl.zstd')
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, bytes)
    return file
  }

  it('is cut there on load; what it held is written again as it was, in one frame with the closers', async () => {
    const file = await place(folder(), torn)
    const persistence = new PersistenceCoordinator(new JsonlBackend({ root: folder(), encoding }))
    assert.equal((await persistence.inspect('s')).events.length, 4)
    assert.deepEqual(await readFile(file), torn, 'looking writes nothing')
    const { events, closers } = await persistence.load('s')
    assert.deepEqual(
      events.map(({ type }) => type),
      ['turn/start', 'plan/mode', 'plan/mode', 'turn/end'],
    )
    const after = await readFile(file)
    assert.ok(after.subarray(0, whole.length).equals(whole))
    assert.equal(walkFrames(after, whole.length, file, 3).ends.length, 1)
    const text = await zstdEncoding.text(after, file)
    assert.equal(text, lines(header(), start) + foreign(mode(1)) + lines(mode(2), ...closers))
    await persistence.append('s', [mode(4)])
    await persistence.dispose()
    assert.deepEqual((await new JsonlBackend({ root: folder(), encoding }).read('s')).events, [...events, mode(4)])
  })

  it('is repaired without closers, too, when no turn is open', async () => {
    const balanced = frame(lines(header()))
    const file = await place(folder(), Buffer.concat([balanced, unfinished(lines(mode(0)))]))
    const persistence = new PersistenceCoordinator(new JsonlBackend({ root: folder(), encoding }))
    assert.deepEqual((await persistence.load('s')).events, [mode(0)])
    assert.equal(await zstdEncoding.text(await readFile(file), file), lines(header(), mode(0)))
    await persistence.dispose()
  })

  it('is left as it is while nobody writes to it, so that nothing is lost on the way', async () => {
    const file = await place(folder(), torn)
    const { writer } = await new JsonlBackend({ root: folder(), encoding }).openWriter('s')
    await writer.cut()
    await writer.release()
    assert.deepEqual(await readFile(file), torn)
  })

  it('is only cut when there is nothing in it to keep', async () => {
    const file = await place(folder(), Buffer.concat([whole, Buffer.from('???')]))
    const { writer, log } = await new JsonlBackend({ root: folder(), encoding }).openWriter('s')
    assert.equal(log.torn, true)
    await writer.cut()
    assert.deepEqual(await readFile(file), whole)
    await writer.release()
  })

  it('keeps what it held when any call to the system fails during the repair', async () => {
    const all = [start, ...modes(1, 4)]
    const repair = async (root: string, failing: number | undefined) => {
      await place(root, torn)
      const faulty = new FaultyFileSystem()
      const { writer } = await new JsonlBackend({ root, encoding, fileSystem: faulty.fileSystem }).openWriter('s')
      const before = faulty.calls.length
      if (failing !== undefined) faulty.failWhen((_, index) => (index === failing ? 'ENOSPC' : undefined))
      const act = async () => {
        await writer.cut()
        await writer.append([mode(3)])
      }
      const failed = await act().then(
        () => false,
        () => true,
      )
      faulty.heal()
      if (failed) await act()
      const calls = faulty.calls.length - before
      await writer.release()
      assert.deepEqual((await new JsonlBackend({ root, encoding }).read('s')).events, all, `call ${failing}`)
      return { failed, calls }
    }
    const { calls } = await repair(join(folder(), 'clean'), undefined)
    let failures = 0
    for (let failing = 0; failing < calls; failing++) {
      if ((await repair(join(folder(), `${failing}`), failing)).failed) failures++
    }
    assert.ok(failures > calls / 2, `most calls matter (${failures} of ${calls})`)
  })

  it('opens wherever the file is cut off, closed, and goes on behind it', async () => {
    const root = folder()
    const persistence = new PersistenceCoordinator(new JsonlBackend({ root, encoding }))
    await persistence.create(header())
    const batches = [[start, ...modes(1, 40)], modes(40, 41), modes(41, 300)]
    for (const batch of batches) await persistence.append('s', batch)
    await persistence.release('s')
    const file = persistence.locate(header()) ?? ''
    const bytes = await readFile(file)
    const { ends } = walkFrames(bytes, 0, file, 1)
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: ends[0] ?? 0, max: bytes.length }), async size => {
        await writeFile(file, bytes.subarray(0, size))
        const kept = await persistence.readFrom('s', 0)
        assert.deepEqual(kept, batches.flat().slice(0, kept.length))
        const acknowledged = batches.slice(0, ends.filter(end => end <= size).length - 1).flat().length
        assert.ok(kept.length >= acknowledged, `${kept.length} of ${acknowledged}`)
        const loaded = await persistence.load('s')
        assert.equal(loaded.closers.length, kept.length === 0 ? 0 : 1)
        const next = mode(loaded.events.length)
        await persistence.append('s', [next])
        await persistence.release('s')
        assert.deepEqual(await persistence.readFrom('s', 0), [...loaded.events, next])
      }),
      { numRuns: 40 },
    )
    await persistence.dispose()
  })
})
