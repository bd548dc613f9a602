// A process of its own: `apply` of every projection over so many events, each beside a bare loop that switches on the
// same types and looks at what it has to. Prints one JSON array of `Applied`.
import { installPlanMode } from '../../src/plan/plan-mode.ts'
import type { SessionEvent } from '../../src/session/events.ts'
import type { Projection } from '../../src/session/projections.ts'
import { testRuntime } from '../support/runtime.ts'
import { median } from './rounds.ts'
import { events } from './workload.ts'

/** Medians in milliseconds. */
export interface Applied {
  readonly key: string
  readonly ours: number
  readonly floor: number
}

type Loop = (events: readonly SessionEvent[]) => unknown

const isPlan = `if (event.data.name === 'exit_plan_mode' || event.data.name === 'revise_plan') own++`
const planCalls = { 'tool/call': isPlan, 'tool/code-dispatch-start': isPlan }
/** What tells whether an event of a type counts, by the keys of the projections that have to look; else its type does. */
const looks: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  turnBoundary: { 'turn/start': 'own = event.data.turn', 'step/start': 'own = event.data.step' },
  pictures: {
    'user/message': `for (const part of event.data.content) if (part.type === 'image') own++`,
    'tool/result': `for (const part of event.data.message.content) for (const each of part.content) if (each.type === 'image') own++`,
  },
  planTold: {
    'tool/call': `if (event.data.name === 'exit_plan_mode') own++`,
    'user/message': `if (event.data.source.kind === 'plugin') own++`,
  },
  review: planCalls,
  keptPlans: planCalls,
  approvedPlan: planCalls,
}

const WARM = 3
const ROUNDS = 15

const [, , count, clock] = process.argv

if (import.meta.main) {
  const all = [...events(Number(count))]
  process.stdout.write(JSON.stringify(projections().map(projection => applied(projection, all))), () => process.exit())
}

/** All that a window composes. */
function projections(): readonly Projection<unknown>[] {
  const runtime = testRuntime()
  installPlanMode(runtime, () => ({ section: 'Plan first.' }))
  return runtime.projections.all
}

/** Warm first, then in turn, the other one first in every other round. */
function applied(projection: Projection<unknown>, all: readonly SessionEvent[]): Applied {
  const [ours, floor] = [applyLoop(projection), bareLoop(projection)]
  for (let run = 0; run < WARM; run++) for (const loop of [ours, floor]) loop(all)
  const taken = { ours: [] as number[], floor: [] as number[] }
  for (let round = 0; round < ROUNDS; round++) {
    const order = round % 2 === 0 ? (['ours', 'floor'] as const) : (['floor', 'ours'] as const)
    for (const who of order) {
      const started = now()
      const loop = who === 'ours' ? ours : floor
      loop(all)
      taken[who].push(now() - started)
    }
  }
  return { key: projection.key, ours: median(taken.ours), floor: median(taken.floor) }
}

function now(): number {
  if (clock !== 'cpu') return performance.now()
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Each loop has a text of its own, by the key in it: of equal texts the engine makes one, which would know all projections. */
function applyLoop({ key, apply, initial }: Projection<unknown>): Loop {
  const source = `// ${key}
    let state = initial; for (const event of events) state = apply(state, event); return state`
  const loop = new Function('initial', 'apply', 'events', source)
  return all => loop(initial, apply, all)
}

function bareLoop({ key, types = [] }: Projection<unknown>): Loop {
  const cases = types.map(type => `case '${type}': ${looks[key]?.[type] ?? 'own++'}; break;`).join(' ')
  const source = `let own = 0; for (const event of events) { switch (event.type) { ${cases} default: } } return own`
  const loop = new Function('events', source)
  return all => loop(all)
}
