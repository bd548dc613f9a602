import assert from 'node:assert/strict'
import { readdir, readFile, stat, unlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { nodeFileSystem } from '../../../src/persistence/file-system.ts'
import { claimWriter, isWriterFree, type LockOptions } from '../../../src/persistence/jsonl/writer-lock.ts'
import type { ProcessTable } from '../../../src/persistence/lock-owner.ts'
import { PlanModeError } from '../../../src/session/errors.ts'
import { endOf, lineOf, startChild } from './child.ts'
import { FaultyFileSystem } from './faulty-file-system.ts'
import { ManualTimers } from './manual-timers.ts'
import { useFolder } from './scratch.ts'

const fs = nodeFileSystem

function processes(self: Partial<ReturnType<ProcessTable['self']>>, look?: ProcessTable['look']): LockOptions {
  const table: ProcessTable = {
    self: () => ({ pid: 7, host: 'here', startTime: '1', ...self }),
    look: look ?? (() => ({ alive: true, startTime: '1' })),
  }
  return { processes: table, timers: new ManualTimers() }
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'ok',
    error => (error instanceof PlanModeError ? error.code : String(error)),
  )
}

describe('writer lock', () => {
  const folder = useFolder()

  it('is held by one, and says by whom in its file', async () => {
    const lock = await claimWriter(fs, folder(), processes({ pid: 42 }))
    await lock.assertHeld()
    const record = JSON.parse(await readFile(join(folder(), 'writer.1.lock'), 'utf8'))
    const { owner, claimedAt, ...rest } = record
    assert.deepEqual(rest, { epoch: 1, pid: 42, host: 'here', startTime: '1' })
    assert.ok(owner.length > 10 && Number.isInteger(claimedAt))
    assert.equal(await codeOf(claimWriter(fs, folder(), processes({}))), 'WRITER_BUSY')
    assert.equal(await isWriterFree(fs, folder(), processes({})), false)
    assert.deepEqual(await readdir(folder()), ['writer.1.lock'])
  })

  it('keeps its epoch growing over a release', async () => {
    for (let epoch = 1; epoch <= 4; epoch++) {
      const lock = await claimWriter(fs, folder(), processes({}))
      assert.equal(lock.epoch, epoch)
      await lock.release()
      assert.equal(await isWriterFree(fs, folder(), processes({})), true)
    }
    assert.deepEqual(await readdir(folder()), ['writer.4.lock', 'writer.4.released'])
  })

  it('is taken without asking when its owner is gone or another process has its pid', async () => {
    await claimWriter(fs, folder(), processes({}))
    const gone = processes({ pid: 8 }, () => ({ alive: false }))
    const second = await claimWriter(fs, folder(), gone)
    assert.equal(second.epoch, 2)
    const reused = processes({ pid: 9 }, () => ({ alive: true, startTime: '2' }))
    assert.equal((await claimWriter(fs, folder(), reused)).epoch, 3)
  })

  it('of an owner that cannot be looked at falls free after two silent minutes', async () => {
    for (const elsewhere of [{ host: 'there' }, { pidSpace: 'another boot' }]) {
      const there = processes(elsewhere, () => assert.fail('its pid means nothing here'))
      const { epoch } = await claimWriter(fs, folder(), there)
      const path = join(folder(), `writer.${epoch}.lock`)
      const { mtimeMs } = await stat(path)
      const at = (ms: number) => ({ ...processes({}), now: () => mtimeMs + ms })
      assert.equal(await codeOf(claimWriter(fs, folder(), at(119_000))), 'WRITER_BUSY')
      const next = await claimWriter(fs, folder(), at(121_000))
      assert.equal(next.epoch, epoch + 1)
      await next.release()
    }
  })

  it('is touched every 15 seconds while it is held, and not after', async () => {
    const timers = new ManualTimers()
    const lock = await claimWriter(fs, folder(), { ...processes({}), timers })
    const path = join(folder(), 'writer.1.lock')
    for (let beat = 0; beat < 3; beat++) {
      await utimes(path, 1, 1)
      timers.advance(15_000)
      while ((await stat(path)).mtimeMs === 1000 || timers.waiting === 0) await new Promise(setImmediate)
    }
    await lock.release()
    assert.equal(timers.waiting, 0)
  })

  it('is lost to a higher epoch, for good', async () => {
    const lock = await claimWriter(fs, folder(), processes({}))
    const higher = join(folder(), 'writer.2.lock')
    await writeFile(higher, '{}')
    assert.equal(await codeOf(lock.assertHeld()), 'WRITER_LOST')
    await unlink(higher)
    assert.equal(await codeOf(lock.assertHeld()), 'WRITER_LOST')
    await lock.release()
    assert.deepEqual(await readdir(folder()), ['writer.1.lock'], 'nothing is given back that is not held')
  })

  it('counts a claim that is still being written as held, and one that was never finished as dead', async () => {
    const path = join(folder(), 'writer.3.lock')
    await writeFile(path, '{"epoch":3,')
    assert.equal(await codeOf(claimWriter(fs, folder(), processes({}))), 'WRITER_BUSY')
    await utimes(path, 1, 1)
    assert.equal((await claimWriter(fs, folder(), processes({}))).epoch, 4)
  })

  it('steps back from an epoch that was used and cleaned up since it looked', async () => {
    await writeFile(join(folder(), 'writer.1.released'), '')
    const stale = {
      ...fs,
      // The first look is from before the other claims.
      entries: (() => {
        let looks = 0
        return async (path: string) => (looks++ === 0 ? [] : fs.entries(path))
      })(),
    }
    assert.equal((await claimWriter(stale, folder(), processes({}))).epoch, 2)
  })

  it('that could not be released can be taken again by the same process only', async () => {
    const faulty = new FaultyFileSystem()
    const own = { ...processes({}), abandoned: new Set<string>() }
    const lock = await claimWriter(faulty.fileSystem, folder(), own)
    faulty.failWhen(() => 'EIO')
    await lock.release()
    faulty.heal()
    assert.equal(await codeOf(claimWriter(fs, folder(), processes({ pid: 8 }))), 'WRITER_BUSY')
    assert.equal((await claimWriter(fs, folder(), own)).epoch, 2)
  })

  it('passes the system’s refusal on', async () => {
    const faulty = new FaultyFileSystem()
    faulty.failWhen(operation => (operation === 'open create' ? 'EACCES' : undefined))
    assert.match(await codeOf(claimWriter(faulty.fileSystem, folder(), processes({}))), /EACCES/)
  })

  describe('between processes', function () {
    this.timeout(30_000)

    it('is never held by two, and every epoch is used once', async () => {
      const children = ['a', 'b', 'c'].map(name => startChild('contend.ts', [folder(), name]))
      const ends = Promise.all(children.map(endOf))
      while (!contended(await historyIn(folder())) && children.every(({ exitCode }) => exitCode === null)) {
        await new Promise(resolve => setTimeout(resolve, 20))
      }
      await writeFile(join(folder(), 'stop'), '')
      assert.deepEqual(await ends, [0, 0, 0])
      const history = await historyIn(folder())
      const epochs = history.map(line => Number.parseInt(line, 10))
      assert.deepEqual(
        epochs,
        [...epochs].sort((a, b) => a - b),
        'epochs only grow',
      )
      assert.equal(new Set(epochs).size, epochs.length)
    })

    it('falls to the next when its owner is killed, and not before', async () => {
      const child = startChild('hold.ts', [folder()])
      assert.equal(await lineOf(child), '1')
      assert.equal(await codeOf(claimWriter(fs, folder())), 'WRITER_BUSY')
      child.kill('SIGKILL')
      assert.equal(await endOf(child), 'SIGKILL')
      const lock = await claimWriter(fs, folder())
      assert.equal(lock.epoch, 2)
      await lock.release()
    })
  })
})

/** Which epoch each holder had, in order: `EPOCH NAME`. */
async function historyIn(folder: string): Promise<string[]> {
  const text = await readFile(join(folder, 'history'), 'utf8').catch(() => '')
  return text.trim().split('\n')
}

/** Whether it went from one to the other, many times over. */
function contended(history: readonly string[]): boolean {
  return history.length > 60 && new Set(history.map(line => line.split(' ')[1])).size > 1
}
