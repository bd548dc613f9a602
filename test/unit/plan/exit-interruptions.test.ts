import assert from 'node:assert/strict'
import { withdrawn } from '../../../src/plan/words.ts'
import { newUserMessage } from '../../../src/session/messages.ts'
import { testTool } from '../../support/test-tool.ts'
import { decisions, PlanningAgent, planning, present, REVISED, settled, stillPlanning } from './fixture.ts'

describe('exit_plan_mode: leaving while the review waits', () => {
  it('withdraws the review and leaves at the next boundary', async () => {
    const each = planning([[present()], [{ text: 'ok' }]])
    await each.reviewed()
    assert.equal(each.controller.set(each.agent, false), 'queued')
    await settled(each)
    assert.deepEqual(decisions(each), ['withdrawn'])
    assert.deepEqual(each.exitResults(), [{ text: `Error: ${withdrawn}`, code: undefined, failed: true }])
    assert.equal(each.events('turn/start').length, 1, 'the turn goes on')
    assert.equal(each.notices().length, 1)
    assert.deepEqual(each.controller.get(each.agent), { active: false })
  })

  it('does the same for /plan off', async () => {
    const each = planning([[present()], [{ text: 'ok' }]])
    await each.reviewed()
    const outcome = await each.runtime.commands.run(each.agent, 'plan', ' off')
    assert.deepEqual(outcome, { kind: 'success', text: 'Plan mode ends with the next step.' })
    await settled(each)
    assert.deepEqual(decisions(each), ['withdrawn'])
    assert.deepEqual(each.controller.get(each.agent), { active: false })
  })

  it('withdraws even when the exit was selected before the review', async () => {
    const each: PlanningAgent = planning([
      () => {
        each.controller.set(each.agent, false)
        return [present()]
      },
    ])
    await each.reviewed()
    assert.equal(each.controller.set(each.agent, false), 'noop')
    await settled(each)
    assert.deepEqual(decisions(each), ['withdrawn'])
  })

  it('withdraws a plan that was presented under a waiting exit and not decided, once the exit commits', async () => {
    const each = new PlanningAgent([[{ call: 'leave' }, present()]])
    const leave = testTool('leave', () => {
      each.controller.set(each.agent, false)
      return { kind: 'success', text: 'The user leaves.' }
    })
    each.runtime.tools.register(leave)
    each.controller.set(each.agent, true)
    each.agent.prompt(newUserMessage('Plan rate limits'))
    await each.reviewed()
    each.agent.cancel()
    await each.agent.whenIdle()
    assert.deepEqual(decisions(each), [])
    await each.say('Never mind')
    assert.deepEqual(decisions(each), ['withdrawn'], 'a verdict would speak of a mode that is not on')
    assert.deepEqual(each.controller.get(each.agent), { active: false })
    await settled(each)
  })

  it('does nothing to a review when entering is selected', async () => {
    const each = planning([[present()]])
    await each.reviewed()
    assert.equal(each.controller.set(each.agent, true), 'noop')
    assert.deepEqual(decisions(each), [])
    await each.decide('kept')
    await settled(each)
  })
})

describe('exit_plan_mode: the provider goes away', () => {
  it('fails with the message of the seam and leaves the review waiting', async () => {
    const each = planning([[present()], [{ text: 'ok' }]])
    await each.reviewed()
    each.provided?.[Symbol.dispose]()
    await settled(each)
    assert.deepEqual(
      each.exitResults().map(({ code }) => code),
      ['NO_PROVIDER'],
    )
    assert.deepEqual(decisions(each), [])
    assert.equal(each.desk.isLive(each.agent), false)
    stillPlanning(each)
  })

  it('does the same when the provider breaks', async () => {
    const provider = { ask: () => Promise.reject(new Error('The panel broke.')) }
    const each = await settled(planning([[present()]], { provider }))
    assert.match(each.exitResults()[0]?.text ?? '', /The panel broke/)
    assert.deepEqual(decisions(each), [])
    stillPlanning(each)
  })
})

describe('exit_plan_mode: supersession', () => {
  it('a new presentation supersedes the waiting one', async () => {
    const each = planning([[present()], [present(REVISED)]])
    const first = await each.reviewed()
    each.agent.cancel()
    await each.agent.whenIdle()
    each.agent.prompt(newUserMessage('Again'))
    const second = await each.reviewed()
    assert.deepEqual(
      each.events('review/decided').map(({ data }) => data),
      [{ reviewId: first.reviewId, decision: 'superseded', planHash: first.planHash }],
    )
    assert.equal(second.revision, 2)
    await each.decide('approved')
    await settled(each)
    assert.deepEqual(decisions(each), ['superseded', 'approved'])
  })
})

describe('exit_plan_mode: storage failures', () => {
  /** Fails the flush that runs when the condition first holds. */
  function failWhen(each: PlanningAgent, condition: () => boolean): void {
    let failed = false
    each.runtime.onFlush = () => {
      if (failed || !condition()) return
      failed = true
      throw new Error('The disk is full.')
    }
  }

  it('before the call: it does not run', async () => {
    const each = planning([[present()]])
    failWhen(each, () => each.types().at(-1) === 'tool/call')
    await settled(each)
    assert.deepEqual(
      each.exitResults().map(({ code }) => code),
      ['ABORTED_BEFORE_DISPATCH'],
    )
    assert.deepEqual(each.events('review/presented'), [])
    stillPlanning(each)
  })

  it('after the presentation: the call fails, nothing is asked, the review waits', async () => {
    const each = planning([[present()]])
    failWhen(each, () => each.types().at(-1) === 'review/presented')
    await settled(each)
    assert.deepEqual(each.exitResults(), [{ text: 'Error: The disk is full.', code: undefined, failed: true }])
    assert.deepEqual(decisions(each), [])
    stillPlanning(each)
    await each.decide('approved')
    await settled(each)
    assert.deepEqual(each.controller.get(each.agent), { active: false })
  })

  it('after an approval: the call fails, and the approval still holds and is told', async () => {
    const each = planning([[present()], [{ text: 'ok' }]])
    await each.reviewed()
    failWhen(each, () => each.types().at(-1) === 'plan/steps')
    await each.decide('approved')
    await settled(each)
    assert.deepEqual(
      each.exitResults().map(({ failed }) => failed),
      [true],
    )
    assert.deepEqual(each.controller.get(each.agent), { active: false })
    assert.equal(each.notices().length, 1, 'no result told the model, so a notice does')
  })

  it('after a dismissal: the call fails and the turn goes on in plan mode', async () => {
    const each = planning([[present()], [{ text: 'ok' }]])
    await each.reviewed()
    failWhen(each, () => each.types().at(-1) === 'review/decided')
    await Promise.allSettled([each.decide('dismissed')])
    await settled(each)
    assert.deepEqual(
      each.exitResults().map(({ failed }) => failed),
      [true],
    )
    assert.deepEqual(decisions(each), ['dismissed'])
    stillPlanning(each)
  })
})
