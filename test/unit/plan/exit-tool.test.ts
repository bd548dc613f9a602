import assert from 'node:assert/strict'
import type { QuestionAnswers, QuestionRequest, Questions } from '../../../src/agent/questions.ts'
import { hashPlan } from '../../../src/plan/present-plan.ts'
import { notPlanShaped, withdrawn } from '../../../src/plan/words.ts'
import { answering, decisions, PLAN, PlanningAgent, planning, present, settled, stillPlanning } from './fixture.ts'

describe('exit_plan_mode: before a review', () => {
  it('is an unknown tool outside plan mode', async () => {
    const each = new PlanningAgent([[present()]])
    await each.say('go')
    assert.deepEqual(
      each.exitResults().map(({ code }) => code),
      ['UNKNOWN_TOOL'],
    )
    assert.deepEqual(each.events('review/presented'), [])
  })

  it('is unknown in a step that was admitted before plan mode, whatever was selected since', async () => {
    const each = new PlanningAgent([
      () => {
        each.controller.set(each.agent, true)
        return [present()]
      },
    ])
    await each.say('go')
    assert.deepEqual(
      each.exitResults().map(({ code }) => code),
      ['UNKNOWN_TOOL'],
    )
  })

  for (const plan of [
    '',
    ' \n ',
    'Just text',
    '#NoSpace',
    '#',
    '#   ',
    'Intro\n\n# Late heading',
    '## Level two',
    '\u00A0',
  ]) {
    it(`refuses ${JSON.stringify(plan)} without a review`, async () => {
      const each = await settled(planning([[present(plan)]]))
      assert.deepEqual(each.exitResults(), [{ text: `Error: ${notPlanShaped}`, code: undefined, failed: true }])
      assert.deepEqual(each.events('review/presented'), [])
      stillPlanning(each)
    })
  }

  for (const args of [{}, { plan: 1 }, { plan: PLAN, approved: true }, '{"plan":', 'null']) {
    it(`refuses the arguments ${JSON.stringify(args)}`, async () => {
      const each = await settled(planning([[{ call: 'exit_plan_mode', args }]]))
      assert.deepEqual(
        each.exitResults().map(({ code }) => code),
        ['INVALID_ARGS'],
      )
      stillPlanning(each)
    })
  }

  it('fails with the message of the seam when nothing shows questions', async () => {
    const each = await settled(planning([[present()]], { provider: null }))
    assert.deepEqual(
      each.exitResults().map(({ code }) => code),
      ['NO_PROVIDER'],
    )
    assert.match(each.exitResults()[0]?.text ?? '', /Nothing is open that could show a question/)
    assert.deepEqual(each.events('review/presented'), [])
    stillPlanning(each)
  })
})

describe('exit_plan_mode: the question', () => {
  it('asks one question with the review intent and the exact plan', async () => {
    const asked: QuestionRequest[] = []
    const plan = `  \n${PLAN}  `
    const provider = answering({ selected: ['Keep planning'] })
    const each = planning([[present(plan)]], {
      provider: {
        ask: request => {
          asked.push(request)
          return provider.ask(request)
        },
      },
    })
    await settled(each)
    const [question, ...others] = asked[0]?.questions ?? []
    assert.deepEqual(others, [])
    assert.equal(question?.id, 'plan-review')
    assert.equal(question?.detail, plan)
    assert.deepEqual(
      question?.options?.map(({ label }) => label),
      ['Approve', 'Keep planning'],
    )
    assert.deepEqual(question?.intent, { kind: 'plan-review', approve: 'Approve' })
    assert.equal(question?.multiSelect, undefined)
    const [presented] = each.events('review/presented')
    assert.equal(presented?.data.planHash, hashPlan(plan))
    assert.equal(presented?.data.planHash.length, 64)
    assert.equal(presented?.ignorable, true)
  })

  it('is durable before the question is asked', async () => {
    let durable = 0
    let asked = false
    const each: PlanningAgent = planning([[present()]], {
      provider: {
        ask: async request => {
          asked = true
          assert.ok(each.waiting().callSeq < durable && each.types().includes('review/presented'))
          assert.equal(each.session.length, durable)
          return answering({ selected: ['Keep planning'] }).ask(request)
        },
      },
    })
    each.runtime.onFlush = () => {
      durable = each.session.length
    }
    await settled(each)
    assert.ok(asked)
    assert.deepEqual(decisions(each), ['kept'])
  })
})

describe('exit_plan_mode: answers that are not exactly Approve', () => {
  const answers = [
    { selected: [] },
    { selected: ['Keep planning'] },
    { selected: [], custom: 'Approve' },
    { selected: ['Approve'], custom: 'but rename it' },
    { selected: ['Approve', 'Keep planning'] },
    { selected: ['Approve', 'Approve'] },
    { selected: ['approve'] },
    { selected: ['Approve '] },
    { id: 'another', selected: ['Approve'] },
  ]
  for (const answer of answers) {
    it(`stays in plan mode after ${JSON.stringify(answer)}`, async () => {
      const each = await settled(planning([[present()]], { provider: answering(answer) }))
      assert.deepEqual(
        each.exitResults().map(({ failed }) => failed),
        [true],
      )
      assert.ok(!decisions(each).includes('approved'))
      assert.deepEqual(each.events('plan/selected'), [])
      stillPlanning(each)
    })
  }

  for (const count of [0, 2]) {
    it(`stays in plan mode after ${count} answers`, async () => {
      const approve = { id: 'plan-review', selected: ['Approve'] }
      const provider = { ask: async () => ({ answers: Array(count).fill(approve) }) }
      const each = await settled(planning([[present()]], { provider }))
      assert.deepEqual(
        each.exitResults().map(({ code }) => code),
        ['BAD_ANSWER'],
      )
      stillPlanning(each)
    })
  }
})

describe('exit_plan_mode: a seam that checks nothing', () => {
  /** Plan mode asks exactly by itself, whatever stands between it and the human. */
  async function answeredBy(ask: (each: PlanningAgent) => QuestionAnswers): Promise<PlanningAgent> {
    const each = planning([[present()], [{ text: 'ok' }]])
    const questions: Questions = {
      provide: () => ({ [Symbol.dispose]() {} }),
      check: () => {},
      ask: async () => ask(each),
    }
    Object.assign(each.runtime, { questions })
    return await settled(each)
  }
  const approve = { id: 'plan-review', selected: ['Approve'] }

  it('approves exactly the label', async () => {
    const each = await answeredBy(() => ({ answers: [approve] }))
    assert.deepEqual(decisions(each), ['approved'])
  })

  const others: QuestionAnswers['answers'][] = [
    [],
    [approve, approve],
    [{ ...approve, id: 'another' }],
    [{ ...approve, custom: 'but rename it' }],
    [{ ...approve, custom: '' }],
    [{ ...approve, selected: ['Approve', 'Approve'] }],
    [{ ...approve, selected: ['Approve', 'Keep planning'] }],
    [{ ...approve, selected: ['approve'] }],
    [{ ...approve, selected: [] }],
  ]
  for (const answers of others) {
    it(`keeps planning after ${JSON.stringify(answers)}`, async () => {
      const each = await answeredBy(() => ({ answers }))
      assert.deepEqual(decisions(each), ['kept'])
      assert.deepEqual(
        each.exitResults().map(({ failed }) => failed),
        [true],
      )
      stillPlanning(each)
    })
  }

  it('takes no approval that comes with a stop: the review waits', async () => {
    const each = await answeredBy(({ agent }) => {
      agent.cancel()
      return { answers: [approve] }
    })
    assert.deepEqual(decisions(each), [])
    assert.deepEqual(
      each.exitResults().map(({ code }) => code),
      ['ABORTED'],
    )
    stillPlanning(each)
  })

  it('takes no approval that comes after a withdrawal', async () => {
    const each = await answeredBy(({ agent, controller }) => {
      controller.set(agent, false)
      return { answers: [approve] }
    })
    assert.deepEqual(decisions(each), ['withdrawn'])
    assert.deepEqual(
      each.exitResults().map(({ text }) => text),
      [`Error: ${withdrawn}`],
    )
  })
})
