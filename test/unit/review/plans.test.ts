import assert from 'node:assert/strict'
import { plansProjection } from '../../../src/review/plans.ts'
import { fold } from '../../../src/session/projections.ts'
import { PLAN, type PlanningAgent, planning, present, REVISED, settled } from '../plan/fixture.ts'

const shown = (each: PlanningAgent) =>
  each.session.state(plansProjection).plans.map(({ title, state, revision }) => `${title} · ${state} · ${revision}`)

const at = (step: string, state: string) => ({ call: 'plan_progress', args: { step, state } })

describe('the plans of a session', () => {
  it('go from waiting over revising and approved to done, one entry a plan, whatever its heading', async () => {
    const renamed = REVISED.replace('# Add rate limits', '# Limit requests')
    const each = planning([
      [present()],
      [present(renamed)],
      [at('1', 'running')],
      [at('1', 'done')],
      [{ text: 'Done.' }],
    ])
    await each.reviewed()
    assert.deepEqual(shown(each), ['Add rate limits · waiting · 1'])
    await each.decide('kept')
    await each.reviewed()
    assert.deepEqual(shown(each), ['Limit requests · waiting · 2'])
    await each.decide('approved')
    await settled(each)
    assert.deepEqual(shown(each), ['Limit requests · done · 2'])
  })

  it('saved, moved and dropped ones stay what they are when another plan is presented', async () => {
    const each = planning([[present()], [present('# B\n\nb')], [present('# C\n\nc')], [{ text: 'ok' }]])
    await each.reviewed()
    await each.decide('approved', undefined, { next: 'save' })
    await each.agent.whenIdle()
    each.controller.set(each.agent, true)
    const second = each.say('Another')
    await each.reviewed()
    await each.decide('approved', undefined, { next: 'fresh' })
    await second
    each.controller.set(each.agent, true)
    const third = each.say('And another')
    await each.reviewed()
    each.controller.set(each.agent, false)
    await third
    assert.deepEqual(shown(each), ['Add rate limits · saved · 1', 'B · moved · 1', 'C · dropped · 1'])
  })

  it('are read from a stored state as they were folded', async () => {
    const each = planning([[present()], [{ text: 'ok' }]])
    await each.reviewed()
    await each.decide('dismissed')
    await settled(each)
    const state = each.session.state(plansProjection)
    assert.deepEqual(plansProjection.stored?.parse(JSON.parse(JSON.stringify(state))), state)
    assert.deepEqual(fold(plansProjection, each.session.from()), state)
    assert.equal(PLAN.includes(state.plans[0]?.title ?? '?'), true)
  })
})
