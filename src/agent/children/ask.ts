import { type Explored, type Sender, sendOut } from './explorer.ts'
import type { ExplorerHost, ExplorerLimits } from './explorer-host.ts'
import { explorerLimits } from './explorer-host.ts'
import { ASK_LABEL, answererBase, askTask } from './words.ts'

/** A question of a person about a plan; `range` (offsets, `end` exclusive) null: about all of it. */
export interface PlanQuestion {
  readonly question: string
  readonly plan: string
  readonly range: { readonly start: number; readonly end: number } | null
}

/** A person waits: fewer steps, less time than an explorer of an agent has. */
export const askLimits: ExplorerLimits = { ...explorerLimits, steps: 15, ms: 300_000 }

/** Characters of a plan that an explorer is given; of a longer one, those around the question. */
const MOST_PLAN = 60_000

/** Asks a read-only explorer about a plan. Its answer decides nothing. @throws as `sendOut` */
export function askAboutPlan(
  { question, plan, range }: PlanQuestion,
  sender: Sender,
  host: ExplorerHost,
  limits: ExplorerLimits = askLimits,
): Promise<Explored> {
  const cut = plan.length > MOST_PLAN
  const middle = range === null ? 0 : Math.floor((range.start + range.end) / 2)
  const start = cut ? Math.max(0, Math.min(middle - MOST_PLAN / 2, plan.length - MOST_PLAN)) : 0
  const given = {
    question,
    plan: plan.slice(start, start + MOST_PLAN),
    cut,
    quote: range === null ? undefined : plan.slice(range.start, range.end).slice(0, MOST_PLAN),
  }
  const task = askTask(given, crypto.randomUUID())
  return sendOut({ task, label: ASK_LABEL, base: answererBase }, sender, host, limits)
}
