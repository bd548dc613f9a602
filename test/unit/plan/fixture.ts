import assert from 'node:assert/strict'
import type { Agent } from '../../../src/agent/agent.ts'
import { openAgent } from '../../../src/agent/live/live-agent.ts'
import type { QuestionAnswers, QuestionProvider } from '../../../src/agent/questions.ts'
import type { ToolsMode } from '../../../src/agent/tool.ts'
import type { ReviewAside } from '../../../src/plan/aside.ts'
import type { PlanModeController } from '../../../src/plan/controller.ts'
import { installPlanMode } from '../../../src/plan/plan-mode.ts'
import { REVIEW_QUESTION_ID } from '../../../src/plan/present-plan.ts'
import { type PresentedReview, reviewProjection } from '../../../src/plan/review.ts'
import { ReviewDesk, type Verdict } from '../../../src/review/review-desk.ts'
import { PlanModeError } from '../../../src/session/errors.ts'
import type { EventData, EventType, SessionEvent } from '../../../src/session/events.ts'
import { newHeader } from '../../../src/session/header.ts'
import { newUserMessage } from '../../../src/session/messages.ts'
import { interruptedClosers } from '../../../src/session/repair.ts'
import { type AppendOptions, Session } from '../../../src/session/session.ts'
import { assertInvariants } from '../../support/invariants.ts'
import { memorySession, type TestRuntime, testRuntime } from '../../support/runtime.ts'
import { type Act, type Reply, ScriptedModel } from '../../support/scripted-model.ts'

/** A whole planning agent in memory: real loop, real plan mode, real review desk; scripted are the model and the human. */

export const SECTION = 'Plan first. Change nothing.'
export const PLAN = '# Add rate limits\n\nOne bucket per key.\n\n1. Write the limiter.\n'
export const REVISED = '# Add rate limits\n\nOne bucket per user.\n\n1. Write the limiter.\n'

export function present(plan: unknown = PLAN, id?: string): Act {
  return { call: 'exit_plan_mode', args: { plan }, ...(id === undefined ? {} : { id }) }
}

export interface Options {
  readonly session?: Session
  readonly commands?: boolean
  /** How tools are offered; native unless given. */
  readonly toolsMode?: () => ToolsMode
  /** `null`: nothing shows questions. Unless given, the review desk does. */
  readonly provider?: QuestionProvider | null
}

export class PlanningAgent {
  readonly model: ScriptedModel
  readonly runtime: TestRuntime
  readonly session: Session
  readonly agent: Agent
  readonly controller: PlanModeController
  readonly desk: ReviewDesk
  readonly provided: Disposable | undefined
  readonly installed: Disposable
  readonly #watchers = new Set<() => void>()

  constructor(replies: readonly Reply[] = [], options: Options = {}) {
    this.model = new ScriptedModel(replies)
    this.runtime = testRuntime(this.model, options.toolsMode === undefined ? {} : { toolsMode: options.toolsMode })
    if (options.commands === false) Object.assign(this.runtime, { commands: undefined })
    this.session = options.session ?? memorySession({}, this.runtime.now)
    const installed = installPlanMode(this.runtime, () => ({ section: SECTION }))
    this.installed = installed
    this.controller = installed.controller
    this.desk = new ReviewDesk(() => this.#wake())
    if (options.provider !== null) this.provided = this.runtime.questions.provide(options.provider ?? this.desk)
    this.agent = openAgent(this.session, this.runtime)
    this.session.observe(() => this.#wake())
  }

  /** Sends one prompt and waits until the agent rests. */
  async say(text: string): Promise<void> {
    this.agent.prompt(newUserMessage(text))
    await this.agent.whenIdle()
  }

  /** Resolves with the waiting review once a call waits for its answer. */
  async reviewed(): Promise<PresentedReview> {
    await this.until(() => this.desk.isLive(this.agent))
    return this.waiting()
  }

  waiting(): PresentedReview {
    const { waiting } = this.session.state(reviewProjection)
    if (waiting === null) throw new Error('No review waits.')
    return waiting
  }

  /** Answers the waiting review. */
  decide(decision: Verdict['decision'], feedback?: string, aside?: ReviewAside): Promise<void> {
    const { reviewId, planHash } = this.waiting()
    return this.desk.decide(this.agent, {
      reviewId,
      planHash,
      decision,
      ...(feedback === undefined ? {} : { feedback }),
      ...(aside === undefined ? {} : { aside }),
    })
  }

  /** Resolves when the condition holds; asked again after every event of the log and every change of the desk. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>(resolve => this.#watchers.add(resolve))
  }

  events<T extends EventType>(type: T, from = 0): SessionEvent<T>[] {
    return eventsOf(this.session, type, from)
  }

  /** The types of the events from a seq on, without chunks. */
  types(from = 0): string[] {
    return [...this.session.from(from)].map(event => event.type).filter(type => type !== 'assistant/chunk')
  }

  /** Texts of the notices that plan mode put into the conversation. */
  notices(from = 0): string[] {
    return this.events('user/message', from).flatMap(({ data: { source, content } }) => {
      if (source.kind !== 'plugin' || source.form !== 'notice') return []
      return content.map(part => (part.type === 'text' ? part.text : ''))
    })
  }

  /** The results of the exit tool: text, error code, whether it failed. */
  exitResults(): { readonly text: string; readonly code: string | undefined; readonly failed: boolean }[] {
    const calls = new Set(
      this.events('tool/call').flatMap(({ data }) => (data.name === 'exit_plan_mode' ? [data.callId] : [])),
    )
    return this.events('tool/result').flatMap(({ data }) => {
      const [part] = data.message.content
      if (part?.type !== 'tool-result' || !calls.has(part.toolCallId)) return []
      const text = part.content.map(each => (each.type === 'text' ? each.text : '')).join('')
      return [{ text, code: data.error?.code, failed: part.isError === true }]
    })
  }

  #wake(): void {
    const watchers = [...this.#watchers]
    this.#watchers.clear()
    for (const wake of watchers) wake()
  }
}

export function eventsOf<T extends EventType>(session: Session, type: T, from = 0): SessionEvent<T>[] {
  return [...session.from(from)].flatMap(event => (event.type === type ? [event as SessionEvent<T>] : []))
}

/** The session as another process would open it after this one ended: the same events, the open turn closed. */
export function reopened(session: Session): Session {
  const events = [...session.from()].map(event => structuredClone(event))
  const time = events.at(-1)?.time ?? 0
  return new Session(session.header, [...events, ...interruptedClosers(session)], { now: () => time })
}

/** A provider that gives one answer to everything. */
export function answering(answer: Partial<QuestionAnswers['answers'][number]>): QuestionProvider {
  return { ask: async () => ({ answers: [{ id: REVIEW_QUESTION_ID, selected: [], ...answer }] }) }
}

/** A log that refuses the event types a test names. */
export class RefusingSession extends Session {
  readonly refused = new Set<EventType>()

  constructor() {
    super(newHeader({ id: 'test-session' }, () => 0))
  }

  override append<T extends EventType>(type: T, data: EventData<T>, options?: AppendOptions): SessionEvent<T> {
    if (this.refused.has(type)) throw new PlanModeError('REFUSED', 'The log takes no more.')
    return super.append(type, data, options)
  }
}

export interface Gate {
  readonly gate: Promise<void>
  open(): void
}

/** An act that holds the model until the test opens it. */
export function gate(): Gate {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { gate: promise, open: resolve }
}

/** In plan mode, with a prompt sent: the first reply is on its way. */
export function planning(replies: readonly Reply[], options: Options = {}): PlanningAgent {
  const agent = new PlanningAgent(replies, options)
  agent.controller.set(agent.agent, true)
  agent.agent.prompt(newUserMessage('Plan rate limits'))
  return agent
}

export async function settled(each: PlanningAgent): Promise<PlanningAgent> {
  await each.agent.whenIdle()
  assertInvariants(each.session)
  return each
}

export function decisions(each: PlanningAgent): unknown[] {
  return each.events('review/decided').map(({ data }) => data.decision)
}

export function stillPlanning(each: PlanningAgent): void {
  assert.deepEqual(each.controller.get(each.agent), { active: true })
}
