import assert from 'node:assert/strict'
import { hashPlan } from '../../../src/plan/present-plan.ts'
import { planText } from '../../../src/plan/review.ts'
import { assertGolden } from '../../support/golden.ts'
import type { Act } from '../../support/scripted-model.ts'
import { decisions, PLAN, PlanningAgent, planning, present, REVISED, reopened, settled } from './fixture.ts'

const perUser = { edits: [{ old: 'per key', new: 'per user' }] }

function revise(args: unknown): Act {
  return { call: 'revise_plan', args }
}

function toolsOf(each: PlanningAgent): (string | undefined)[][] {
  return each.events('request/header').map(({ data }) => (data.header.tools ?? []).map(({ name }) => name))
}

describe('revise_plan', () => {
  it('is offered once there is a plan to revise, and goes with plan mode', async () => {
    const each = planning([[present()], [revise(perUser)], [{ text: 'Carried out.' }]])
    await each.reviewed()
    await each.decide('kept', 'Per user.')
    await each.reviewed()
    await each.decide('approved')
    await settled(each)
    assert.deepEqual(toolsOf(each), [['exit_plan_mode'], ['exit_plan_mode', 'revise_plan'], ['plan_progress']])
  })

  it('presents the rebuilt text: logged, hashed, reviewed and approved like any other', async () => {
    const each = planning([[present()], [revise(perUser)], [{ text: 'Carried out.' }]])
    await each.reviewed()
    await each.decide('kept', 'Per user.')
    const revision = await each.reviewed()
    assert.equal(planText(each.session, revision), REVISED)
    assert.equal(revision.planHash, hashPlan(REVISED))
    assert.equal(revision.revision, 2)
    await each.decide('approved')
    await settled(each)
    assert.deepEqual(each.controller.get(each.agent), { active: false })
    assertGolden('plan-revise-by-edits', each.session)
  })

  it('takes a unified diff as well', async () => {
    const diff = '@@ -2,2 +2,2 @@\n \n-One bucket per key.\n+One bucket per user.\n'
    const each = planning([[present()], [revise({ diff })], [{ text: 'ok' }]])
    await each.reviewed()
    await each.decide('kept')
    assert.equal(planText(each.session, await each.reviewed()), REVISED)
    await each.decide('dismissed')
    await settled(each)
  })

  const refused: readonly [string, unknown, RegExp][] = [
    [
      'an edit that does not apply',
      { edits: [{ old: 'nothing', new: 'x' }] },
      /Edit 1 of 1: the words "nothing" are not/,
    ],
    ['no edit', {}, /either "edits" or "diff"/],
    ['both ways', { ...perUser, diff: '@@' }, /either "edits" or "diff"/],
    ['a result without a heading', { edits: [{ old: '# Add', new: 'Add' }] }, /begins with a level-1 heading/],
  ]
  for (const [name, args, why] of refused) {
    it(`fails for ${name}, says why, and presents nothing`, async () => {
      const each = planning([[present()], [revise(args)], [{ text: 'ok' }]])
      await each.reviewed()
      await each.decide('kept')
      await settled(each)
      const results = each.events('tool/result').map(({ data }) => JSON.stringify(data.message.content))
      assert.match(results[1]?.replaceAll('\\"', '"') ?? '', why)
      assert.equal(each.events('review/presented').length, 1)
    })
  }

  it('begins with the edits that the human made', async () => {
    const plan = PLAN.replace('Write the limiter', 'Write and test the limiter')
    const edited = { plan, planHash: hashPlan(plan) }
    const each = planning([[present()], [revise(perUser)], [{ text: 'ok' }]])
    await each.reviewed()
    await each.decide('kept', 'See my edits.', { edited })
    assert.equal(planText(each.session, await each.reviewed()), plan.replace('per key', 'per user'))
    await each.decide('dismissed')
    await settled(each)
  })

  it('leaves its review waiting over a restart, with its text', async () => {
    const each = planning([[present()], [revise(perUser)]])
    await each.reviewed()
    await each.decide('kept')
    await each.reviewed()
    await each.agent.dispose()
    const next = new PlanningAgent([[{ text: 'Carried out.' }]], { session: reopened(each.session) })
    assert.equal(planText(next.session, next.waiting()), REVISED)
    await next.decide('approved')
    await settled(next)
    assert.deepEqual(decisions(next), ['kept', 'approved'])
  })
})
