import assert from 'node:assert/strict'
import { WriteBehind } from '../../../src/persistence/live/write-behind.ts'
import { ManualTimers } from './manual-timers.ts'

/** A queue over a list that only grows, and a store that does as it is told. */
class Bench {
  readonly timers = new ManualTimers()
  readonly batches: [number, number][] = []
  readonly problems: unknown[] = []
  length = 0
  /** Settles the write that is under way. */
  settle: ((error?: Error) => void) | undefined
  readonly queue = new WriteBehind({
    length: () => this.length,
    durable: 0,
    windowMs: 200,
    timers: this.timers,
    onProblem: error => this.problems.push(error instanceof Error ? error.message : error),
    write: (from, to) => {
      assert.equal(this.settle, undefined, 'one write at a time')
      this.batches.push([from, to])
      return new Promise((resolve, reject) => {
        this.settle = error => {
          this.settle = undefined
          if (error === undefined) resolve()
          else reject(error)
        }
      })
    },
  })

  grow(by = 1): void {
    for (let k = 0; k < by; k++) {
      this.length++
      this.queue.admit()
    }
  }

  async end(error?: Error): Promise<void> {
    assert.ok(this.settle, 'a write is under way')
    this.settle(error)
    await rest()
  }
}

/** Lets everything run that waits for nothing but its turn. */
function rest(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}

describe('write-behind', () => {
  it('writes one batch a fixed window after the first waiting entry', async () => {
    const bench = new Bench()
    bench.grow()
    bench.timers.advance(150)
    bench.grow(2)
    bench.timers.advance(49)
    assert.deepEqual(bench.batches, [])
    bench.timers.advance(1)
    assert.deepEqual(bench.batches, [[0, 3]])
    await bench.end()
    assert.equal(bench.queue.durable, 3)
    bench.timers.advance(1000)
    assert.deepEqual(bench.batches, [[0, 3]], 'nothing waits, so nothing is written')
  })

  it('makes what comes during a write the next batch, in its own window', async () => {
    const bench = new Bench()
    bench.grow()
    bench.timers.advance(200)
    bench.grow()
    bench.timers.advance(100)
    await bench.end()
    assert.deepEqual(bench.batches, [[0, 1]])
    bench.timers.advance(100)
    assert.deepEqual(bench.batches, [
      [0, 1],
      [1, 2],
    ])
    await bench.end()
  })

  it('writes a batch that fell due during a write right after it', async () => {
    const bench = new Bench()
    bench.grow()
    bench.timers.advance(200)
    bench.grow(2)
    bench.timers.advance(200)
    assert.deepEqual(bench.batches, [[0, 1]])
    await bench.end()
    assert.deepEqual(bench.batches.at(-1), [1, 3])
    await bench.end()
  })

  it('flush calls the wait off and resolves when all is durable', async () => {
    const bench = new Bench()
    bench.grow(2)
    let flushed = false
    const flush = bench.queue.flush().then(() => {
      flushed = true
    })
    assert.deepEqual(bench.batches, [[0, 2]])
    assert.equal(bench.timers.waiting, 0)
    await rest()
    assert.equal(flushed, false)
    await bench.end()
    await flush
  })

  it('flush waits for a write under way and then writes the rest', async () => {
    const bench = new Bench()
    bench.grow()
    bench.timers.advance(200)
    bench.grow()
    const flush = bench.queue.flush()
    await bench.end()
    assert.deepEqual(bench.batches.at(-1), [1, 2])
    await bench.end()
    await flush
    assert.equal(bench.queue.durable, 2)
  })

  it('flush has nothing to do on an empty or durable queue', async () => {
    const bench = new Bench()
    await bench.queue.flush()
    assert.deepEqual(bench.batches, [])
  })

  it('two flushes share a write', async () => {
    const bench = new Bench()
    bench.grow()
    const flushes = Promise.all([bench.queue.flush(), bench.queue.flush()])
    await bench.end()
    await flushes
    assert.deepEqual(bench.batches, [[0, 1]])
  })

  it('a failed flush rejects with the reason and keeps the entries; the next one writes them in order', async () => {
    const bench = new Bench()
    bench.grow(2)
    const failing = assert.rejects(bench.queue.flush(), /disk full/)
    await bench.end(new Error('disk full'))
    await failing
    assert.equal(bench.queue.durable, 0)
    assert.deepEqual(bench.problems, ['disk full'])
    const flush = bench.queue.flush()
    assert.deepEqual(bench.batches.at(-1), [0, 2])
    await bench.end()
    await flush
    assert.deepEqual(bench.problems, ['disk full', undefined])
  })

  it('a failed background write is not tried again by itself, but by the next entry', async () => {
    const bench = new Bench()
    bench.grow()
    bench.timers.advance(200)
    await bench.end(new Error('gone'))
    bench.timers.advance(60_000)
    assert.deepEqual(bench.batches, [[0, 1]])
    bench.grow()
    bench.timers.advance(200)
    assert.deepEqual(bench.batches.at(-1), [0, 2])
    await bench.end()
    assert.deepEqual(bench.problems, ['gone', undefined])
  })

  it('a batch that fell due during a failing write waits too, and does not block later ones', async () => {
    const bench = new Bench()
    bench.grow()
    bench.timers.advance(200)
    bench.grow()
    bench.timers.advance(200)
    await bench.end(new Error('gone'))
    assert.equal(bench.batches.length, 1)
    bench.grow()
    bench.timers.advance(200)
    assert.deepEqual(bench.batches.at(-1), [0, 3])
    await bench.end()
  })

  it('a flush during a failing background write is answered by its own try', async () => {
    const bench = new Bench()
    bench.grow()
    bench.timers.advance(200)
    const flush = bench.queue.flush()
    await bench.end(new Error('gone'))
    assert.deepEqual(bench.batches, [
      [0, 1],
      [0, 1],
    ])
    await bench.end()
    await flush
  })
})
