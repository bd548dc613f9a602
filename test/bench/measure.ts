// The process of one measurement: does the job it is given and prints a sample.
import type { Act, Contender, Who } from './contender.ts'
import type { Job, Sample } from './job.ts'

const [text = ''] = process.argv.slice(2)
const job: Job = JSON.parse(text)
const act = await actOf(await contenderOf(job.who), job)
const milliseconds: number[] = []
let result = 0
for (let run = 0; run < job.runs; run++) {
  const started = now()
  result = await act.run()
  milliseconds.push((now() - started) / (act.calls ?? 1))
}
const peakMegabytes = process.resourceUsage().maxRSS / 1024
if (milliseconds.length > 1) milliseconds.shift()
await act.end()
const sample: Sample = { milliseconds, result, peakMegabytes }
process.stdout.write(JSON.stringify(sample), () => process.exit())

function now(): number {
  if (job.clock !== 'cpu') return performance.now()
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Only the one that is measured is loaded. */
async function contenderOf(who: Who): Promise<Contender> {
  switch (who) {
    case 'ours':
      return (await import('./ours.ts')).ours
    case 'peer':
      return (await import('./peer.ts')).peer
    case 'floor':
      return (await import('./floor.ts')).floor
  }
}

async function actOf(contender: Contender, given: Job): Promise<Act> {
  switch (given.act) {
    case 'open':
      return contender.open(given.log)
    case 'plan':
      return contender.plan?.(given.log) ?? missing(given)
    case 'get':
      return contender.get?.(given.log) ?? missing(given)
    case 'boundary':
      return contender.boundary?.(given.log) ?? missing(given)
    case 'tokens':
      return contender.tokens?.(given.root, given.tokens) ?? missing(given)
    case 'streamed':
      return contender.streamed?.(given.root, given.tokens) ?? missing(given)
    case 'tail':
      return contender.tail?.(given.log, given.events) ?? missing(given)
    case 'list':
      return contender.list(given.root, given.store)
  }
}

function missing({ who, act }: Job): never {
  throw new Error(`${who} has no ${act}`)
}
