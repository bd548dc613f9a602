import assert from 'node:assert/strict'
import { QuestionDesk } from '../../../src/agent/desks/question-desk.ts'
import { openAgent } from '../../../src/agent/live/live-agent.ts'
import {
  type Question,
  type QuestionAnswers,
  type QuestionProvider,
  type QuestionRequest,
  UserQuestionError,
} from '../../../src/agent/questions.ts'
import { memorySession, testAgent } from '../../support/runtime.ts'
import { gate } from '../../support/test-tool.ts'

const choice: Question = { id: 'q', question: 'Which?', options: [{ label: 'A' }, { label: 'B' }] }
const review: Question = {
  id: 'plan-review',
  question: 'Good?',
  detail: '# Plan',
  options: [{ label: 'Approve' }, { label: 'Keep planning' }],
  intent: { kind: 'plan-review', approve: 'Approve' },
}

function request(questions: readonly Question[] = [choice], more: Partial<QuestionRequest> = {}): QuestionRequest {
  return { questions, agent: testAgent().agent, signal: new AbortController().signal, ...more }
}

function answering(...answers: QuestionAnswers['answers'][number][]): QuestionProvider {
  return { ask: async () => ({ answers }) }
}

const first = { id: 'q', selected: ['A'] }

describe('the question desk', () => {
  it('gives the provider the request and the caller its answer', async () => {
    const desk = new QuestionDesk()
    const asked = request([choice, review])
    const answers = [first, { id: 'plan-review', selected: [], custom: 'shorter' }]
    const seen: QuestionRequest[] = []
    desk.provide({
      ask: async given => {
        seen.push(given)
        return { answers }
      },
    })
    assert.deepEqual(await desk.ask(asked), { answers })
    assert.deepEqual(
      seen.map(({ questions, agent }) => ({ questions, agent })),
      [{ questions: asked.questions, agent: asked.agent }],
    )
  })

  it('checks in the order aborted, empty, caller, intent, provider', async () => {
    const desk = new QuestionDesk()
    const { agent } = testAgent()
    await agent.dispose()
    const bad: Question = { ...review, intent: { kind: 'plan-review', approve: 'Yes' } }
    const steps: [string, Partial<QuestionRequest>][] = [
      ['ASK_ABORTED', { signal: AbortSignal.abort(), questions: [], agent }],
      ['EMPTY_QUESTIONS', { questions: [], agent }],
      ['CALLER_NOT_LIVE', { questions: [bad], agent }],
      ['BAD_INTENT', { questions: [bad] }],
      ['NO_PROVIDER', {}],
    ]
    for (const [code, more] of steps) {
      assert.throws(() => desk.check(request([choice], more)), { name: 'UserQuestionError', code })
      await assert.rejects(desk.ask(request([choice], more)), { code })
    }
    desk.provide(answering(first))
    desk.check(request())
  })

  describe('asks who calls:', () => {
    function family() {
      const { agent: parent, runtime } = testAgent()
      const session = memorySession({ id: 'child', parentSession: parent.session.id, origin: 'subagent' })
      const desk = new QuestionDesk()
      desk.provide(answering(first))
      const check = (agent: QuestionRequest['agent']) => desk.check(request([choice], { agent }))
      return { parent, runtime, session, check, child: openAgent(session, runtime, parent) }
    }

    it('a child of a live agent may not ask, and is told where its question belongs', () => {
      const { child, parent, check } = family()
      check(parent)
      assert.throws(() => check(child), { code: 'DELEGATED_CALLER', message: /into your final result/ })
    })

    it('an agent that is not the live one of its session may not ask', () => {
      const { parent, runtime, check } = family()
      const next = openAgent(parent.session, runtime)
      assert.throws(() => check(parent), { code: 'CALLER_NOT_LIVE' })
      check(next)
    })

    it('a former child that is resumed as a root may ask, whatever its header says', async () => {
      const { child, session, runtime, check } = family()
      await child.dispose()
      assert.throws(() => check(child), { code: 'CALLER_NOT_LIVE' })
      check(openAgent(session, runtime))
    })

    it('a child whose owner is gone stands for itself', async () => {
      const { child, parent, check } = family()
      await parent.dispose()
      check(child)
    })

    it('the caller comes before the intent and the provider', () => {
      const { child } = family()
      const bad: Question = { ...review, intent: { kind: 'plan-review', approve: 'Yes' } }
      assert.throws(() => new QuestionDesk().check(request([bad], { agent: child })), { code: 'DELEGATED_CALLER' })
    })
  })

  it('needs something to review', () => {
    const desk = new QuestionDesk()
    desk.provide(answering())
    desk.check(request([review]))
    for (const more of [{ detail: '' }, { options: [] }, { options: [{ label: 'approve' }] }]) {
      assert.throws(() => desk.check(request([{ ...review, ...more }])), { code: 'BAD_INTENT' })
    }
    const { detail: _, ...bare } = review
    assert.throws(() => desk.check(request([bare])), { code: 'BAD_INTENT' })
  })

  it('has one provider at a time', async () => {
    const desk = new QuestionDesk()
    const one = desk.provide(answering(first))
    assert.throws(() => desk.provide(answering()), { code: 'DUPLICATE_PROVIDER' })
    one[Symbol.dispose]()
    const two = desk.provide(answering({ id: 'q', selected: ['B'] }))
    one[Symbol.dispose]()
    assert.deepEqual((await desk.ask(request())).answers[0]?.selected, ['B'])
    two[Symbol.dispose]()
    await assert.rejects(desk.ask(request()), { code: 'NO_PROVIDER' })
  })

  it('fails open asks when their provider goes away, and leaves others alone', async () => {
    const desk = new QuestionDesk()
    const asking = gate<QuestionAnswers>()
    const provided = desk.provide({ ask: () => asking.wait() })
    const open = desk.ask(request())
    await asking.reached
    provided[Symbol.dispose]()
    await assert.rejects(open, { code: 'NO_PROVIDER' })
    asking.open({ answers: [first] })
  })

  it('ends with the signal, even when the provider does not', async () => {
    const desk = new QuestionDesk()
    const asking = gate<QuestionAnswers>()
    desk.provide({ ask: () => asking.wait() })
    const stop = new AbortController()
    const open = desk.ask(request([choice], { signal: stop.signal }))
    await asking.reached
    stop.abort()
    await assert.rejects(open, { code: 'ASK_ABORTED' })
  })

  it('passes on that the user closed it, and names any other trouble', async () => {
    const desk = new QuestionDesk()
    const reasons = [new UserQuestionError('ASK_CANCELLED', 'closed'), new Error('no window')]
    desk.provide({ ask: () => Promise.reject(reasons.shift()) })
    await assert.rejects(desk.ask(request()), { code: 'ASK_CANCELLED', message: 'closed' })
    await assert.rejects(desk.ask(request()), {
      code: 'NO_PROVIDER',
      message: 'The question could not be shown: no window',
    })
  })

  const many: Question = { ...choice, multiSelect: true }
  const bad: [string, Question, QuestionAnswers['answers']][] = [
    ['too few answers', choice, []],
    ['too many answers', choice, [first, first]],
    ['another id', choice, [{ id: 'other', selected: ['A'] }]],
    ['an unknown option', choice, [{ id: 'q', selected: ['C'] }]],
    ['an option of a question without any', { id: 'q', question: 'Why?' }, [first]],
    ['the same option twice', many, [{ id: 'q', selected: ['A', 'A'] }]],
    ['two options of a single choice', choice, [{ id: 'q', selected: ['A', 'B'] }]],
    ['an option and a text', choice, [{ id: 'q', selected: ['A'], custom: 'x' }]],
    ['a blank text', choice, [{ id: 'q', selected: [], custom: ' ' }]],
  ]
  for (const [name, question, answers] of bad) {
    it(`refuses ${name}`, async () => {
      const desk = new QuestionDesk()
      desk.provide(answering(...answers))
      await assert.rejects(desk.ask(request([question])), { code: 'BAD_ANSWER' })
    })
  }

  it('takes several options and a text where several are allowed, and nothing at all', async () => {
    for (const answer of [
      { id: 'q', selected: ['B', 'A'], custom: 'also' },
      { id: 'q', selected: [] },
    ]) {
      const desk = new QuestionDesk()
      desk.provide(answering(answer))
      assert.deepEqual(await desk.ask(request([many])), { answers: [answer] })
    }
  })
})
