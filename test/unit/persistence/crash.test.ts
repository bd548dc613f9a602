import assert from 'node:assert/strict'
import { once } from 'node:events'
import { PersistenceCoordinator } from '../../../src/persistence/coordinator.ts'
import type { Encoding } from '../../../src/persistence/jsonl/encoding.ts'
import { JsonlBackend } from '../../../src/persistence/jsonl/jsonl-backend.ts'
import { endOf, startChild } from './child.ts'
import { useFolder } from './scratch.ts'

/** More of them with CRASH_ROUNDS=500. */
const ROUNDS = Number(process.env.CRASH_ROUNDS ?? 20)

describe('a process that is killed while it writes', function () {
  this.timeout(ROUNDS * 10_000)
  const folder = useFolder()

  it('loses nothing it had acknowledged, and the raw log opens every time', () => loseNothing('none'))
  it('loses nothing it had acknowledged, and the compressed log opens every time', () => loseNothing('zstd'))

  async function loseNothing(encoding: Encoding): Promise<void> {
    const persistence = new PersistenceCoordinator(new JsonlBackend({ root: folder(), encoding }))
    let acknowledged = 0
    let interrupted = 0
    for (let round = 0; round < ROUNDS; round++) {
      const said = await runAndKill(folder(), encoding)
      acknowledged += said.length
      const stored = await persistence.readFrom('s', 0)
      for (const event of said) assert.deepEqual(stored[event.seq], event)
      const { events, closers } = await persistence.inspect('s')
      assert.equal(events.length, stored.length + closers.length)
      if (closers.length > 0) interrupted++
    }
    assert.ok(acknowledged > ROUNDS, `there was something to lose (${acknowledged})`)
    assert.ok(interrupted > 0, 'some kills hit an open turn')
    const { events } = await persistence.load('s')
    assert.ok(events.every((event, seq) => event.seq === seq))
    await persistence.dispose()
  }

  /** What the child said to be durable before it was killed at a random point. */
  async function runAndKill(root: string, encoding: Encoding): Promise<{ seq: number }[]> {
    const child = startChild('append.ts', [root, encoding])
    let output = ''
    const started = new Promise<void>(resolve => {
      child.stdout?.on('data', chunk => {
        output += String(chunk)
        resolve()
      })
    })
    await Promise.race([started, endOf(child)])
    await new Promise(resolve => setTimeout(resolve, Math.random() * 60))
    const closed = once(child, 'close')
    child.kill('SIGKILL')
    assert.deepEqual(await closed, [null, 'SIGKILL'])
    const whole = output.split('\n').slice(0, -1)
    return whole.map(line => JSON.parse(line) as { seq: number })
  }
})
