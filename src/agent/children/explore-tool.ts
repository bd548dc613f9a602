import { z } from 'zod'
import type { Agent } from '../agent.ts'
import type { Tool, ToolOutcome } from '../tool.ts'
import { explore } from './explorer.ts'
import { type ExplorerHost, type ExplorerLimits, explorerLimits } from './explorer-host.ts'
import * as words from './words.ts'

const parameters = z.strictObject({
  task: z.string().trim().min(1).max(20_000).describe(words.TASK_DESCRIPTION),
  label: z.string().trim().min(1).max(80).optional().describe(words.LABEL_DESCRIPTION),
})

/**
 * `explore`: sends a read-only child out and gives its report back as data. Calls of one answer run side by side. A
 * session at the depth bound has no such tool.
 */
export function exploreTool(
  host: ExplorerHost,
  limits: ExplorerLimits = explorerLimits,
): Tool<z.infer<typeof parameters>> {
  const running = new WeakMap<Agent, number>()
  return {
    name: words.EXPLORE,
    description: words.EXPLORE_DESCRIPTION,
    parameters,
    parallel: true,
    available: agent => agent.session.header.delegationDepth < limits.depth,
    async run(errand, call) {
      const { agent } = call
      const beside = running.get(agent) ?? 0
      if (agent.session.header.delegationDepth >= limits.depth) return refusal('TOO_DEEP', words.tooDeep)
      if (beside >= limits.atOnce) return refusal('TOO_MANY_EXPLORERS', words.tooMany(limits.atOnce))
      running.set(agent, beside + 1)
      try {
        return await explore(errand, call, host, limits)
      } finally {
        running.set(agent, (running.get(agent) ?? 1) - 1)
      }
    },
  }
}

function refusal(code: string, text: string): ToolOutcome {
  return { kind: 'failure', text, error: { name: 'ExplorerError', code } }
}
