// Durable appends. All contenders take turns batch by batch in this process, each at its own log on one disk.
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { SessionEvent } from '../../src/session/events.ts'
import type { Act, Who } from './contender.ts'
import { report } from './figure.ts'
import { floor } from './floor.ts'
import { benchFolder } from './logs.ts'
import { ours } from './ours.ts'
import { peer } from './peer.ts'
import { contestants, median } from './rounds.ts'
import { has, nameOf, type Store } from './store.ts'
import { events } from './workload.ts'

/** Events per batch, and how many batches: so many that the median is of code that has run for a while. */
const sizes = [
  [1, 2000],
  [50, 1000],
  [1000, 100],
] as const
const stores: readonly Store[] = ['none', 'zstd', 'sqlite']
const contenders = { ours, peer, floor }

type Batches = readonly (readonly SessionEvent[])[]

export async function append(): Promise<void> {
  const root = join(benchFolder(), `append-${process.pid}`)
  try {
    for (const store of stores.filter(has)) {
      for (const [size, count] of sizes) await appended(root, store, batchesOf(size, count))
    }
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}

async function appended(root: string, store: Store, batches: Batches): Promise<void> {
  // A database is held against the peer's raw log, and not against a bare file.
  const text = store === 'sqlite' ? 'none' : store
  const acts = new Map<Who, Act>()
  for (const who of contestants()) {
    const folder = join(root, `${who}-${store}-${batches[0]?.length}`)
    const act = await contenders[who].append(folder, who === 'ours' ? store : text, batches).catch(failed)
    if (act !== undefined) acts.set(who, act)
  }
  const taken = await inTurns(acts, batches.length)
  for (const act of acts.values()) await act.end()
  const [mine, theirs, least] = (['ours', 'peer', 'floor'] as const).map(who => taken.get(who))
  const figure = { unit: 'ms', ours: mine, peer: theirs, floor: least }
  const name = `append/${batches[0]?.length}/${nameOf(store)}`
  report({ ...figure, name: `${name}/to-peer`, against: theirs, goal: 1 })
  if (store !== 'sqlite') report({ ...figure, name: `${name}/to-floor`, against: least, goal: 1.25 })
}

/** Medians in milliseconds; the first batch, which makes the log, counts for nobody. */
async function inTurns(acts: ReadonlyMap<Who, Act>, count: number): Promise<ReadonlyMap<Who, number>> {
  const times = new Map<Who, number[]>()
  for (let batch = 0; batch < count; batch++) {
    for (const [who, act] of acts) {
      const started = performance.now()
      await act.run()
      const took = performance.now() - started
      if (batch > 0) times.set(who, [...(times.get(who) ?? []), took])
    }
  }
  return new Map([...times].map(([who, taken]) => [who, median(taken)]))
}

function batchesOf(size: number, count: number): Batches {
  const all = [...events(size * count + 1000)]
  return Array.from({ length: count }, (_, k) => all.slice(k * size, (k + 1) * size))
}

function failed(error: unknown): undefined {
  console.error(`  ${error instanceof Error ? error.message : String(error)}`)
}
