import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Agent } from '../../../../src/agent/agent.ts'
import { openAgent } from '../../../../src/agent/live/live-agent.ts'
import { PersistenceCoordinator } from '../../../../src/persistence/coordinator.ts'
import { type OpenSession, SessionStore } from '../../../../src/persistence/store.ts'
import { installPlanMode } from '../../../../src/plan/plan-mode.ts'
import { reviewProjection } from '../../../../src/plan/review.ts'
import { noticeOff, noticeOn } from '../../../../src/plan/words.ts'
import { DraftStore } from '../../../../src/review/drafts/draft-store.ts'
import { ReviewDesk, type Verdict } from '../../../../src/review/review-desk.ts'
import { PlanModeError } from '../../../../src/session/errors.ts'
import { newUserMessage } from '../../../../src/session/messages.ts'
import type { Session } from '../../../../src/session/session.ts'
import { Conversation } from '../../../../src/vscode/conversations/conversation.ts'
import type { Project } from '../../../../src/vscode/conversations/project.ts'
import { WindowQuestions } from '../../../../src/vscode/questions/window-questions.ts'
import { Signal } from '../../../../src/vscode/signal.ts'
import { MemoryBackend } from '../../../support/memory-backend.ts'
import { type TestRuntime, testRuntime } from '../../../support/runtime.ts'
import { type Act, ScriptedModel } from '../../../support/scripted-model.ts'
import { testTool } from '../../../support/test-tool.ts'
import { ManualTimers } from '../../persistence/manual-timers.ts'
import { PLAN, SECTION } from '../fixture.ts'
import type { Told } from './reference.ts'

/** One process that has the conversation open. */
interface Life {
  readonly store: SessionStore
  readonly open: OpenSession
  readonly runtime: TestRuntime
  readonly agent: Agent
  readonly conversation: Conversation
  plan: ReturnType<typeof installPlanMode>
  provided: Disposable
}

/**
 * The real thing: loop, plan mode, review desk and storage, in one process after the other. The model waits at each
 * request for an answer and the tool `hold` for its end, so that whatever happens, happens at a known place.
 */
export class World {
  readonly requests: Told[] = []
  /** A history that changed in what was sent before. */
  rewritten: string | undefined
  #history: readonly string[] = []
  readonly #backend = new MemoryBackend()
  readonly #waiting = new Set<() => void>()
  readonly #answers: ((acts: readonly Act[]) => void)[] = []
  readonly #held: (() => void)[] = []
  readonly #desk = new ReviewDesk(() => this.#wake())
  #life!: Life
  /** Set while a flush after an approval never ends. */
  #hangs: 'no' | 'next' | 'now' = 'no'

  static async begin(): Promise<World> {
    const world = new World()
    const store = world.#store()
    world.#life = world.#live(store, await store.create())
    world.session.append('session/title', { title: 'Limits', messageSeqs: [], source: { kind: 'user' } })
    await world.flush()
    return world
  }

  get session(): Session {
    return this.#life.open.session
  }

  get agent(): Agent {
    return this.#life.agent
  }

  get conversation(): Conversation {
    return this.#life.conversation
  }

  get controller() {
    return this.#life.plan.controller
  }

  get runtime(): TestRuntime {
    return this.#life.runtime
  }

  /** Resolves when everything waits for the test. */
  async quiet(): Promise<void> {
    const waits = () => this.#answers.length > 0 || this.#held.length > 0 || this.#desk.isLive(this.agent)
    await this.#until(() => this.agent.status === 'idle' || waits() || this.#hangs === 'now')
  }

  async #until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>(resolve => this.#waiting.add(resolve))
  }

  select(active: boolean): string {
    try {
      return this.controller.set(this.agent, active)
    } catch (error) {
      if (error instanceof PlanModeError && error.code === 'REFUSED') return 'refused'
      throw error
    }
  }

  flush(): Promise<void> {
    return this.#life.open.flush()
  }

  answer(acts: readonly Act[]): void {
    this.#answers.shift()?.(acts)
  }

  toolEnds(): void {
    this.#held.shift()?.()
  }

  async decide(decision: Verdict['decision']): Promise<void> {
    const { waiting } = this.session.state(reviewProjection)
    if (waiting === null) throw new Error('No review waits.')
    await this.#desk.decide(this.agent, { reviewId: waiting.reviewId, planHash: waiting.planHash, decision })
  }

  /** The approval is saved, and the process ends before the call has its result. */
  async approveAndDie(): Promise<void> {
    this.#hangs = 'next'
    void this.decide('approved')
    await this.#until(() => this.#hangs === 'now')
    await this.crash()
  }

  async stop(): Promise<void> {
    this.agent.cancel()
    this.#forget()
    await this.agent.whenIdle()
  }

  async loseProvider(): Promise<void> {
    this.#life.provided[Symbol.dispose]()
    this.#life.provided = this.runtime.questions.provide(this.#desk)
    await this.#until(() => !this.#desk.isLive(this.agent))
  }

  async reloadPlanMode(): Promise<void> {
    this.#life.plan[Symbol.dispose]()
    this.#life.plan = installPlanMode(this.runtime, () => ({ section: SECTION }))
    await this.#until(() => !this.#desk.isLive(this.agent))
  }

  /** The log refuses the next `plan/mode`. */
  refuseMode(): void {
    const { session } = this
    const append = session.append.bind(session)
    session.append = (type, ...rest) => {
      if (type !== 'plan/mode') return append(type, ...rest)
      Reflect.deleteProperty(session, 'append')
      throw new PlanModeError('REFUSED', 'The log takes no more.')
    }
  }

  refuseStep(): void {
    const { preStep } = this.runtime
    const refuse = async () => {
      preStep.delete(refuse)
      return { kind: 'refuse' as const, reason: 'not now' }
    }
    preStep.add(refuse)
  }

  /** The window reloads: everything is saved, whatever runs is cut. */
  async reload(): Promise<void> {
    const { id } = this.session
    await this.conversation.dispose()
    await this.#life.store.dispose()
    await this.#next(store => store.open(id))
  }

  /** The process ends and loses what was not saved; another one takes over. */
  async crash(): Promise<void> {
    const { id } = this.session
    // Its promises never settle in a process that is gone; here its agent has to let go, without a write.
    this.#forget()
    void this.agent.dispose()
    await this.#next(store => store.takeOver(id))
  }

  async fork(): Promise<void> {
    const { id } = this.session
    await this.conversation.dispose()
    await this.#life.store.dispose()
    await this.#next(store => store.fork(id))
  }

  async end(): Promise<void> {
    await this.conversation.dispose()
    await this.#life.store.dispose()
  }

  async #next(open: (store: SessionStore) => Promise<OpenSession>): Promise<void> {
    this.#forget()
    const store = this.#store()
    this.#life = this.#live(store, await open(store))
  }

  #forget(): void {
    this.#hangs = 'no'
    this.#answers.splice(0)
    this.#held.splice(0)
  }

  #store(): SessionStore {
    const persistence = new PersistenceCoordinator(this.#backend)
    return new SessionStore({ root: '/nowhere', persistence, timers: new ManualTimers() })
  }

  #live(store: SessionStore, open: OpenSession): Life {
    const model = new ScriptedModel([], ({ prompt, tools = [] }) => {
      this.requests.push(toldIn(prompt, tools))
      this.#grows(prompt)
      const answered = Promise.withResolvers<void>()
      const acts: Act[] = [{ gate: answered.promise }]
      this.#answers.push(given => {
        acts.push(...given)
        answered.resolve()
      })
      this.#wake()
      return acts
    })
    const runtime = testRuntime(model)
    runtime.onFlush = () => this.#flush(open)
    const plan = installPlanMode(runtime, () => ({ section: SECTION }))
    const provided = runtime.questions.provide(this.#desk)
    const hold = () =>
      new Promise<{ kind: 'success'; text: string }>(resolve => {
        this.#held.push(() => resolve({ kind: 'success', text: 'held' }))
        this.#wake()
      })
    runtime.tools.register(testTool('hold', hold))
    const agent = openAgent(open.session, runtime)
    open.session.observe(() => this.#wake())
    agent.onStatus(() => this.#wake())
    // What a conversation reads of its project.
    const parts = { runtime, controller: plan.controller, desk: this.#desk, liveChanged: new Signal() }
    const cards = { waitFor: () => false }
    const questions = new WindowQuestions()
    const reviewDrafts = new DraftStore(join(tmpdir(), 'plan-mode-no-drafts'))
    const conversation = new Conversation(
      { ...parts, cards, questions, reviewDrafts } as unknown as Project,
      open,
      agent,
    )
    return { store, open, runtime, agent, conversation, plan, provided }
  }

  async #flush(open: OpenSession): Promise<void> {
    await open.flush()
    if (this.#hangs !== 'next' || open.session.at(open.session.length - 1).type !== 'plan/steps') return
    this.#hangs = 'now'
    this.#wake()
    await new Promise(() => {})
  }

  /** Whatever happens, the history of a request begins with the history of the one before. */
  #grows(prompt: Prompt): void {
    const history = prompt.filter(({ role }) => role !== 'system').map(message => JSON.stringify(message))
    const kept = this.#history.every((text, index) => history[index] === text)
    if (!kept) this.rewritten ??= `${this.#history.join('\n')}\n\nbecame\n\n${history.join('\n')}`
    this.#history = history
  }

  #wake(): void {
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const wake of waiting) wake()
  }
}

export const plan: Act = { call: 'exit_plan_mode', args: { plan: PLAN } }
export const hold: Act = { call: 'hold' }

type Prompt = Parameters<ScriptedModel['doStream']>[0]['prompt']

function toldIn(prompt: Prompt, tools: readonly { readonly name: string }[]): Told & { readonly exit: boolean } {
  const system = prompt.flatMap(message => (message.role === 'system' ? [message.content] : []))
  const texts = prompt.flatMap(({ role, content }) =>
    role === 'user' ? content.flatMap(part => (part.type === 'text' ? [part.text] : [])) : [],
  )
  return {
    guidance: system.join().includes(SECTION),
    exit: tools.some(({ name }) => name === 'exit_plan_mode'),
    notices: texts.flatMap(text => (text === noticeOn ? [true] : text === noticeOff ? [false] : [])),
  }
}

export function message(text: string) {
  return newUserMessage(text)
}
