// Contenders in turn, several rounds, medians: so that what else the machine does meets all of them alike.
import { isPeerInstalled } from '../peer/install.ts'
import type { Who } from './contender.ts'
import { type Job, type Sample, sampleOf } from './job.ts'
import { options } from './options.ts'

export interface Measured {
  readonly milliseconds: number
  readonly peakMegabytes: number
  readonly result: number
}

export type Measurement = Readonly<Partial<Record<Who, Measured>>>

const order: readonly Who[] = ['ours', 'peer', 'floor']
type WithoutWho<T> = T extends Job ? Omit<T, 'who' | 'clock'> : never
export type JobOf = WithoutWho<Job>

/** In the order in which they take their turns. */
export function contestants(): readonly Who[] {
  return isPeerInstalled() ? order : order.filter(who => who !== 'peer')
}

/** One job per contender that takes part; `before` runs before each and is not timed. */
export async function inTurn(
  jobs: Readonly<Partial<Record<Who, JobOf>>>,
  rounds: number,
  before: (who: Who) => Promise<void> = async () => {},
): Promise<Measurement> {
  const samples = new Map<Who, Sample[]>()
  for (let round = 0; round < rounds; round++) {
    for (const who of contestants()) {
      const job = jobs[who]
      // What failed once is not tried again.
      if (job === undefined || (round > 0 && samples.get(who)?.length !== round)) continue
      await before(who)
      const sample = await sampleOf({ ...job, who, clock: options().clock })
      if (sample !== undefined) samples.set(who, [...(samples.get(who) ?? []), sample])
    }
  }
  return Object.fromEntries([...samples].map(([who, taken]) => [who, measuredOf(taken)]))
}

function measuredOf(samples: readonly Sample[]): Measured {
  return {
    milliseconds: median(samples.map(({ milliseconds }) => median(milliseconds))),
    peakMegabytes: median(samples.map(({ peakMegabytes }) => peakMegabytes)),
    result: samples.at(-1)?.result ?? 0,
  }
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? 0
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2
}
