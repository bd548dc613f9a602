import assert from 'node:assert/strict'
import fc from 'fast-check'
import { foldPlanMode } from '../../../src/plan/projection.ts'
import { assertInvariants } from '../../support/invariants.ts'
import { Life, lives } from './life.ts'

describe('Consent', () => {
  it('no output of a model, no tool result, no failure and no timer ends plan mode without a person', async () => {
    let ended = 0
    let stayed = 0
    await fc.assert(
      fc.asyncProperty(lives, async ops => {
        let active = false
        const life = new Life((event, { permitted }) => {
          if (event.type !== 'plan/mode') return
          if (active && !event.data.active) {
            ended++
            assert.ok(permitted, `plan mode ended at event ${event.seq} and nobody allowed it`)
          }
          active = event.data.active
        })
        await life.live([{ op: 'select', active: true, by: 'set' }, ...ops])
        assertInvariants(life.planning.session)
        if (foldPlanMode(life.planning.session.from())) stayed++
      }),
      { numRuns: 300 },
    )
    assert.ok(ended > 0 && stayed > 0, 'both happened')
  }).timeout(30_000)
})
