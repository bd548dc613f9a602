import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PersistenceCoordinator } from '../../../../src/persistence/coordinator.ts'
import { useFolder } from '../scratch.ts'
import { endOf, startChild, textOf } from './child-output.ts'
import { backendAt, store } from './database-file.ts'

/** More of them with CRASH_ROUNDS=500. */
const KILLS = Number(process.env.CRASH_ROUNDS ?? 20)
/** Events after which processes that take turns have shown what they do. */
const ENOUGH = 60

describe('processes that share a database', function () {
  this.timeout(120_000 + KILLS * 5000)
  const root = useFolder()

  it('two take turns on one session and neither interleave, lose nor double an event', () => contend('contend.ts', 2))
  it('three do the same', () => contend('contend.ts', 3))
  it('three that take the place from each other by force do so, too', () => contend('snatch.ts', 3))

  async function contend(script: string, count: number): Promise<void> {
    await store(root())
    const stop = join(root(), 'stop')
    const children = Array.from({ length: count }, (_, k) => startChild(script, [root(), stop, String(k + 1)]))
    const said = children.map(() => 0)
    const outputs = await Promise.all(
      children.map((child, k) =>
        textOf(child, text => {
          said[k] = text.split('\n').length - 1
          // They worked enough, and more than one of them.
          if (said.filter(own => own > 0).length > 1 && sum(said) > ENOUGH) writeFileSync(stop, '')
        }),
      ),
    )
    assert.deepEqual(
      await Promise.all(children.map(endOf)),
      children.map(() => 0),
    )
    const acknowledged = outputs.flatMap(eventsIn).sort((a, b) => a.seq - b.seq)
    const { events, torn } = await backendAt(root()).read('s')
    assert.equal(torn, false)
    assert.deepEqual(acknowledged, events.slice(5), 'what is stored is what was acknowledged, each once, in order')
    assert.ok(outputs.filter(output => output !== '').length > 1, 'more than one got to write')
  }

  it('a process that is killed while it writes loses nothing it had acknowledged', async () => {
    const persistence = new PersistenceCoordinator(backendAt(root()))
    let acknowledged = 0
    let interrupted = 0
    for (let round = 0; round < KILLS; round++) {
      const said = await runAndKill()
      acknowledged += said.length
      const stored = await persistence.readFrom('s', 0)
      for (const event of said) assert.deepEqual(stored[event.seq], event)
      const { events, closers } = await persistence.inspect('s')
      assert.equal(events.length, stored.length + closers.length)
      if (closers.length > 0) interrupted++
    }
    assert.ok(acknowledged > KILLS, `there was something to lose (${acknowledged})`)
    assert.ok(interrupted > 0, 'some kills hit an open turn')
    const { events } = await persistence.load('s')
    assert.ok(events.every((event, seq) => event.seq === seq))
    await persistence.dispose()
  })

  /** What the child said to be durable before it was killed at a random point. */
  async function runAndKill(): Promise<{ seq: number }[]> {
    const child = startChild('append.ts', [root()])
    const output = textOf(child)
    if (child.stdout !== null) await Promise.race([once(child.stdout, 'readable'), endOf(child)])
    await new Promise(resolve => setTimeout(resolve, Math.random() * 60))
    child.kill('SIGKILL')
    assert.equal(await endOf(child), 'SIGKILL')
    return eventsIn(await output)
  }
})

function eventsIn(output: string): { seq: number }[] {
  const lines = output.split('\n').slice(0, -1)
  return lines.map(line => JSON.parse(line) as { seq: number })
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((one, other) => one + other, 0)
}
