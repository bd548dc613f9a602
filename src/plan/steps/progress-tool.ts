import { z } from 'zod'
import type { Tool } from '../../agent/tool.ts'
import { planProjection } from '../projection.ts'
import * as words from '../words.ts'
import { approvedPlan, isCarriedOutHere, type StepProgress } from './approved-plan.ts'

const parameters = z.strictObject({
  step: z.string().min(1).describe(words.PROGRESS_STEP_DESCRIPTION),
  state: z.enum(['running', 'done', 'skipped']),
  note: z.string().max(500).optional().describe(words.PROGRESS_NOTE_DESCRIPTION),
})

/** `plan_progress`: the agent says where it is in the approved plan. Exists only while there is one to carry out. */
export const progressTool: Tool<z.infer<typeof parameters>> = {
  name: words.PLAN_PROGRESS,
  description: words.PROGRESS_TOOL_DESCRIPTION,
  parameters,
  order: Number.MAX_SAFE_INTEGER,
  available({ session }) {
    const { plan } = session.state(approvedPlan)
    return plan !== undefined && isCarriedOutHere(plan) && !session.state(planProjection).active
  },
  async run({ step, state, note }, { agent: { session, runtime } }) {
    const { plan } = session.state(approvedPlan)
    const known = plan?.steps.find(({ id }) => id === step)
    if (plan === undefined || known === undefined) {
      return { kind: 'failure', text: words.unknownStep(step, plan?.steps ?? []) }
    }
    session.append('plan/progress', { step, state, ...(note === undefined ? {} : { note }) })
    await runtime.flush(session)
    const open = session.state(approvedPlan).plan?.steps.filter(isOpen) ?? []
    return { kind: 'success', text: words.progressed(known.title, state, open) }
  },
}

function isOpen({ state }: StepProgress): boolean {
  return state === 'open' || state === 'running'
}
