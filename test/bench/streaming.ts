// What a stream costs: one projection over a whole log, and one token on its way into the log.
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { report } from './figure.ts'
import { benchFolder } from './logs.ts'
import { inTurn, type JobOf } from './rounds.ts'

const ROUNDS = 3
const NS = 1e6

export async function apply(): Promise<void> {
  const job: JobOf = { act: 'apply', events: 1_000_000, runs: 9 }
  const { ours, floor } = await inTurn({ ours: job, floor: job }, ROUNDS)
  const least = floor?.milliseconds
  report({ name: 'apply/1m/to-loop', unit: 'ms', ours: ours?.milliseconds, floor: least, against: least, goal: 1.2 })
}

/** From the append to the session on: what an agent's loop adds to it is not measured. */
export async function tokens(): Promise<void> {
  const root = join(benchFolder(), `tokens-${process.pid}`)
  try {
    const jobOf = (who: string): JobOf => ({ act: 'tokens', root: join(root, who), tokens: 20_000, runs: 6 })
    const { ours, peer } = await inTurn({ ours: jobOf('ours'), peer: jobOf('peer') }, ROUNDS)
    const theirs = peer && peer.milliseconds * NS
    const mine = ours && ours.milliseconds * NS
    report({ name: 'tokens/append/to-peer', unit: 'ns', ours: mine, peer: theirs, against: theirs, goal: 1 })
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}
