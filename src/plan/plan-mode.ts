import type { Agent } from '../agent/agent.ts'
import type { AgentRuntime, StepBoundaryListener } from '../agent/runtime.ts'
import { planCommand } from './command.ts'
import { PlanModeController } from './controller.ts'
import { exitTool } from './exit-tool.ts'
import { type PlanPolicy, policySection } from './policy.ts'
import { reviseTool } from './revise/revise-tool.ts'
import { progressTool } from './steps/progress-tool.ts'

/**
 * Brings plan mode into a runtime: the step-boundary listener, the `plan:policy` section, the exit tool and, where the
 * runtime has commands, `/plan`. `policy` is read at each render. Disposal takes all of it out again.
 */
export function installPlanMode(
  runtime: AgentRuntime,
  policy: () => PlanPolicy,
): { readonly controller: PlanModeController } & Disposable {
  const controller = new PlanModeController()
  const boundary: StepBoundaryListener = proposal => controller.commit(proposal)
  const turnEnd = (agent: Agent) => controller.endTurn(agent)
  runtime.stepBoundary.add(boundary)
  runtime.turnEnd.add(turnEnd)
  const parts: Disposable[] = [
    { [Symbol.dispose]: () => void runtime.stepBoundary.delete(boundary) },
    { [Symbol.dispose]: () => void runtime.turnEnd.delete(turnEnd) },
    runtime.prompt.register(policySection(policy)),
    runtime.tools.register(exitTool),
    runtime.tools.register(reviseTool),
    runtime.tools.register(progressTool),
  ]
  if (runtime.commands !== undefined) parts.push(runtime.commands.register(planCommand(controller)))
  return {
    controller,
    [Symbol.dispose]() {
      for (const part of parts) part[Symbol.dispose]()
    },
  }
}
