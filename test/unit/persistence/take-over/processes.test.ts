import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PersistenceCoordinator } from '../../../../src/persistence/coordinator.ts'
import { JsonlBackend } from '../../../../src/persistence/jsonl/jsonl-backend.ts'
import { SqliteBackend } from '../../../../src/persistence/sqlite/sqlite-backend.ts'
import { startChild } from '../child.ts'
import { header, mode, useFolder } from '../scratch.ts'

/** Longer with TAKE_OVER_MS=60000. */
const MS = Number(process.env.TAKE_OVER_MS ?? 1000)
/** A busy machine takes its time. */
const PATIENCE_MS = 60_000
/** More of them with FREEZES=100. */
const FREEZES = Number(process.env.FREEZES ?? 4)

type Said = { readonly seq: number } | 'lost'

for (const form of ['none', 'zstd', 'sqlite'] as const) {
  describe(`processes that take one session over from each other (${form})`, function () {
    this.timeout(PATIENCE_MS * 2 + MS + FREEZES * 20_000)
    const folder = useFolder()

    function backend() {
      return form === 'sqlite'
        ? new SqliteBackend({ root: folder() })
        : new JsonlBackend({ root: folder(), encoding: form })
    }

    beforeEach(async () => {
      const persistence = new PersistenceCoordinator(backend())
      await persistence.create(header())
      await persistence.append('s', [mode(0)])
      await persistence.dispose()
    })

    function start(name: number, how = ''): { readonly child: ChildProcess; readonly said: () => Said[] } {
      const child = startChild('snatch.ts', [folder(), form, String(name), how])
      let output = ''
      child.stdout?.on('data', chunk => {
        output += String(chunk)
      })
      return { child, said: () => lines(output) }
    }

    /** Every acknowledged event is there exactly once, at its place, and nothing is torn or out of order. */
    async function check(outputs: readonly (readonly Said[])[]): Promise<void> {
      const { events, torn } = await backend().read('s')
      assert.equal(torn, false)
      assert.ok(events.every((event, seq) => event.seq === seq))
      const acknowledged = outputs.flat().filter(each => each !== 'lost')
      for (const event of acknowledged) assert.deepEqual(events[event.seq], event)
      assert.equal(new Set(acknowledged.map(({ seq }) => seq)).size, acknowledged.length)
      const contents = events.slice(1).map(event => JSON.stringify(event.data))
      assert.equal(new Set(contents).size, contents.length, 'nothing is stored twice')
    }

    for (const count of [2, 3]) {
      it(`${count} of them neither interleave, lose nor double an event`, async () => {
        const started = Date.now()
        const all = Array.from({ length: count }, (_, k) => start(k + 1))
        const ends = all.map(({ child }) => once(child, 'close'))
        const enough = () => {
          const outputs = all.map(({ said }) => said())
          const losses = outputs.flat().filter(each => each === 'lost').length
          return losses > 5 && outputs.flat().length > 100 && outputs.every(own => own.length > 10)
        }
        while (Date.now() - started < MS || !enough()) {
          assert.ok(Date.now() - started < PATIENCE_MS + MS, 'they do work, and take over from each other')
          assert.ok(
            all.every(({ child }) => child.exitCode === null),
            'none fails',
          )
          await new Promise(resolve => setTimeout(resolve, 50))
        }
        await writeFile(join(folder(), 'stop'), '')
        assert.deepEqual(
          await Promise.all(ends),
          all.map(() => [0, null]),
        )
        await check(all.map(({ said }) => said()))
      })
    }

    it('one that was frozen at any point and goes on after the takeover appends nothing more', async () => {
      const outputs: Said[][] = []
      // A database whose writer was frozen inside a transaction stays locked: each such takeover waits in vain first.
      const freezes = form === 'sqlite' ? Math.ceil(FREEZES / 4) : FREEZES
      for (let freeze = 0; freeze < freezes; freeze++) {
        const { child, said } = start(freeze + 1, 'only-once')
        const closed = once(child, 'close')
        await new Promise<void>(resolve => child.stdout?.once('data', () => resolve()))
        await new Promise(resolve => setTimeout(resolve, Math.random() * 30))
        child.kill('SIGSTOP')
        const persistence = new PersistenceCoordinator(backend())
        const taken = await takeOverFrozen(child, () => persistence.takeOver('s'))
        const { length } = taken.session
        await persistence.append('s', [mode(length)])
        child.kill('SIGCONT')
        assert.deepEqual(await closed, [0, null])
        assert.equal(said().at(-1), 'lost', 'it found out by itself')
        outputs.push(said())
        assert.deepEqual((await backend().read('s')).events[length], mode(length))
        assert.equal((await backend().read('s')).events.length, length + 1)
        await persistence.append('s', [{ ...mode(length + 1), time: -freeze }])
        await persistence.dispose()
      }
      const { events } = await backend().read('s')
      for (const event of outputs.flat()) if (event !== 'lost') assert.deepEqual(events[event.seq], event)
    })

    /** SQLite's own lock is held by a transaction that is frozen in its middle: then it has to run on for a moment. */
    async function takeOverFrozen<T>(child: ChildProcess, act: () => Promise<T>): Promise<T> {
      if (form !== 'sqlite') return act()
      try {
        return await act()
      } catch {
        child.kill('SIGCONT')
        await new Promise(resolve => setTimeout(resolve, 20))
        child.kill('SIGSTOP')
        return takeOverFrozen(child, act)
      }
    }
  })
}

function lines(output: string): Said[] {
  return output
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line) as Said)
}
