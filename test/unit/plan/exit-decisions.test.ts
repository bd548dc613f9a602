import assert from 'node:assert/strict'
import { planText } from '../../../src/plan/review.ts'
import { alreadyApproved, approved, dismissed, kept } from '../../../src/plan/words.ts'
import { newUserMessage } from '../../../src/session/messages.ts'
import type { Act } from '../../support/scripted-model.ts'
import { testTool } from '../../support/test-tool.ts'
import {
  decisions,
  type PlanningAgent,
  planning,
  present,
  REVISED,
  SECTION,
  settled,
  stillPlanning,
} from './fixture.ts'

describe('exit_plan_mode: approve', () => {
  it('logs the decision and the exit, and leaves silently at the next boundary', async () => {
    const each = planning([[present()], [{ text: 'Carried out.' }]])
    const { reviewId, planHash } = await each.reviewed()
    await each.decide('approved')
    await settled(each)
    const from = each.events('review/presented')[0]?.seq ?? 0
    assert.deepEqual(each.types(from), [
      'review/presented',
      'review/decided',
      'plan/selected',
      'plan/steps',
      'tool/result',
      'step/end',
      'plan/mode',
      'step/start',
      'request/header',
      'assistant/message',
      'step/end',
      'turn/end',
    ])
    assert.deepEqual(each.events('review/decided')[0]?.data, { reviewId, decision: 'approved', planHash })
    assert.deepEqual(
      each.events('plan/selected').map(({ data }) => data),
      [{ active: false, by: 'review' }],
    )
    assert.deepEqual(each.exitResults(), [{ text: approved, code: undefined, failed: false }])
    assert.deepEqual(each.events('tool/result')[0]?.data.meta, { approved: true })
    assert.deepEqual(each.notices(), [])
    assert.deepEqual(each.controller.get(each.agent), { active: false })
  })

  it('keeps guidance for the rest of the batch and takes it and the tool away with the next step', async () => {
    const seen: unknown[] = []
    const each = planning([[present(), { call: 'probe' }], [{ text: 'ok' }]])
    each.runtime.tools.register(
      testTool('probe', () => {
        seen.push(each.controller.get(each.agent), each.runtime.prompt.render(each.agent))
        return { kind: 'success', text: 'probed' }
      }),
    )
    await each.reviewed()
    await each.decide('approved')
    await settled(each)
    assert.deepEqual(seen, [{ active: true, pending: false }, SECTION])
    const [before, after] = each.events('request/header').map(({ data }) => data.header)
    assert.equal(before?.system, SECTION)
    assert.deepEqual(
      before?.tools?.map(({ name }) => name),
      ['probe', 'exit_plan_mode'],
    )
    assert.equal(after?.system, undefined)
    assert.deepEqual(
      after?.tools?.map(({ name }) => name),
      ['probe', 'plan_progress'],
    )
  })

  it('is durable before the result says so', async () => {
    const each = planning([[present()]])
    await each.reviewed()
    await each.decide('approved')
    await settled(each)
    const [decided] = each.events('plan/selected')
    const [result] = each.events('tool/result')
    assert.ok(each.runtime.flushes.some(length => length > (decided?.seq ?? 0) && length <= (result?.seq ?? 0)))
  })

  it('needs no commands registry', async () => {
    const each = planning([[present()], [{ text: 'ok' }]], { commands: false })
    assert.equal(each.runtime.commands, undefined)
    await each.reviewed()
    await each.decide('approved')
    await settled(each)
    assert.deepEqual(each.controller.get(each.agent), { active: false })
  })

  it("overrides the user's own exit that waits, and stays silent", async () => {
    const each: PlanningAgent = planning([
      () => {
        each.controller.set(each.agent, false)
        return [present()]
      },
    ])
    await each.reviewed()
    assert.deepEqual(each.controller.get(each.agent), { active: true, pending: false })
    await each.decide('approved')
    await settled(each)
    assert.deepEqual(
      each.events('plan/selected').map(({ data }) => data.by),
      ['user', 'review'],
    )
    assert.deepEqual(
      each.exitResults().map(({ failed }) => failed),
      [false],
    )
    assert.deepEqual(each.notices(), [])
    assert.deepEqual(each.controller.get(each.agent), { active: false })
  })

  it('can be taken back before the boundary: plan mode stays and the model is told', async () => {
    const each = planning([[present(), { call: 'probe' }], [{ text: 'ok' }]])
    each.runtime.tools.register(
      testTool('probe', () => ({ kind: 'success', text: each.controller.set(each.agent, true) })),
    )
    await each.reviewed()
    await each.decide('approved')
    await settled(each)
    assert.deepEqual(each.events('plan/selected').at(-1)?.data, { active: true, by: 'user' })
    assert.equal(each.events('plan/mode').length, 1)
    assert.equal(each.notices().length, 1)
    stillPlanning(each)
  })

  it('refuses a second plan in the same batch', async () => {
    const each = planning([[present(), present(REVISED)]])
    await each.reviewed()
    await each.decide('approved')
    await settled(each)
    assert.deepEqual(
      each.exitResults().map(({ text }) => text),
      [approved, `Error: ${alreadyApproved}`],
    )
    assert.equal(each.events('review/presented').length, 1)
  })

  it('refuses a second plan also when the user typed /plan off in between', async () => {
    const each = planning([[present(), { call: 'leave' }, present(REVISED)]])
    each.runtime.tools.register({
      ...testTool('leave'),
      run: async () => {
        await each.runtime.commands?.run(each.agent, 'plan', ' off')
        return { kind: 'success', text: 'left' }
      },
    })
    await each.reviewed()
    await each.decide('approved')
    await settled(each)
    assert.equal(each.exitResults().at(-1)?.text, `Error: ${alreadyApproved}`)
    assert.equal(each.events('review/presented').length, 1)
    assert.equal(each.controller.get(each.agent).active, false)
  })
})

describe('exit_plan_mode: keep planning', () => {
  it('is a failed call with the feedback, and the turn goes on', async () => {
    const each = planning([[present()], [present(REVISED)]])
    await each.reviewed()
    await each.decide('kept', 'Per user, please.')
    await each.reviewed()
    assert.equal(each.waiting().revision, 2)
    assert.equal(planText(each.session, each.waiting()), REVISED)
    await each.decide('approved')
    await settled(each)
    assert.deepEqual(
      each.exitResults().map(({ text, failed }) => [text, failed]),
      [
        [`Error: ${kept('Per user, please.')}`, true],
        [approved, false],
      ],
    )
    assert.equal(each.events('turn/start').length, 1)
    assert.equal(each.events('review/decided')[0]?.data.feedback, 'Per user, please.')
    assert.match(JSON.stringify(each.model.requests[1]), /Per user, please\./)
  })

  for (const feedback of [undefined, '', ' \n ']) {
    it(`takes ${JSON.stringify(feedback)} as no feedback`, async () => {
      const each = planning([[present()]])
      await each.reviewed()
      await each.decide('kept', feedback)
      await settled(each)
      assert.deepEqual(
        each.exitResults().map(({ text }) => text),
        [`Error: ${kept(undefined)}`],
      )
      assert.equal(Object.hasOwn(each.events('review/decided')[0]?.data ?? {}, 'feedback'), false)
      stillPlanning(each)
    })
  }

  it('lets a second plan of the same batch be reviewed', async () => {
    const each = planning([[present(), present(REVISED)]])
    const first = await each.reviewed()
    await each.decide('kept')
    await each.until(() => each.desk.isLive(each.agent) && each.waiting().reviewId !== first.reviewId)
    await each.decide('approved')
    await settled(each)
    assert.deepEqual(decisions(each), ['kept', 'approved'])
  })
})

describe('exit_plan_mode: dismiss', () => {
  it('succeeds without approval, skips the rest of the batch and ends the turn', async () => {
    const later: Act[] = [{ call: 'probe' }, present(REVISED)]
    const each = planning([[present(), ...later]])
    each.runtime.tools.register(testTool('probe'))
    await each.reviewed()
    await each.decide('dismissed')
    await settled(each)
    const [first, ...others] = each.exitResults()
    assert.deepEqual(first, { text: dismissed, code: undefined, failed: false })
    assert.deepEqual(
      others.map(({ code }) => code),
      ['ABORTED_BEFORE_DISPATCH'],
    )
    const codes = each.events('tool/result').map(({ data }) => data.error?.code)
    assert.deepEqual(codes, [undefined, 'ABORTED_BEFORE_DISPATCH', 'ABORTED_BEFORE_DISPATCH'])
    assert.deepEqual(each.events('tool/result')[0]?.data.meta, { approved: false })
    assert.deepEqual(each.types().slice(-2), ['step/end', 'turn/end'])
    assert.deepEqual(
      each.events('turn/end').map(({ data }) => data.reason),
      [{ kind: 'completed' }],
    )
    assert.equal(each.model.requests.length, 1)
    stillPlanning(each)
  })

  it('lets queued input open the next turn', async () => {
    const each = planning([[present()], [{ text: 'Yes?' }]])
    await each.reviewed()
    each.agent.prompt(newUserMessage('A question first'))
    assert.equal(each.model.requests.length, 1)
    await each.decide('dismissed')
    await settled(each)
    assert.deepEqual(
      each.events('turn/start').map(({ data }) => data.turn),
      [1, 2],
    )
    assert.match(JSON.stringify(each.model.requests[1]?.prompt.at(-1)), /A question first/)
    assert.deepEqual(each.notices(), [], 'the model knows that it is still in plan mode')
    stillPlanning(each)
  })
})
