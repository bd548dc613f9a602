// Listing a root of many sessions.
import { report } from './figure.ts'
import { listedRoot } from './logs.ts'
import { inTurn } from './rounds.ts'
import { has, nameOf } from './store.ts'

const SESSIONS = 10_000
const ROUNDS = 3

export async function list(): Promise<void> {
  for (const store of (['none', 'zstd'] as const).filter(has)) {
    const root = await listedRoot(SESSIONS, store)
    const job = { act: 'list', root, store, runs: 1 } as const
    const { ours, peer, floor } = await inTurn({ ours: job, peer: job, floor: job }, ROUNDS)
    // The events of these logs cannot be parsed, so whoever lists all of them has parsed none.
    const all = ours?.result === SESSIONS
    report({
      name: `list/10k/${nameOf(store)}/to-peer`,
      unit: 'ms',
      ours: all ? ours.milliseconds : undefined,
      peer: peer?.milliseconds,
      floor: floor?.milliseconds,
      against: peer?.milliseconds,
      goal: 1,
      note: all ? undefined : `only ${ours?.result} of ${SESSIONS} are listed`,
    })
  }
}
