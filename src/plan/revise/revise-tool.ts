import { z } from 'zod'
import type { Tool, ToolCall, ToolOutcome } from '../../agent/tool.ts'
import type { Session } from '../../session/session.ts'
import { presentPlan } from '../present-plan.ts'
import { planProjection } from '../projection.ts'
import { planText, reviewProjection } from '../review.ts'
import * as words from '../words.ts'
import { applyDiff, applyReplacements, type Revised } from './apply-edits.ts'

const parameters = z.strictObject({
  edits: z
    .array(z.strictObject({ old: z.string(), new: z.string() }))
    .min(1)
    .optional()
    .describe(words.REVISE_EDITS_DESCRIPTION),
  diff: z.string().optional().describe(words.REVISE_DIFF_DESCRIPTION),
})
type Arguments = z.infer<typeof parameters>

/**
 * `revise_plan`: presents the last presented plan again with edits, at the cost of what changed. The whole text is
 * rebuilt, logged, reviewed and hashed like any other. Exists only while there is a plan to revise. `installed`: see
 * `presentPlan`.
 */
export function reviseTool(installed: AbortSignal): Tool<Arguments> {
  return {
    name: words.REVISE_PLAN,
    description: words.REVISE_TOOL_DESCRIPTION,
    parameters,
    order: Number.MAX_SAFE_INTEGER,
    available: ({ session }) => session.state(planProjection).active && session.state(reviewProjection).presented > 0,
    async run(args, call) {
      const revised = revise(args, call)
      if (revised.kind === 'refused') return failure(words.editsRefused(revised.why))
      return await presentPlan(revised.text, call, { installed, logsText: true })
    },
  }
}

function revise({ edits, diff }: Arguments, { agent: { session } }: ToolCall): Revised {
  const plan = textToRevise(session)
  if (plan === undefined) return { kind: 'refused', why: words.nothingToRevise }
  if ((edits === undefined) === (diff === undefined)) return { kind: 'refused', why: words.oneWayToRevise }
  return edits === undefined ? applyDiff(plan, diff ?? '') : applyReplacements(plan, edits)
}

/** The plan presented last, with the edits that a human made to it; undefined when there is none to read. */
function textToRevise(session: Session): string | undefined {
  const { waiting, decided } = session.state(reviewProjection)
  const last = waiting ?? decided
  if (last === null) return undefined
  const decision = last === decided ? session.at(decided.seq) : undefined
  const edited = decision?.type === 'review/decided' ? decision.data.edited?.plan : undefined
  return edited ?? planText(session, last)
}

function failure(text: string): ToolOutcome {
  return { kind: 'failure', text }
}
