import assert from 'node:assert/strict'
import { once } from 'node:events'
import { PersistenceCoordinator } from '../../../../src/persistence/coordinator.ts'
import { useFolder } from '../scratch.ts'
import { endOf, startChild, textOf } from './child-output.ts'
import { backendAt, store } from './database-file.ts'

const KILLS = 20

describe('processes that share a database', function () {
  this.timeout(120_000)
  const root = useFolder()

  it('two take turns on one session and neither interleave, lose nor double an event', () => contend('contend.ts', 2))
  it('three do the same', () => contend('contend.ts', 3))
  it('three that take the place from each other by force do so, too', () => contend('snatch.ts', 3))

  async function contend(script: string, count: number): Promise<void> {
    await store(root())
    const until = String(Date.now() + 3000)
    const children = Array.from({ length: count }, (_, k) => startChild(script, [root(), until, String(k + 1)]))
    const outputs = await Promise.all(children.map(textOf))
    assert.deepEqual(
      await Promise.all(children.map(endOf)),
      children.map(() => 0),
    )
    const said = outputs.map(output =>
      output
        .split('\n')
        .slice(0, -1)
        .map(line => JSON.parse(line) as { seq: number }),
    )
    const { events, torn } = await backendAt(root()).read('s')
    assert.equal(torn, false)
    const acknowledged = said.flat().sort((a, b) => a.seq - b.seq)
    assert.deepEqual(acknowledged, events.slice(5), 'what is stored is what was acknowledged, each once, in order')
    assert.ok(acknowledged.length > 30, `they did work (${acknowledged.length})`)
    assert.ok(said.filter(own => own.length > 0).length > 1, 'more than one got to write')
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
    return (await output)
      .split('\n')
      .slice(0, -1)
      .map(line => JSON.parse(line) as { seq: number })
  }
})
