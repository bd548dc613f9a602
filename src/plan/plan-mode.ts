import type { Agent } from '../agent/agent.ts'
import type { AgentRuntime, StepBoundaryListener } from '../agent/runtime.ts'
import { planCommand } from './command.ts'
import { PlanModeController } from './controller.ts'
import { exitTool } from './exit-tool.ts'
import { keptPlans, planKept } from './kept.ts'
import { type PlanPolicy, policySection } from './policy.ts'
import { planProjection } from './projection.ts'
import { reviewProjection } from './review.ts'
import { reviseTool } from './revise/revise-tool.ts'
import { approvedPlan } from './steps/approved-plan.ts'
import { progressTool } from './steps/progress-tool.ts'
import { planTold } from './told.ts'

/**
 * Brings plan mode into a runtime: its projections, the step-boundary listener, what a compaction carries, the
 * `plan:policy` section, the exit tool and, where the runtime has commands, `/plan`. `policy` is read at each render. Disposal takes all of it out
 * again and fails the call of a review under way; plan mode stays, and so does the review.
 */
export function installPlanMode(
  runtime: AgentRuntime,
  policy: () => PlanPolicy,
): { readonly controller: PlanModeController } & Disposable {
  const controller = new PlanModeController()
  const installed = new AbortController()
  const boundary: StepBoundaryListener = proposal => controller.commit(proposal)
  const turnEnd = (agent: Agent) => controller.endTurn(agent)
  runtime.stepBoundary.add(boundary)
  runtime.turnEnd.add(turnEnd)
  runtime.kept.add(planKept)
  const parts: Disposable[] = [
    { [Symbol.dispose]: () => void runtime.stepBoundary.delete(boundary) },
    { [Symbol.dispose]: () => void runtime.turnEnd.delete(turnEnd) },
    { [Symbol.dispose]: () => void runtime.kept.delete(planKept) },
    runtime.projections.register(planProjection),
    runtime.projections.register(planTold),
    runtime.projections.register(reviewProjection),
    runtime.projections.register(keptPlans),
    runtime.projections.register(approvedPlan),
    runtime.prompt.register(policySection(policy)),
    runtime.tools.register(exitTool(installed.signal)),
    runtime.tools.register(reviseTool(installed.signal)),
    runtime.tools.register(progressTool),
  ]
  if (runtime.commands !== undefined) parts.push(runtime.commands.register(planCommand(controller)))
  return {
    controller,
    [Symbol.dispose]() {
      for (const part of parts) part[Symbol.dispose]()
      installed.abort()
    },
  }
}
