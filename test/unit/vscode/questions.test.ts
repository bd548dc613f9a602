import assert from 'node:assert/strict'
import type { Question, QuestionAnswers, QuestionRequest } from '../../../src/agent/questions.ts'
import { PlanModeError } from '../../../src/session/errors.ts'
import { questionNotice } from '../../../src/vscode/questions/question-notice.ts'
import { isPlanReview, WindowQuestions } from '../../../src/vscode/questions/window-questions.ts'
import { normalised } from '../../support/golden.ts'
import { testAgent } from '../../support/runtime.ts'
import { PLAN, type PlanningAgent, planning, present, REVISED, settled } from '../plan/fixture.ts'

const choice: Question = { id: 'q', question: 'Which?', options: [{ label: 'A' }, { label: 'B' }] }
const review: Question = {
  id: 'plan-review',
  question: 'Good?',
  detail: '# Plan',
  options: [{ label: 'Approve' }, { label: 'Keep planning' }],
  intent: { kind: 'plan-review', approve: 'Approve' },
}
const coded = (code: string) => (error: unknown) => error instanceof PlanModeError && error.code === code

function asked(more: Partial<QuestionRequest> = {}) {
  const { agent, runtime } = testAgent()
  const window = new WindowQuestions()
  runtime.questions.provide(window)
  const answer = runtime.questions.ask({ questions: [choice], agent, signal: new AbortController().signal, ...more })
  const [open] = window.open.of(agent)
  return { agent, window, open, id: open?.id ?? '', answer }
}

describe('the question provider of a window', () => {
  it('knows what the dedicated review can show without loss', () => {
    assert.ok(isPlanReview([review]))
    const { detail: _, ...bare } = review
    const { intent: __, ...plain } = review
    const third = [...(review.options ?? []), { label: 'Third' }]
    for (const others of [
      [],
      [choice],
      [review, choice],
      [bare],
      [plain],
      [{ ...review, multiSelect: true }],
      [{ ...review, options: third }],
      [{ ...review, options: [{ label: 'Yes' }] }],
    ]) {
      assert.ok(!isPlanReview(others))
    }
  })

  it('sends a plan review to the desk of its own folder, and everything else to the open questions', async () => {
    const window = new WindowQuestions()
    const [one, other] = [testAgent(), testAgent()]
    const desk = { ask: async (): Promise<QuestionAnswers> => ({ answers: [] }) }
    const taken = window.reviewAt(one.runtime, desk)
    const signal = new AbortController().signal
    assert.deepEqual(await window.ask({ questions: [review], agent: one.agent, signal }), { answers: [] })
    void window.ask({ questions: [choice], agent: one.agent, signal })
    void window.ask({ questions: [review], agent: other.agent, signal })
    assert.deepEqual([window.open.of(one.agent).length, window.open.of(other.agent).length], [1, 1])
    taken[Symbol.dispose]()
    void window.ask({ questions: [review], agent: one.agent, signal })
    assert.equal(window.open.of(one.agent).length, 2)
  })

  it('is one for the seam: a second one is refused while it is there', () => {
    const { runtime } = testAgent()
    using _ = runtime.questions.provide(new WindowQuestions())
    assert.throws(() => runtime.questions.provide(new WindowQuestions()), coded('DUPLICATE_PROVIDER'))
  })

  it('says what is wrong with an answer and goes on waiting', async () => {
    const { window, id, answer } = asked()
    assert.throws(() => window.open.answer(id, { answers: [{ id: 'q', selected: ['C'] }] }), coded('BAD_ANSWER'))
    assert.throws(() => window.open.answer(id, { answers: [] }), /1 answers are due and 0 came/)
    assert.ok(window.open.find(id))
    window.open.answer(id, { answers: [{ id: 'q', selected: ['B'] }] })
    assert.deepEqual(await answer, { answers: [{ id: 'q', selected: ['B'] }] })
    assert.throws(() => window.open.dismiss(id), coded('QUESTION_CLOSED'))
  })

  it('tells a dismissal, a stop and the end of its registration apart', async () => {
    const closed = asked()
    closed.window.open.dismiss(closed.id)
    await assert.rejects(closed.answer, coded('ASK_CANCELLED'))

    const stop = new AbortController()
    const stopped = asked({ signal: stop.signal })
    stop.abort()
    await assert.rejects(stopped.answer, coded('ASK_ABORTED'))
    assert.deepEqual(stopped.window.open.of(stopped.agent), [])

    const { agent, runtime } = testAgent()
    const window = new WindowQuestions()
    const provided = runtime.questions.provide(window)
    const answer = runtime.questions.ask({ questions: [choice], agent, signal: new AbortController().signal })
    provided[Symbol.dispose]()
    assert.deepEqual(window.open.of(agent), [], 'no card is left that nobody hears')
    await assert.rejects(answer, coded('NO_PROVIDER'))
  })

  it('opens nothing for a request that is withdrawn already', async () => {
    const window = new WindowQuestions()
    const { agent } = testAgent()
    const request = { questions: [choice], agent, signal: AbortSignal.abort() }
    await assert.rejects(window.ask(request), coded('ASK_ABORTED'))
    assert.deepEqual(window.open.of(agent), [])
  })
})

describe('a plan review that is asked generically', () => {
  type Verdict = { readonly decision: 'approved' | 'kept' | 'dismissed'; readonly feedback?: string }

  async function generically(
    each: PlanningAgent,
    window: WindowQuestions,
    { decision, feedback }: Verdict,
  ): Promise<void> {
    const opened = new Promise<string>(resolve => window.open.opened.on(open => resolve(open.id)))
    const id = window.open.of(each.agent)[0]?.id ?? (await opened)
    if (decision === 'dismissed') return window.open.dismiss(id)
    const selected = decision === 'approved' ? ['Approve'] : feedback === undefined ? ['Keep planning'] : []
    const custom = feedback === undefined ? {} : { custom: feedback }
    window.open.answer(id, { answers: [{ id: 'plan-review', selected, ...custom }] })
  }

  /** The whole log as text, without the times: what the model is sent is a function of it. */
  function logOf({ session }: PlanningAgent): string[] {
    const events = [...session.from()].map(({ time: _, ...event }) => JSON.stringify(event))
    return normalised(events.join('\n')).split('\n')
  }

  async function run(verdicts: readonly Verdict[], generic: boolean): Promise<PlanningAgent> {
    const window = new WindowQuestions()
    const replies = [[present(PLAN, 'one')], [present(REVISED, 'two')], [{ text: 'Understood.' }]]
    const each = planning(replies, { provider: window })
    if (!generic) window.reviewAt(each.runtime, each.desk)
    for (const verdict of verdicts) {
      if (generic) await generically(each, window, verdict)
      else {
        await each.reviewed()
        await each.decide(verdict.decision, verdict.feedback)
      }
    }
    return await settled(each)
  }

  const walks: [string, readonly Verdict[]][] = [
    ['approved', [{ decision: 'approved' }]],
    ['sent back with feedback, then approved', [{ decision: 'kept', feedback: 'Per user.' }, { decision: 'approved' }]],
    ['sent back without a word, then dismissed', [{ decision: 'kept' }, { decision: 'dismissed' }]],
  ]
  for (const [name, verdicts] of walks) {
    it(`gives the same log and the same results: ${name}`, async () => {
      const [dedicated, generic] = [await run(verdicts, false), await run(verdicts, true)]
      assert.deepEqual(generic.types(), dedicated.types())
      assert.deepEqual(generic.exitResults(), dedicated.exitResults())
      assert.deepEqual(logOf(generic), logOf(dedicated))
      assert.deepEqual(
        generic.model.requests.map(({ prompt }) => prompt),
        dedicated.model.requests.map(({ prompt }) => prompt),
      )
    })
  }
})

describe('the notification of a question', () => {
  it('takes a plain choice of few', () => {
    assert.deepEqual(questionNotice([choice], 'Limits'), { text: '"Limits" asks: Which?', choices: ['A', 'B'] })
  })

  it('only leads to everything else', () => {
    const long = 'An option whose label is far too long for a button'
    for (const question of [
      { id: 'q', question: 'Why?' },
      { ...choice, multiSelect: true },
      { ...choice, options: ['A', 'B', 'C', 'D'].map(label => ({ label })) },
      { ...choice, options: [{ label: long }] },
      review,
    ]) {
      assert.deepEqual(questionNotice([question], 'Limits').choices, [])
    }
    assert.deepEqual(questionNotice([choice, choice], 'Limits'), {
      text: '"Limits" has 2 questions for you.',
      choices: [],
    })
  })
})
