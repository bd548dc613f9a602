// One measurement in a process of its own: cold code, a clean heap, its own peak of memory.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Who } from './contender.ts'
import type { BenchLog } from './logs.ts'
import type { Clock } from './options.ts'
import type { Store } from './store.ts'

export type Job = (
  | { readonly act: 'open' | 'plan' | 'get' | 'boundary'; readonly log: BenchLog }
  | { readonly act: 'tail'; readonly log: BenchLog; readonly events: number }
  | { readonly act: 'tokens' | 'streamed'; readonly root: string; readonly tokens: number }
  | { readonly act: 'list'; readonly root: string; readonly store: Store }
) & { readonly who: Who; readonly runs: number; readonly clock?: Clock }

export interface Sample {
  /** Of each run, without the first where there are several. */
  readonly milliseconds: readonly number[]
  /** What the last run gave. */
  readonly result: number
  /** Highest resident memory of the process. */
  readonly peakMegabytes: number
}

const LONGEST_MS = 180_000
const measure = join(import.meta.dirname, 'measure.ts')

/** Undefined when it failed; standard error then says why. */
export function sampleOf(job: Job): Promise<Sample | undefined> {
  const child = spawn(process.execPath, ['--max-old-space-size=8192', measure, JSON.stringify(job)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: LONGEST_MS,
  })
  let output = ''
  child.stdout.on('data', text => (output += String(text)))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', code => {
      if (code !== 0) console.error(`  ${job.who} could not ${job.act} (${code ?? 'stopped after 3 minutes'})`)
      resolve(code === 0 ? JSON.parse(output) : undefined)
    })
  })
}
