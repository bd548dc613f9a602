import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Agent } from '../../../../src/agent/agent.ts'
import { compactCommand } from '../../../../src/agent/compaction/command.ts'
import { automaticCompaction } from '../../../../src/agent/compaction/compactor.ts'
import { openAgent } from '../../../../src/agent/live/live-agent.ts'
import type { OpenSession, SessionStore } from '../../../../src/persistence/store.ts'
import { installPlanMode } from '../../../../src/plan/plan-mode.ts'
import { DraftStore } from '../../../../src/review/drafts/draft-store.ts'
import type { ReviewDesk } from '../../../../src/review/review-desk.ts'
import { Conversation } from '../../../../src/vscode/conversations/conversation.ts'
import type { Project } from '../../../../src/vscode/conversations/project.ts'
import { WindowQuestions } from '../../../../src/vscode/questions/window-questions.ts'
import { Signal } from '../../../../src/vscode/signal.ts'
import { type TestRuntime, testRuntime } from '../../../support/runtime.ts'
import type { ScriptedModel } from '../../../support/scripted-model.ts'
import { testTool } from '../../../support/test-tool.ts'
import { SECTION } from '../fixture.ts'

/** One process that has the conversation open. */
export interface Life {
  readonly store: SessionStore
  readonly open: OpenSession
  readonly runtime: TestRuntime
  readonly agent: Agent
  readonly conversation: Conversation
  plan: ReturnType<typeof installPlanMode>
  provided: Disposable
}

export interface LifeParts {
  readonly store: SessionStore
  readonly open: OpenSession
  readonly model: ScriptedModel
  readonly desk: ReviewDesk
  /** Tokens, asked at each step. */
  readonly window: () => number
  /** The tool `hold`: resolves when the test lets it end. */
  readonly hold: () => Promise<void>
  readonly flush: (open: OpenSession) => Promise<void>
}

/** The real loop, plan mode, compaction, review desk and conversation over an open session. */
export function beginLife({ store, open, model, desk, window, hold, flush }: LifeParts): Life {
  const route = { provider: model.provider, model: model.modelId, languageModel: model }
  const runtime = testRuntime(model, { models: { choose: async () => ({ ...route, contextWindow: window() }) } })
  Object.assign(runtime, { compactor: automaticCompaction })
  runtime.onFlush = () => flush(open)
  runtime.commands.register(compactCommand)
  runtime.tools.register(
    testTool('hold', async () => {
      await hold()
      return { kind: 'success', text: 'held' }
    }),
  )
  const plan = installLifePlan(runtime)
  const provided = runtime.questions.provide(desk)
  const agent = openAgent(open.session, runtime)
  return {
    store,
    open,
    runtime,
    agent,
    plan,
    provided,
    conversation: conversationOf({ open, agent, runtime, desk, plan }),
  }
}

export function installLifePlan(runtime: TestRuntime): Life['plan'] {
  return installPlanMode(runtime, () => ({ section: SECTION }))
}

type Parts = Pick<Life, 'open' | 'agent' | 'runtime' | 'plan'> & { readonly desk: ReviewDesk }

function conversationOf({ open, agent, runtime, desk, plan }: Parts): Conversation {
  // What a conversation reads of its project.
  const project = {
    runtime,
    desk,
    controller: plan.controller,
    liveChanged: new Signal(),
    cards: { waitFor: () => false },
    questions: new WindowQuestions(),
    reviewDrafts: new DraftStore(join(tmpdir(), 'plan-mode-no-drafts')),
  }
  return new Conversation(project as unknown as Project, open, agent)
}
