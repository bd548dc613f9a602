import type { Agent } from '../../agent/agent.ts'
import type { Approvals } from '../../agent/approvals.ts'
import { exploreTool } from '../../agent/children/explore-tool.ts'
import { automaticCompaction } from '../../agent/compaction/compactor.ts'
import { ApprovalDesk } from '../../agent/desks/approval-desk.ts'
import { CommandRegistry } from '../../agent/desks/command-registry.ts'
import { QuestionDesk } from '../../agent/desks/question-desk.ts'
import { LiveAgents } from '../../agent/live/live-agents.ts'
import { agentProjections } from '../../agent/live/projections.ts'
import { Prompt } from '../../agent/prompt.ts'
import type { AgentRuntime } from '../../agent/runtime.ts'
import { type Tool, Tools } from '../../agent/tool.ts'
import type { AttachmentStore } from '../../persistence/attachments/attachment-store.ts'
import { askUserQuestion } from '../../tools/ask-user-question.ts'
import { workspaceTools } from '../../tools/workspace-tools.ts'
import type { Explorers } from '../explorers/explorers.ts'
import { baseSections } from './base-prompt.ts'
import type { ProjectParts } from './project.ts'

/** What a folder's agents run with, and what has to be let go of with it. */
export interface ProjectRuntime {
  readonly runtime: AgentRuntime
  readonly parts: readonly Disposable[]
}

interface Owned {
  readonly attachments: AttachmentStore
  readonly explorers: Explorers
  readonly flush: AgentRuntime['flush']
}

/** Every tool, desk and section that does not depend on plan mode. */
export function assembleRuntime(parts: ProjectParts, { attachments, explorers, flush }: Owned): ProjectRuntime {
  const prompt = new Prompt()
  for (const section of baseSections(parts)) prompt.register(section)
  const tools = new Tools(parts.toolsMode)
  const approvals = new ApprovalDesk({ policy: parts.approvalPolicy })
  for (const tool of toolsOf(parts, approvals, attachments)) tools.register(tool)
  tools.register(askUserQuestion)
  tools.register(exploreTool(explorers))
  const questions = new QuestionDesk()
  const runtime = {
    models: parts.models,
    tools,
    prompt,
    questions,
    commands: new CommandRegistry(),
    projections: agentProjections(),
    agents: new LiveAgents(),
    attachments,
    stepBoundary: new Set(),
    preStep: new Set(),
    turnEnd: new Set(),
    kept: new Set(),
    compactor: automaticCompaction,
    flush,
    now: Date.now,
    sleep,
    onError: (_agent: Agent, error: unknown) => parts.onError(error),
  } satisfies AgentRuntime
  return { runtime, parts: [approvals.provide(parts.cards), questions.provide(parts.questions)] }
}

function toolsOf(parts: ProjectParts, approvals: Approvals, images: AttachmentStore): readonly Tool[] {
  return workspaceTools({ ...placeOf(parts, images), approvals, openDocuments: { isDirty: parts.isDirty } })
}

/** Where tools look, and where they never do. */
export function placeOf({ folder, root, ripgrep }: ProjectParts, images: AttachmentStore) {
  return { root: folder, forbidden: [root], images, ...(ripgrep === undefined ? {} : { ripgrep }) }
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort)
      resolve()
    }, ms)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  })
}
