import assert from 'node:assert/strict'
import { installCode } from '../../../src/agent/code/run-code.ts'
import type { ToolsMode } from '../../../src/agent/tool.ts'
import { exportPlans } from '../../../src/cli/plan-export.ts'
import { planText, reviewProjection } from '../../../src/plan/review.ts'
import { alreadyApproved, dismissed, kept, noticeOff } from '../../../src/plan/words.ts'
import type { Session } from '../../../src/session/session.ts'
import { resultsOf } from '../../support/reading.ts'
import { ScriptedEngine, type ScriptedProgram } from '../../support/scripted-engine.ts'
import type { Reply } from '../../support/scripted-model.ts'
import { testTool } from '../../support/test-tool.ts'
import {
  decisions,
  PLAN,
  PlanningAgent,
  planning,
  present,
  REVISED,
  reopened,
  settled,
  stillPlanning,
} from './fixture.ts'

const run = { call: 'run_code', id: 'run', args: { code: 'main', description: 'Plans' } }

function equipped(main: ScriptedProgram, each: PlanningAgent): PlanningAgent {
  each.runtime.tools.register(testTool('read', undefined, { parallel: true }))
  installCode(each.runtime, new ScriptedEngine({ main }))
  return each
}

/** In plan mode, and the first answer runs the program. */
function programming(main: ScriptedProgram, replies: readonly Reply[] = [], mode: ToolsMode = 'code'): PlanningAgent {
  return equipped(main, planning([[run], ...replies], { toolsMode: () => mode }))
}

const presents: ScriptedProgram = call => call('exit_plan_mode', { plan: PLAN })

describe('exit_plan_mode in a program', () => {
  it('opens the review with the text of the inner call', async () => {
    const each = programming(presents)
    const waiting = await each.reviewed()
    assert.equal(planText(each.session, waiting), PLAN)
    assert.equal(waiting.callId, 'run:code:1')
    assert.equal(each.session.at(waiting.callSeq).type, 'tool/code-dispatch-start')
    assert.ok(each.desk.isLive(each.agent))
    await each.decide('dismissed')
    await settled(each)
  })

  it('approve: the rest of the program runs under guidance, and a notice tells the model at the next boundary', async () => {
    const seen: unknown[] = []
    const each = programming(async call => {
      await call('exit_plan_mode', { plan: PLAN })
      seen.push(each.controller.get(each.agent))
      return call('read', { path: 'a' })
    })
    await each.reviewed()
    await each.decide('approved')
    await settled(each)
    assert.deepEqual(seen, [{ active: true, pending: false }])
    assert.deepEqual(decisions(each), ['approved'])
    assert.deepEqual(
      resultsOf(each.session),
      [{ callId: 'run', text: 'read a', isError: false }],
      'no word of the approval',
    )
    assert.deepEqual(each.notices(), [noticeOff])
    assert.deepEqual(each.controller.get(each.agent), { active: false })
    assert.deepEqual(
      exportPlans(each.session).plans.map(({ plan, decision }) => [plan, decision]),
      [[PLAN, 'approved']],
    )
  })

  it('approve: tells once, also when the program returns what the review said', async () => {
    const each = programming(presents, [[{ text: 'ok' }]])
    await each.reviewed()
    await each.decide('approved')
    await settled(each)
    await each.say('more')
    assert.deepEqual(each.notices(), [noticeOff])
  })

  it('approve: a second plan in the step is refused, from the program and behind it', async () => {
    const each = programming(
      async call => {
        await call('exit_plan_mode', { plan: PLAN })
        return call('exit_plan_mode', { plan: REVISED }).catch((error: Error) => error.message)
      },
      [],
      'both',
    )

    await each.reviewed()
    await each.decide('approved')
    await settled(each)
    assert.equal(resultsOf(each.session)[0]?.text, alreadyApproved)
    assert.equal(each.events('review/presented').length, 1)
  })

  it('approve: a native call of the same step is refused too', async () => {
    const each = equipped(presents, planning([[run, present(REVISED)]], { toolsMode: () => 'both' }))
    await each.reviewed()
    await each.decide('approved')
    await settled(each)
    assert.equal(resultsOf(each.session)[1]?.text, `Error: ${alreadyApproved}`)
  })

  it('keep planning: throws the feedback inside, and the program may present again', async () => {
    const each = programming(async call => {
      const said = await call('exit_plan_mode', { plan: PLAN }).catch((error: Error) => error.message)
      await call('exit_plan_mode', { plan: REVISED })
      return said
    })
    await each.reviewed()
    await each.decide('kept', 'Per user.')
    const again = await each.reviewed()
    assert.equal(planText(each.session, again), REVISED)
    assert.equal(again.revision, 2)
    await each.decide('approved')
    await settled(each)
    assert.deepEqual(decisions(each), ['kept', 'approved'])
    assert.equal(resultsOf(each.session)[0]?.text, kept('Per user.'))
  })

  it('keep planning, not caught: the program fails with the feedback', async () => {
    const each = programming(presents)
    await each.reviewed()
    await each.decide('kept', 'Per user.')
    await settled(each)
    const [result] = resultsOf(each.session)
    assert.equal(result?.code, 'CodeRunFailedError/CODE_RUN_FAILED')
    assert.match(result?.text ?? '', /Per user\./)
    stillPlanning(each)
  })

  it('dismiss: ends the program and the turn', async () => {
    let after = 0
    const each = programming(async call => {
      await call('exit_plan_mode', { plan: PLAN })
      after++
    })
    await each.reviewed()
    await each.decide('dismissed')
    await settled(each)
    assert.equal(after, 0)
    assert.equal(each.model.requests.length, 1)
    assert.deepEqual(resultsOf(each.session), [{ callId: 'run', text: dismissed, isError: false }])
    assert.deepEqual(each.notices(), [])
    stillPlanning(each)
  })

  it('/plan off withdraws it', async () => {
    const each = programming(call => call('exit_plan_mode', { plan: PLAN }).catch(() => 'caught'))
    await each.reviewed()
    each.controller.set(each.agent, false)
    await settled(each)
    assert.deepEqual(decisions(each), ['withdrawn'])
    assert.deepEqual(each.notices(), [noticeOff])
  })

  it('a stop leaves the review waiting for a late verdict', async () => {
    const each = programming(presents)
    await each.reviewed()
    each.agent.cancel()
    await settled(each)
    assert.equal(each.desk.isLive(each.agent), false)
    assert.equal(resultsOf(each.session)[0]?.code, 'AbortError/ABORTED')
    await each.decide('approved')
    await settled(each)
    assert.deepEqual(decisions(each), ['approved'])
    assert.deepEqual(each.controller.get(each.agent), { active: false })
  })

  it('a crash too: only the outer call is closed, and the verdict comes late', async () => {
    const before = programming(presents)
    await before.reviewed()
    const each = new PlanningAgent([[{ text: 'Done.' }]], {
      session: reopened(before.session),
      toolsMode: () => 'code',
    })
    assert.deepEqual(
      resultsOf(each.session).map(({ code }) => code),
      ['ToolOutcomeUnknownError/TOOL_OUTCOME_UNKNOWN'],
    )
    assert.equal(each.events('tool/code-dispatch').length, 0)
    assert.equal(planText(each.session, each.waiting()), PLAN)
    assert.equal(each.desk.isLive(each.agent), false)
    await each.decide('approved')
    await settled(each)
    assert.match(texts(each.session), /has now approved the plan "Add rate limits"/)
    assert.deepEqual(each.controller.get(each.agent), { active: false })
  })

  it('a verdict while the program goes on without the review is late', async () => {
    const held = Promise.withResolvers<void>()
    const each = programming(async call => {
      const exit = call('exit_plan_mode', { plan: PLAN }).catch(() => {})
      await held.promise
      void exit
      throw new Error('Never mind')
    })
    await each.reviewed()
    held.resolve()
    await settled(each)
    assert.equal(each.desk.isLive(each.agent), false)
    await each.decide('kept', 'Later.')
    await settled(each)
    assert.match(texts(each.session), /has now reviewed the plan/)
  })

  it('outside plan mode is unknown', async () => {
    const each = equipped(
      call => call('exit_plan_mode', { plan: PLAN }).catch((error: Error & { code?: string }) => error.code),
      new PlanningAgent([[run]], { toolsMode: () => 'code' }),
    )
    await each.say('go')
    assert.equal(resultsOf(each.session)[0]?.text, 'UNKNOWN_TOOL')
    assert.equal(each.events('tool/code-dispatch-start').length, 0)
    await settled(each)
  })

  it('a plan that is not shaped as one, or no text at all, is never presented', async () => {
    const each = programming(async (call, print) => {
      for (const plan of ['no heading', 7])
        print(await call('exit_plan_mode', { plan }).catch((error: Error) => error.message))
    })
    await settled(each)
    assert.equal(each.session.state(reviewProjection).presented, 0)
  })
})

function texts(session: Session): string {
  const messages = [...session.from()].flatMap(event => (event.type === 'user/message' ? [event.data] : []))
  return JSON.stringify(messages.map(({ content }) => content)).replaceAll('\\"', '"')
}
