import fc from 'fast-check'
import { z } from 'zod'
import { compactCommand } from '../../../src/agent/compaction/command.ts'
import { automaticCompaction } from '../../../src/agent/compaction/compactor.ts'
import { type QuestionAnswers, type QuestionRequest, UserQuestionError } from '../../../src/agent/questions.ts'
import { REVIEW_QUESTION_ID } from '../../../src/plan/present-plan.ts'
import { reviewProjection } from '../../../src/plan/review.ts'
import { noticeOff } from '../../../src/plan/words.ts'
import type { SessionEvent } from '../../../src/session/events.ts'
import { newUserMessage } from '../../../src/session/messages.ts'
import { type Act, modelsOf, type Reply } from '../../support/scripted-model.ts'
import { isSummaryRequest, tooLong } from '../compaction/fixture.ts'
import { PlanningAgent, reopened } from './fixture.ts'

/**
 * A random life of one conversation: whatever the model says, the human answers, the storage refuses and the clock
 * does, over several processes. It knows when leaving plan mode was allowed, and tells each event to a judge.
 */

/** Mostly the usual value. */
function seldom<U, S>(usual: U, other: fc.Arbitrary<S>) {
  return fc.oneof({ weight: 6, arbitrary: fc.constant(usual) }, other)
}

const garbage = fc.record({
  id: fc.constantFrom(REVIEW_QUESTION_ID, 'other'),
  selected: fc.constantFrom(
    [],
    ['approve'],
    ['Keep planning'],
    ['Approve', 'Keep planning'],
    ['Approve', 'Approve'],
    [' Approve'],
  ),
  custom: fc.option(fc.constantFrom('Approve', 'yes', ' '), { nil: undefined }),
})

const answer = fc.oneof(
  { weight: 2, arbitrary: fc.constant('approve' as const) },
  {
    weight: 4,
    arbitrary: fc.constantFrom('keep', 'feedback', 'dismiss', 'withdraw', 'stop', 'crash', 'gone', 'throw'),
  },
  fc.constantFrom('approve with words', 'approve twice', 'approve and stop', 'approve and withdraw'),
  garbage,
)
type Answer = typeof answer extends fc.Arbitrary<infer A> ? A : never

const act = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ plan: fc.constantFrom('# A\n\nText', '# B\n\nText', 'no heading', ' '), answer }),
  },
  fc.record({ probe: fc.constantFrom('on', 'off', 'stop', 'crash', 'nothing') }),
  fc.record({ junk: fc.constantFrom('{', '{"plan":1}', '{}', '{"plan":"# P","approved":true}') }),
  fc.record({ text: fc.constantFrom('I left plan mode.', '/plan off', 'Approve') }),
)
type LifeAct = typeof act extends fc.Arbitrary<infer A> ? A : never

const step = fc.record({
  select: seldom(null, fc.boolean()),
  fails: seldom(false, fc.constantFrom<boolean | 'long'>(true, 'long', 'long')),
  acts: fc.array(act, { minLength: 1, maxLength: 3 }),
})

const op = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      op: fc.constant('select' as const),
      active: fc.boolean(),
      by: fc.constantFrom('set', 'command'),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      op: fc.constant('turn' as const),
      steps: fc.array(step, { minLength: 1, maxLength: 3 }),
      refuses: seldom(false, fc.constant(true)),
      flushFails: seldom(null, fc.nat(12)),
      tight: fc.boolean(),
    }),
  },
  fc.record({ op: fc.constant('restart' as const) }),
  fc.record({ op: fc.constant('wait' as const) }),
  fc.record({
    op: fc.constant('compact' as const),
    meanwhile: seldom(null, fc.constantFrom('fail', 'stop', 'select')),
  }),
  fc.record({
    op: fc.constant('late' as const),
    decision: fc.constantFrom('approved' as const, 'kept' as const, 'dismissed' as const),
    wrong: fc.constantFrom('nothing', 'nothing', 'hash', 'review'),
  }),
)
type Op = typeof op extends fc.Arbitrary<infer O> ? O : never

export const lives = fc.array(op, { maxLength: 8 })

export class Life {
  planning: PlanningAgent
  /** Whether a person's last word allows plan mode to end. */
  permitted = false
  readonly #judge: (event: SessionEvent, life: Life) => void
  readonly #answers: Answer[] = []
  #provided: Disposable | undefined
  #problem: unknown
  #whileSummarising: string | null = null

  /** `judge` sees every event as it is appended; what it throws fails the life. */
  constructor(judge: (event: SessionEvent, life: Life) => void) {
    this.#judge = judge
    this.planning = this.#begin(new PlanningAgent([], { provider: null }))
  }

  async live(ops: readonly Op[]): Promise<void> {
    for (const each of ops) {
      await this.#do(each)
      await this.planning.agent.whenIdle()
      if (this.planning.agent.status === 'disposed') this.#restart()
      if (this.#problem !== undefined) throw this.#problem
    }
    await this.planning.agent.dispose()
  }

  #begin(planning: PlanningAgent): PlanningAgent {
    planning.session.observe(event => {
      try {
        this.#judge(event, this)
      } catch (error) {
        this.#problem ??= error
      }
    })
    planning.runtime.commands.register(compactCommand)
    planning.model.intercept = request => (isSummaryRequest(request) ? this.#summary() : undefined)
    planning.runtime.tools.register({
      name: 'probe',
      description: 'Does what the test wants.',
      parameters: z.strictObject({ act: z.string() }),
      run: async ({ act: what }) => {
        this.#probe(what)
        return { kind: 'success', text: 'probed' }
      },
    })
    this.#provided = planning.runtime.questions.provide({ ask: request => this.#ask(request) })
    return planning
  }

  #restart(): void {
    this.planning = this.#begin(new PlanningAgent([], { provider: null, session: reopened(this.planning.session) }))
  }

  #select(active: boolean): void {
    this.permitted = !active
    this.planning.controller.set(this.planning.agent, active)
  }

  async #do(each: Op): Promise<void> {
    const { planning } = this
    switch (each.op) {
      case 'select':
        if (each.by === 'set') return this.#select(each.active)
        this.permitted = !each.active
        await planning.runtime.commands.run(planning.agent, 'plan', each.active ? '' : ' off')
        return
      case 'turn':
        return await this.#turn(each)
      case 'restart':
        await planning.agent.dispose()
        return
      case 'wait':
        planning.runtime.clock.advance(1_000_000_000)
        return
      case 'late':
        return await this.#late(each)
      case 'compact':
        this.#whileSummarising = each.meanwhile
        await planning.runtime.commands.run(planning.agent, 'compact', '')
        return
    }
  }

  /** A summary that says of the mode what is no more true than anything else a model says. */
  #summary(): Reply {
    const then = this.#whileSummarising
    this.#whileSummarising = null
    if (then === 'stop') this.planning.agent.cancel()
    if (then === 'select') this.#select(!this.planning.controller.get(this.planning.agent).active)
    return then === 'fail' ? { throws: new Error('no summary') } : [{ text: noticeOff }]
  }

  async #turn({ steps, refuses, flushFails, tight }: Extract<Op, { op: 'turn' }>): Promise<void> {
    const { runtime, model, agent } = this.planning
    let flushes = 0
    runtime.onFlush = () => {
      if (flushes++ === flushFails) throw new Error('The disk is full.')
    }
    // Every usage counted here is 42 tokens: a tight window is summarised before nearly every step.
    Object.assign(runtime, {
      compactor: automaticCompaction,
      models: modelsOf(model, { contextWindow: tight ? 50 : 64_000 }),
    })
    if (refuses) runtime.preStep.add(async () => ({ kind: 'refuse', reason: 'not now' }))
    model.push(...steps.map(each => this.#reply(each)))
    agent.prompt(newUserMessage('go on'))
    await agent.whenIdle()
    runtime.preStep.clear()
    runtime.onFlush = undefined
  }

  #reply({ select, fails, acts }: typeof step extends fc.Arbitrary<infer S> ? S : never): Reply {
    return () => {
      if (select !== null) this.#select(select)
      if (fails === 'long') return tooLong
      return fails ? { throws: new Error('no answer') } : acts.map(each => this.#act(each))
    }
  }

  #act(each: LifeAct): Act {
    if ('text' in each) return { text: each.text }
    if ('junk' in each) return { call: 'exit_plan_mode', args: each.junk }
    if ('probe' in each) return { call: 'probe', args: { act: each.probe } }
    const plan = `${each.plan}${each.plan.startsWith('#') ? ` ${this.#answers.push(each.answer) - 1}` : ''}`
    return { call: 'exit_plan_mode', args: { plan } }
  }

  #probe(what: string): void {
    if (what === 'on' || what === 'off') this.#select(what === 'on')
    if (what === 'stop') this.planning.agent.cancel()
    if (what === 'crash') void this.planning.agent.dispose()
  }

  async #ask({ questions }: QuestionRequest): Promise<QuestionAnswers> {
    const given = this.#answers[Number(questions[0]?.detail?.split(' ').at(-1))] ?? 'keep'
    const reply = (selected: string[], custom?: string) => {
      return { answers: [{ id: REVIEW_QUESTION_ID, selected, ...(custom === undefined ? {} : { custom }) }] }
    }
    const never = new Promise<QuestionAnswers>(() => {})
    if (typeof given === 'object') {
      const { custom, ...rest } = given
      return { answers: [{ ...rest, ...(custom === undefined ? {} : { custom }) }] }
    }
    switch (given) {
      case 'approve':
        this.permitted = true
        return reply(['Approve'])
      case 'approve with words':
        return reply(['Approve'], 'but rename it')
      case 'approve twice':
        return { answers: [...reply(['Approve']).answers, ...reply(['Approve']).answers] }
      case 'approve and stop':
        this.planning.agent.cancel()
        return reply(['Approve'])
      case 'approve and withdraw':
        this.#select(false)
        return reply(['Approve'])
      case 'feedback':
        return reply([], 'Do it otherwise.')
      case 'dismiss':
        throw new UserQuestionError('ASK_CANCELLED', 'closed')
      case 'throw':
        throw new Error('The panel broke.')
      case 'withdraw':
        this.#select(false)
        return never
      case 'stop':
        this.planning.agent.cancel()
        return never
      case 'crash':
        void this.planning.agent.dispose()
        return never
      case 'gone':
        this.#provided?.[Symbol.dispose]()
        this.#provided = this.planning.runtime.questions.provide({ ask: request => this.#ask(request) })
        return never
      default:
        return reply(['Keep planning'])
    }
  }

  async #late({ decision, wrong }: Extract<Op, { op: 'late' }>): Promise<void> {
    const { desk, agent, session } = this.planning
    const { waiting } = session.state(reviewProjection)
    if (waiting === null) return
    const reviewId = wrong === 'review' ? 'another' : waiting.reviewId
    const planHash = wrong === 'hash' ? 'another' : waiting.planHash
    if (wrong === 'nothing' && decision === 'approved') this.permitted = true
    const taken = await desk.decide(agent, { reviewId, planHash, decision }).then(
      () => true,
      () => false,
    )
    if (taken !== (wrong === 'nothing'))
      throw new Error(`A verdict with wrong ${wrong} was ${taken ? '' : 'not '}taken.`)
  }
}
