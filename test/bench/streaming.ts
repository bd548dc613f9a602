// What a stream costs: one projection over a whole log, and one token on its way into the log.
import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Applied } from './applies.ts'
import { report } from './figure.ts'
import { benchFolder } from './logs.ts'
import { options } from './options.ts'
import { inTurn, type JobOf } from './rounds.ts'

const ROUNDS = 5
const TOKENS = 20_000
const NS = 1e6
const run = promisify(execFile)

export async function apply(): Promise<void> {
  const measure = join(import.meta.dirname, 'applies.ts')
  const { stdout } = await run(process.execPath, ['--max-old-space-size=8192', measure, '1000000', options().clock])
  for (const { key, ours, floor } of JSON.parse(stdout) as readonly Applied[]) {
    report({ name: `apply/1m/${key}/to-loop`, unit: 'ms', ours, floor, against: floor, goal: 1.2 })
  }
}

/** One streamed token: its way into the log alone, and all of it, from the model's interface through a whole turn. */
export async function tokens(): Promise<void> {
  await streamed('tokens', 'tokens/append/to-peer')
  await streamed('streamed', 'tokens/whole/to-peer')
}

async function streamed(act: 'tokens' | 'streamed', name: string): Promise<void> {
  const root = join(benchFolder(), `${act}-${process.pid}`)
  try {
    const jobOf = (who: string): JobOf => ({ act, root: join(root, who), tokens: TOKENS, runs: 6 })
    const { ours, peer } = await inTurn({ ours: jobOf('ours'), peer: jobOf('peer') }, ROUNDS)
    for (const { result } of [ours, peer].filter(taken => taken !== undefined)) {
      if (result < TOKENS) throw new Error(`A log of ${TOKENS} tokens has ${result} events.`)
    }
    const theirs = peer && peer.milliseconds * NS
    const mine = ours && ours.milliseconds * NS
    report({ name, unit: 'ns', ours: mine, peer: theirs, against: theirs, goal: 1 })
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}
