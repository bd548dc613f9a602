import { newUserMessage } from '../../session/messages.ts'
import { turnBoundary } from '../../session/turns.ts'
import type { Agent } from '../agent.ts'
import { Prompt } from '../prompt.ts'
import type { AgentRuntime, PreStepListener } from '../runtime.ts'
import { type Tool, Tools } from '../tool.ts'
import type { ExplorerHost } from './explorer-host.ts'
import { EXPLORE, explorerBase, lastStep } from './words.ts'

/**
 * What an explorer works with: its parent's model route, clock, storage and question desk; tools and words of its own.
 * Plan mode, commands and approvals are not in it.
 */
export function explorerRuntime(
  parent: Agent,
  host: ExplorerHost,
  steps: number,
  base: (steps: number) => string = explorerBase,
): AgentRuntime {
  const { commands: _, ...shared } = parent.runtime
  const tools = new Tools()
  for (const tool of host.tools) tools.register(beforeLastStep(tool, steps))
  const prompt = new Prompt()
  prompt.register({ name: 'explorer:base', order: 0, render: () => base(steps) })
  for (const section of host.sections) prompt.register(section)
  return {
    ...shared,
    models: { choose: () => parent.runtime.models.choose(parent.session) },
    tools,
    prompt,
    stepBoundary: new Set(),
    preStep: new Set([bounded(steps)]),
    turnEnd: new Set(),
    kept: new Set(),
  }
}

/** Asked before `step/start`, so the fold still counts the steps before the proposed one. */
function beforeLastStep(tool: Tool, steps: number): Tool {
  const available = (agent: Agent) =>
    agent.session.state(turnBoundary).step < steps - 1 && (tool.available?.(agent) ?? true)
  return { ...tool, available }
}

/** Tells the last step that it is the last one, and lets none follow it. */
function bounded(steps: number): PreStepListener {
  return async ({ step }, next) => {
    if (step > steps) return { kind: 'refuse', reason: `An explorer has ${steps} steps.` }
    const decision = await next()
    if (step < steps || decision.kind === 'refuse') return decision
    const source = { kind: 'plugin' as const, plugin: EXPLORE, form: 'notice', summary: lastStep }
    return { kind: 'enter', messages: [...decision.messages, newUserMessage(lastStep, source)] }
  }
}
