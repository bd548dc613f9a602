import assert from 'node:assert/strict'
import { changesSinceBase } from '../../../src/review/base-changes.ts'
import { reviewHistory } from '../../../src/review/revisions.ts'
import { PLAN, planning, present, REVISED } from '../plan/fixture.ts'

describe('what changed in a revision', () => {
  it('is held against the plan that was decided last, by lines of the revision', async () => {
    const third = `${REVISED.replace('1. Write the limiter.\n', '')}\nMeasure first.\n`
    const each = planning([[present()], [present(REVISED)], [present(third)], [{ text: 'ok' }]])
    for (const _ of [1, 2]) {
      await each.reviewed()
      await each.decide('kept', 'Not yet.')
    }
    await each.reviewed()
    const ids = each.session.state(reviewHistory).revisions.map(({ reviewId }) => reviewId)
    assert.equal(changesSinceBase(each.session, ids[0] ?? ''), undefined, 'the first plan has no base')
    assert.deepEqual(changesSinceBase(each.session, ids[1] ?? ''), {
      ...{ base: 1, decided: true, added: 1, removed: 1 },
      hunks: [{ start: 2, end: 3, removed: PLAN.split('\n')[2] }],
    })
    const { base, decided, hunks } = changesSinceBase(each.session, ids[2] ?? '') ?? {}
    assert.deepEqual({ base, decided }, { base: 2, decided: true })
    assert.deepEqual(hunks?.map(({ removed }) => removed).join('\n'), '1. Write the limiter.')
    assert.equal(changesSinceBase(each.session, ids[2] ?? '', ids[0])?.base, 1, 'an older one that is named')
    assert.equal(changesSinceBase(each.session, ids[1] ?? '', ids[2])?.base, 1, 'a newer one is none')
    assert.equal(changesSinceBase(each.session, 'no such review'), undefined)
  })
})
