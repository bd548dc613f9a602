import { z } from 'zod'
import type { Tool } from '../agent/tool.ts'
import { presentPlan } from './present-plan.ts'
import { planProjection } from './projection.ts'
import * as words from './words.ts'

const parameters = z.strictObject({ plan: z.string().describe(words.EXIT_PLAN_DESCRIPTION) })

/**
 * `exit_plan_mode`: presents the plan and leaves plan mode only on an exact approval. Exists for the model only while
 * plan mode is committed. `installed` aborts when what put the tool there is gone.
 */
export function exitTool(installed: AbortSignal): Tool<z.infer<typeof parameters>> {
  return {
    name: words.EXIT_PLAN_MODE,
    description: words.EXIT_TOOL_DESCRIPTION,
    parameters,
    order: Number.MAX_SAFE_INTEGER,
    available: ({ session, runtime }) => runtime.projections.state(session, planProjection).active,
    run: ({ plan }, call) => presentPlan(plan, call, { installed }),
  }
}
