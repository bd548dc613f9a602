import assert from 'node:assert/strict'
import fc from 'fast-check'
import { hashPlan } from '../../../src/plan/present-plan.ts'
import { planText } from '../../../src/plan/review.ts'
import { approvedPlan } from '../../../src/plan/steps/approved-plan.ts'
import { assertGolden } from '../../support/golden.ts'
import { testTool } from '../../support/test-tool.ts'
import { type PlanningAgent, planning, present, settled } from './fixture.ts'

const PLAN = '# Add rate limits\n\n## Steps\n\n1. Write `src/limiter.ts`.\n2. Wire it.\n3. Document it.\n'

const at = (step: string, state: string, note?: string) => ({ call: 'plan_progress', args: { step, state, note } })

function planOf(each: PlanningAgent) {
  const { plan } = each.session.state(approvedPlan)
  assert.ok(plan)
  return plan
}

function carriedOut(replies: Parameters<typeof planning>[0]): PlanningAgent {
  const each = planning([[present(PLAN)], ...replies])
  each.runtime.tools.register(
    testTool('edit', () => ({
      kind: 'success',
      text: 'Changed.',
      meta: { path: 'src/limiter.ts', added: 1, removed: 0 },
    })),
  )
  return each
}

describe('an approved plan', () => {
  it('knows its steps, what the agent says of them, and the files changed under each', async () => {
    const each = carriedOut([
      [{ call: 'edit' }, at('1', 'running'), { call: 'edit' }, { call: 'edit' }, at('1', 'done')],
      [at('2', 'running'), { call: 'edit' }, at('3', 'running'), at('2', 'skipped', 'Not needed.')],
      [{ text: 'Done.' }],
    ])
    await each.reviewed()
    await each.decide('approved')
    await settled(each)
    const plan = planOf(each)
    assert.deepEqual(
      plan.steps.map(({ id, title, state, note, changes }) => [id, title, state, note, changes.length]),
      [
        ['1', 'Write src/limiter.ts.', 'done', undefined, 2],
        ['2', 'Wire it.', 'skipped', 'Not needed.', 1],
        ['3', 'Document it.', 'running', undefined, 0],
      ],
    )
    assert.equal(plan.elsewhere.length, 1)
    assert.equal(planText(each.session, plan), PLAN)
    assertGolden('plan-progress', each.session)
  })

  it('is the edited text where it was approved with edits', async () => {
    const text = PLAN.replace('3. Document it.\n', '')
    const each = carriedOut([[{ text: 'Done.' }]])
    await each.reviewed()
    await each.decide('approved', undefined, { edited: { plan: text, planHash: hashPlan(text) } })
    await settled(each)
    assert.equal(planText(each.session, planOf(each)), text)
    assert.equal(planOf(each).steps.length, 2)
  })

  it('refuses a step it does not have, and names those it has', async () => {
    const each = carriedOut([[at('9', 'done')], [{ text: 'Sorry.' }]])
    await each.reviewed()
    await each.decide('approved')
    await settled(each)
    const [, result] = each.events('tool/result')
    assert.match(JSON.stringify(result?.data.message.content), /no step \\"9\\".*1\. Write.*2\. Wire.*3\. Document/)
    assert.deepEqual(each.events('plan/progress'), [])
  })

  it('adopted from another session has the same steps', () => {
    const each = planning([])
    const planHash = hashPlan(PLAN)
    each.session.append('plan/adopted', { from: { sessionId: 'other', reviewId: 'r' }, planHash, plan: PLAN })
    assert.equal(planText(each.session, planOf(each)), PLAN)
    each.session.append('plan/closed', { planHash, as: 'dropped' })
    assert.equal(planOf(each).closed, 'dropped')
  })

  it('keeps at most one step running, whatever is said of them', () => {
    const said = fc.record({
      step: fc.constantFrom('1', '2', '3', '4'),
      state: fc.constantFrom('running', 'done', 'skipped'),
    })
    fc.assert(
      fc.property(fc.array(said), all => {
        const each = planning([])
        const planHash = hashPlan(PLAN)
        each.session.append('plan/adopted', { from: { sessionId: 'o', reviewId: 'r' }, planHash, plan: PLAN })
        const steps = ['1', '2', '3'].map(id => ({ id, title: id, line: 0, files: [] }))
        each.session.append('plan/steps', { planHash, steps })
        for (const data of all) each.session.append('plan/progress', data)
        const states = planOf(each).steps.map(({ state }) => state)
        assert.ok(states.filter(state => state === 'running').length <= 1)
        for (const { id, state } of planOf(each).steps) {
          const last = all.findLast(({ step }) => step === id)
          if (last === undefined) assert.equal(state, 'open')
          else if (last.state !== 'running') assert.equal(state, last.state)
        }
      }),
      { numRuns: 50 },
    )
  })
})
