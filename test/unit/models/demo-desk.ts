// The demo model at work: the real loop, plan mode and tools, with a scripted human.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Agent } from '../../../src/agent/agent.ts'
import type { ApprovalOutcome } from '../../../src/agent/approvals.ts'
import { exploreTool } from '../../../src/agent/children/explore-tool.ts'
import type { ExplorerHost } from '../../../src/agent/children/explorer-host.ts'
import { ApprovalDesk } from '../../../src/agent/desks/approval-desk.ts'
import { openAgent } from '../../../src/agent/live/live-agent.ts'
import { type Question, type QuestionAnswers, UserQuestionError } from '../../../src/agent/questions.ts'
import { demoModel } from '../../../src/models/demo.ts'
import { installPlanMode } from '../../../src/plan/plan-mode.ts'
import { newUserMessage, textOf } from '../../../src/session/messages.ts'
import type { Session } from '../../../src/session/session.ts'
import { askUserQuestion } from '../../../src/tools/ask-user-question.ts'
import { readingTools, workspaceTools } from '../../../src/tools/workspace-tools.ts'
import { assertInvariants } from '../../support/invariants.ts'
import { eventsOf } from '../../support/reading.ts'
import { memorySession, testRuntime } from '../../support/runtime.ts'
import { Fixture } from '../tools/fixture.ts'

export type Verdict = 'Approve' | 'dismiss' | 'stop' | { feedback: string }

/** One conversation. What the human says to each plan comes from `verdicts`; edits are answered by `allow`. */
export class Desk implements AsyncDisposable {
  readonly files: Fixture
  readonly session: Session = memorySession()
  readonly agent: Agent
  readonly plans: string[] = []
  readonly approvals: string[] = []
  readonly verdicts: Verdict[]
  readonly plan: ReturnType<typeof installPlanMode>
  readonly asked: string[] = []
  /** The logs of the explorers that were sent out. */
  readonly explorers: Session[] = []
  readonly explorerHost: ExplorerHost
  allow: ApprovalOutcome = 'allowed-once'
  /** Whether the human closes the demo's questions; otherwise the first option answers each. */
  closesQuestions = false

  private constructor(files: Fixture, verdicts: Verdict[]) {
    this.files = files
    this.verdicts = verdicts
    const route = demoModel({ pause: 0, slowPause: 0 })
    const runtime = testRuntime(undefined, { models: { choose: async () => route } })
    // The time an explorer may take must not pass at once.
    runtime.clock.auto = false
    const approvals = new ApprovalDesk({ policy: () => 'ask' })
    approvals.provide({
      answer: async request => {
        this.approvals.push(request.change?.path ?? '')
        return this.allow
      },
    })
    for (const tool of workspaceTools({ root: files.root, forbidden: [files.logRoot], approvals }))
      runtime.tools.register(tool)
    runtime.tools.register(askUserQuestion)
    this.explorerHost = {
      tools: readingTools({ root: files.root, forbidden: [files.logRoot] }),
      sections: [],
      create: async header => {
        const session = memorySession({ ...header, id: crypto.randomUUID() })
        this.explorers.push(session)
        return { session, close: async () => {} }
      },
    }
    runtime.tools.register(exploreTool(this.explorerHost))
    this.plan = installPlanMode(runtime, () => ({ section: 'Plan first.' }))
    runtime.questions.provide({
      ask: async ({ questions, signal }) =>
        questions[0]?.intent === undefined ? this.#answer(questions) : this.#review(questions[0].detail ?? '', signal),
    })
    this.agent = openAgent(this.session, runtime)
  }

  static async open(files: Record<string, string>, verdicts: Verdict[] = []): Promise<Desk> {
    return new Desk(await Fixture.create(files), verdicts)
  }

  async say(text: string): Promise<void> {
    this.agent.prompt(newUserMessage(text))
    await this.agent.whenIdle()
  }

  /** What the model said, one string for each answer. */
  get said(): string[] {
    return eventsOf(this.session, 'assistant/message').map(({ data }) => textOf(data.message))
  }

  get called(): string[] {
    return eventsOf(this.session, 'tool/call').map(({ data }) => data.name)
  }

  async read(path: string): Promise<string> {
    return await readFile(join(this.files.root, path), 'utf8')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.agent.dispose()
    assertInvariants(this.session)
    await this.files[Symbol.asyncDispose]()
  }

  #answer(questions: readonly Question[]): QuestionAnswers {
    this.asked.push(...questions.map(({ question }) => question))
    if (this.closesQuestions) throw new UserQuestionError('ASK_CANCELLED', 'closed')
    return { answers: questions.map(({ id, options }) => ({ id, selected: [options?.[0]?.label ?? ''] })) }
  }

  #review(plan: string, signal: AbortSignal): QuestionAnswers {
    this.plans.push(plan)
    const verdict = this.verdicts.shift()
    if (verdict === 'stop') this.agent.cancel()
    signal.throwIfAborted()
    if (verdict === undefined || verdict === 'dismiss' || verdict === 'stop')
      throw new UserQuestionError('ASK_CANCELLED', 'closed')
    const answer = verdict === 'Approve' ? { selected: ['Approve'] } : { selected: [], custom: verdict.feedback }
    return { answers: [{ id: 'plan-review', ...answer }] }
  }
}
