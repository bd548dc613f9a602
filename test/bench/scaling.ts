// What must not grow with the log: the state of plan mode at window start, the last events, the mode of an open session.
import { report } from './figure.ts'
import { logOf } from './logs.ts'
import { makeIndex } from './open.ts'
import { inTurn, type JobOf } from './rounds.ts'
import { has, nameOf, type Store } from './store.ts'

const LARGE = 1_000_000
const stores: readonly Store[] = ['none', 'zstd', 'sqlite']
const ROUNDS = 3
/** Asked of a session that is open, so that no index matters. */
const OPEN: ReadonlySet<string> = new Set(['get', 'boundary'])

export async function plan(): Promise<void> {
  for (const store of stores.filter(has)) {
    await scaled({ name: `plan/1m-to-10k/${nameOf(store)}`, store, small: 10_000, goal: 1.5, act: 'plan', runs: 1 })
  }
}

export async function tail(): Promise<void> {
  for (const store of stores.filter(has)) {
    await scaled({ name: `tail/1m-to-10k/${nameOf(store)}`, store, small: 10_000, goal: 1.5, act: 'tail', runs: 2 })
  }
}

export async function get(): Promise<void> {
  await scaled({ name: 'get/1m-to-1k', store: 'none', small: 1000, goal: 1.2, act: 'get', runs: 20 })
}

export async function boundary(): Promise<void> {
  await scaled({ name: 'boundary/1m-to-1k', store: 'none', small: 1000, goal: 1.2, act: 'boundary', runs: 9 })
}

interface Scaled {
  readonly name: string
  readonly store: Store
  readonly small: number
  readonly goal: number
  readonly act: 'plan' | 'tail' | 'get' | 'boundary'
  readonly runs: number
}

async function scaled({ name, store, small, goal, act, runs }: Scaled): Promise<void> {
  const logs = await Promise.all([small, LARGE].map(events => logOf({ events, store, packed: true })))
  const indexed: boolean[] = []
  for (const log of OPEN.has(act) ? [] : logs) indexed.push(await makeIndex(log))
  const jobs = logs.map((log): JobOf => (act === 'tail' ? { act, log, events: 100, runs } : { act, log, runs }))
  const [smallJob, largeJob] = jobs
  if (smallJob === undefined || largeJob === undefined) return
  const peers = store === 'sqlite' || act === 'boundary' ? {} : { peer: largeJob }
  // In turn, too: a round of the small one, then one of the large.
  const smalls: number[] = []
  const larges: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    smalls.push((await inTurn({ ours: smallJob }, 1)).ours?.milliseconds ?? Number.NaN)
    larges.push((await inTurn({ ours: largeJob }, 1)).ours?.milliseconds ?? Number.NaN)
  }
  const { peer } = await inTurn(peers, 1)
  const factor = OPEN.has(act) ? 1e6 : 1
  const [little, ours] = [smalls, larges].map(values => values.toSorted((a, b) => a - b)[1] ?? Number.NaN)
  const known = (value: number | undefined) => (value === undefined || Number.isNaN(value) ? undefined : value * factor)
  const unit = OPEN.has(act) ? 'ns' : 'ms'
  const note = `${known(little)?.toPrecision(4)} ${unit} at ${small} events${indexed.includes(false) ? '; there is no index yet' : ''}`
  report({ name, unit, ours: known(ours), peer: known(peer?.milliseconds), against: known(little), goal, note })
}
