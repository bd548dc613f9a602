// Opening a cold log to a ready session, with and without an index, and the memory it takes.
import { readdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { report } from './figure.ts'
import { sampleOf } from './job.ts'
import { type BenchLog, type LogShape, logOf } from './logs.ts'
import { inTurn, type Measurement } from './rounds.ts'
import { has, nameOf, type Store } from './store.ts'

const sizes = [200_000, 1_000_000]
const stores: readonly Store[] = ['none', 'zstd']
const ROUNDS = 3
const taken = new Map<string, Measurement>()

export async function open(): Promise<void> {
  for (const shape of shapes(sizes)) {
    const { ours, peer, floor } = millisecondsOf(await opened(shape))
    const name = `open/${nameOfShape(shape)}`
    report({ name: `${name}/to-peer`, unit: 'ms', ours, peer, floor, against: peer, goal: 0.667 })
    report({ name: `${name}/to-floor`, unit: 'ms', ours, peer, floor, against: floor, goal: 1.2 })
  }
}

export async function openIndexed(): Promise<void> {
  for (const shape of shapes(sizes)) {
    const { peer, floor } = millisecondsOf(await opened(shape))
    const log = await logOf(shape)
    const indexed = await makeIndex(log)
    const { ours } = indexed ? await inTurn({ ours: { act: 'open', log, runs: 1 } }, ROUNDS) : {}
    const name = `open-indexed/${nameOfShape(shape)}/to-peer`
    const note = indexed ? undefined : 'there is no index yet'
    report({ name, unit: 'ms', ours: ours?.milliseconds, peer, floor, against: peer, goal: 0.05, note })
  }
}

export async function memory(): Promise<void> {
  for (const shape of shapes([1_000_000])) {
    const { ours, peer, floor } = await opened(shape)
    report({
      name: `memory/${nameOfShape(shape)}/to-peer`,
      unit: 'MB',
      ours: ours?.peakMegabytes,
      peer: peer?.peakMegabytes,
      floor: floor?.peakMegabytes,
      against: peer?.peakMegabytes,
      goal: 0.5,
    })
  }
}

/** True when opening this log leaves an index beside it. */
export async function makeIndex(log: BenchLog): Promise<boolean> {
  if (log.store === 'sqlite') {
    await sampleOf({ act: 'plan', log, runs: 1, who: 'ours' })
    return true
  }
  await sampleOf({ act: 'open', log, runs: 1, who: 'ours' })
  const lock = /^writer\./
  return (await readdir(dirname(log.file))).some(name => join(dirname(log.file), name) !== log.file && !lock.test(name))
}

async function opened(shape: LogShape): Promise<Measurement> {
  const name = nameOfShape(shape)
  const known = taken.get(name)
  if (known !== undefined) return known
  const log = await logOf(shape)
  const job = { act: 'open', log, runs: 1 } as const
  const measured = await inTurn({ ours: job, peer: job, floor: job }, ROUNDS, who => {
    return who === 'ours' ? forgetIndex(log) : Promise.resolve()
  })
  const found = measured.ours?.result ?? shape.events
  if (found !== shape.events) throw new Error(`${name} was opened with ${found} events.`)
  taken.set(name, measured)
  return measured
}

async function forgetIndex({ file }: BenchLog): Promise<void> {
  for (const name of await readdir(dirname(file))) {
    const path = join(dirname(file), name)
    if (path !== file) await rm(path, { recursive: true })
  }
}

function* shapes(counts: readonly number[]): Generator<LogShape, void> {
  for (const events of counts) {
    for (const store of stores.filter(has)) for (const packed of [true, false]) yield { events, store, packed }
  }
}

function nameOfShape({ events, store, packed }: LogShape): string {
  const size = events < 1_000_000 ? `${events / 1000}k` : `${events / 1_000_000}m`
  return `${size}/${nameOf(store)}/${packed ? 'packed' : 'plain'}`
}

function millisecondsOf(measured: Measurement) {
  return {
    ours: measured.ours?.milliseconds,
    peer: measured.peer?.milliseconds,
    floor: measured.floor?.milliseconds,
  }
}
