import assert from 'node:assert/strict'
import { UserQuestionError } from '../../../src/agent/questions.ts'
import { newUserMessage } from '../../../src/session/messages.ts'
import { askUserQuestion } from '../../../src/tools/ask-user-question.ts'
import { WindowQuestions } from '../../../src/vscode/questions/window-questions.ts'
import { assertGolden } from '../../support/golden.ts'
import { assertInvariants } from '../../support/invariants.ts'
import { endsOf, resultsOf } from '../../support/reading.ts'
import { testAgent } from '../../support/runtime.ts'
import type { Reply } from '../../support/scripted-model.ts'
import { PlanningAgent, present } from '../plan/fixture.ts'

const store = {
  id: 'store',
  header: 'Store',
  question: 'Where should the counters live?',
  options: [{ label: 'In memory', description: 'Fast; lost on restart.' }, { label: 'Redis' }],
}
const routes = {
  id: 'routes',
  question: 'Which routes?',
  multi_select: true,
  options: [{ label: '/a' }, { label: '/b' }],
}
const why = { id: 'why', question: 'Why is it needed?' }

function scene(args: unknown, ...more: Reply[]) {
  const parts = testAgent([[{ text: 'One thing first.' }, { call: 'ask_user_question', id: 'ask', args }], ...more])
  const window = new WindowQuestions()
  parts.runtime.tools.register(askUserQuestion)
  const provided = parts.runtime.questions.provide(window)
  const opened = new Promise<string>(resolve => window.open.opened.on(({ id }) => resolve(id)))
  parts.agent.prompt(newUserMessage('Add rate limits'))
  const result = async () => {
    await parts.agent.whenIdle()
    assertInvariants(parts.session)
    return resultsOf(parts.session)[0]
  }
  return { ...parts, window, provided, opened, result }
}

describe('ask_user_question', () => {
  it('puts questions before the person and gives the model the answers as JSON', async () => {
    const { window, opened, result, session, model } = scene({ questions: [store, routes, why] })
    const id = await opened
    assert.deepEqual(window.open.find(id)?.request.questions, [
      store,
      { id: 'routes', question: 'Which routes?', multiSelect: true, options: [{ label: '/a' }, { label: '/b' }] },
      why,
    ])
    assert.equal(window.open.find(id)?.request.callId, 'ask')
    const answers = [
      { id: 'store', selected: [], custom: 'SQLite, we have it' },
      { id: 'routes', selected: ['/a', '/b'] },
      { id: 'why', selected: [], custom: 'One client starves\nthe others' },
    ]
    window.open.answer(id, { answers })
    const given = await result()
    assert.deepEqual(JSON.parse(given?.text ?? ''), { answers })
    assert.equal(given?.isError, false)
    assert.equal(model.requests.length, 2)
    assertGolden('ask-user-question', session)
  })

  it('tells the model what to do when the person closes the questions', async () => {
    const { window, opened, result, session } = scene({ questions: [why] })
    window.open.dismiss(await opened)
    const given = await result()
    assert.equal(given?.code, 'UserQuestionError/ASK_CANCELLED')
    assert.match(given?.text ?? '', /^Error: The user closed the questions.*go on and say what you assumed.*wait/)
    assertGolden('ask-user-question-dismissed', session)
  })

  it('ends with the turn that is stopped', async () => {
    const { agent, window, opened, result, session } = scene({ questions: [why] })
    await opened
    agent.cancel()
    assert.equal((await result())?.code, 'AbortError/ABORTED')
    assert.deepEqual(window.open.of(agent), [])
    assert.deepEqual(endsOf(session), [{ kind: 'aborted', reason: { kind: 'user' } }])
  })

  it('passes the codes of the seam on', async () => {
    assert.equal((await scene({ questions: [] }).result())?.code, 'UserQuestionError/EMPTY_QUESTIONS')
    const gone = scene({ questions: [why] })
    await gone.opened
    gone.provided[Symbol.dispose]()
    assert.equal((await gone.result())?.code, 'UserQuestionError/NO_PROVIDER')
    const alone = testAgent([[{ call: 'ask_user_question', args: { questions: [why] } }]])
    alone.runtime.tools.register(askUserQuestion)
    alone.runtime.questions.provide({
      ask: () => Promise.reject(new UserQuestionError('DELEGATED_CALLER', 'Put it into your final result.')),
    })
    alone.agent.prompt(newUserMessage('go'))
    await alone.agent.whenIdle()
    assert.deepEqual(
      resultsOf(alone.session).map(({ code, text }) => [code, text]),
      [['UserQuestionError/DELEGATED_CALLER', 'Error: Put it into your final result.']],
    )
  })

  const refused: [string, unknown, RegExp][] = [
    ['two questions with one id', { questions: [why, why] }, /Two questions have the id "why"/],
    ['an option twice', { questions: [{ ...why, options: [{ label: 'A' }, { label: 'A' }] }] }, /option "A" twice/],
    ['a blank question', { questions: [{ id: 'q', question: ' ' }] }, /question: must not be blank/],
    ['a blank label', { questions: [{ ...why, options: [{ label: '' }] }] }, /label: must not be blank/],
    ['a question that is too long', { questions: [{ id: 'q', question: 'x'.repeat(2001) }] }, /Too big/],
    ['nine questions', { questions: Array.from({ length: 9 }, (_, index) => ({ ...why, id: `${index}` })) }, /Too big/],
    [
      'thirteen options',
      { questions: [{ ...why, options: Array.from({ length: 13 }, (_, i) => ({ label: `${i}` })) }] },
      /Too big/,
    ],
    ['another key beside the questions', { questions: [why], mode: 'x' }, /Unrecognized key/],
  ]
  for (const [name, args, message] of refused) {
    it(`refuses ${name} and asks nobody`, async () => {
      const { window, agent, result } = scene(args)
      const given = await result()
      assert.equal(given?.isError, true)
      assert.match(given?.text ?? '', message)
      assert.deepEqual(window.open.of(agent), [])
    })
  }

  it('allows further keys inside questions and options, and shows none of them', async () => {
    const { window, opened, result } = scene({
      questions: [{ ...why, why: 1, options: [{ label: 'A', value: 'a' }] }],
    })
    const id = await opened
    assert.deepEqual(window.open.find(id)?.request.questions, [{ ...why, options: [{ label: 'A' }] }])
    window.open.answer(id, { answers: [{ id: 'why', selected: ['A'] }] })
    assert.equal((await result())?.isError, false)
  })

  it('is offered in plan mode and outside, and stands before exit_plan_mode', async () => {
    const each = new PlanningAgent([[{ text: 'Hello.' }], [present('no plan')], [{ text: 'ok' }]])
    each.runtime.tools.register(askUserQuestion)
    await each.say('Hello')
    each.controller.set(each.agent, true)
    await each.say('Plan it')
    const offered = each.model.requests.map(({ tools }) => tools?.map(({ name }) => name))
    assert.deepEqual(offered.slice(0, 2), [['ask_user_question'], ['ask_user_question', 'exit_plan_mode']])
  })
})
