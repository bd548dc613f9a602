import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DraftStore } from '../../../src/review/drafts/draft-store.ts'
import { ReviewWork } from '../../../src/review/review-work.ts'
import { reviewHistory } from '../../../src/review/revisions.ts'
import { remarkViews, remarkViewsOf } from '../../../src/vscode/pages/remarks-view.ts'
import { decideReview } from '../../../src/vscode/pages/review-decision.ts'
import { PLAN, type PlanningAgent, planning, present, REVISED, settled } from '../plan/fixture.ts'

const on = (quote: string) => ({ start: PLAN.indexOf(quote), end: PLAN.indexOf(quote) + quote.length })

describe('a decision of the review panel', () => {
  let folder = ''
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plan-mode-decision-'))
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  async function shown(each: PlanningAgent) {
    const { reviewId, planHash } = await each.reviewed()
    const review = new ReviewWork(each.session, new DraftStore(folder), error => assert.fail(String(error)))
    await review.loaded
    const conversation = { review, agent: each.agent, project: { desk: each.desk } }
    return { review, conversation, base: { kind: 'decide', reviewId, planHash, feedback: '' } as const }
  }

  const decidedOf = (each: PlanningAgent) => each.events('review/decided').at(-1)?.data

  it('sends a plan back with the remarks and the notes as the page holds them, and forgets what it sent', async () => {
    const each = planning([[present()], [{ text: 'C1: done' }, present(REVISED)], [{ text: 'ok' }]])
    const { review, conversation, base } = await shown(each)
    review.add('remark', on('per key'), 'Per user.')
    review.setNotes('Sho')
    await decideReview(conversation, { ...base, decision: 'kept', feedback: 'Short.' })
    assert.match(decidedOf(each)?.feedback ?? '', /C1 · Remark[\s\S]*Per user\.[\s\S]*Short\./)
    assert.equal(review.unsent, false)
    await each.reviewed()
    assert.deepEqual(
      remarkViews(review, () => undefined).map(({ id, quote, under, state, fate, claim }) => [
        id,
        quote,
        under,
        state,
        fate,
        claim,
      ]),
      [['C1', 'per key', 'Add rate limits', 'open', 'changed', 'done']],
    )
    const [old] = remarkViewsOf(each.session.state(reviewHistory), base.reviewId)
    assert.deepEqual([old?.id, old?.fate, old?.range], ['C1', 'here', on('per key')])
    await each.decide('dismissed')
    await settled(each)
  })

  it('approves exactly what is shown and leaves the rest unsent, unless it is told to say it', async () => {
    const each = planning([[present()], [{ text: 'ok' }]])
    const { review, conversation, base } = await shown(each)
    review.add('remark', on('limiter'), 'Which?')
    review.setNotes('Slowly.')
    await decideReview(conversation, { ...base, decision: 'approved' })
    assert.deepEqual([decidedOf(each)?.remarks, decidedOf(each)?.notes], [undefined, undefined])
    assert.deepEqual([review.draft.remarks.length, review.draft.notes], [1, 'Slowly.'])
    await settled(each)
  })

  it('takes along what other surfaces hold and have not said when it is sent', async () => {
    const each = planning([[present()], [{ text: 'ok' }]])
    const { review, conversation, base } = await shown(each)
    review.add('remark', on('per key'), 'Per us')
    await decideReview(conversation, { ...base, decision: 'kept' }, async () => {
      await Promise.resolve()
      review.edit('C1', { text: 'Per user.' })
      review.setEdited(REVISED)
    })
    const { remarks, edited } = decidedOf(each) ?? {}
    assert.deepEqual([remarks?.[0]?.text, edited?.plan], ['Per user.', REVISED])
    assert.equal(review.unsent, false)
    await settled(each)
  })

  it('refuses to approve edits that were still being typed when it was sent', async () => {
    const each = planning([[present()], [{ text: 'ok' }]])
    const { review, conversation, base } = await shown(each)
    const approve = { ...base, decision: 'approved', said: true, feedback: 'Slowly.' } as const
    const gather = async () => review.setEdited(REVISED)
    await assert.rejects(decideReview(conversation, approve, gather), { code: 'PLAN_CHANGED' })
    assert.equal(decidedOf(each), undefined)
    await decideReview(conversation, { ...base, decision: 'dismissed' })
    await settled(each)
  })

  it('approves with notes and saves for later when that is chosen', async () => {
    const each = planning([[present()], [{ text: 'ok' }]])
    const { review, conversation, base } = await shown(each)
    await decideReview(conversation, { ...base, decision: 'approved', said: true, feedback: 'Slowly.', next: 'save' })
    const decided = decidedOf(each)
    assert.deepEqual([decided?.decision, decided?.notes, decided?.next], ['approved', 'Slowly.', 'save'])
    assert.equal(review.unsent, false)
    await settled(each)
  })

  it('refuses a text that is not the one presented, and edits that are not those shown; nothing is lost', async () => {
    const each = planning([[present()], [{ text: 'ok' }]])
    const { review, conversation, base } = await shown(each)
    review.setNotes('Kept.')
    const wrong = { ...base, decision: 'approved', planHash: 'another' } as const
    await assert.rejects(decideReview(conversation, wrong), { code: 'PLAN_CHANGED' })
    review.setEdited(REVISED)
    const unseen = { ...base, decision: 'approved', said: true, feedback: 'Kept.' } as const
    await assert.rejects(decideReview(conversation, unseen), { code: 'PLAN_CHANGED' })
    assert.deepEqual([review.draft.notes, review.edited, decidedOf(each)], ['Kept.', REVISED, undefined])
    await decideReview(conversation, { ...base, decision: 'dismissed' })
    assert.deepEqual([review.draft.notes, review.edited], ['Kept.', REVISED])
    await settled(each)
  })

  it('sends no remark twice that was killed between the log and its draft', async () => {
    const each = planning([[present()], [present(REVISED)], [{ text: 'ok' }]])
    const { review, base } = await shown(each)
    review.add('remark', on('per key'), 'Per user.')
    await each.desk.decide(each.agent, { ...review.verdict('kept'), reviewId: base.reviewId })
    await each.reviewed()
    assert.deepEqual(
      review.remarks().map(({ id, state }) => [id, state]),
      [['C1', 'open']],
    )
    assert.equal(review.unsent, false)
    await each.decide('dismissed')
    await settled(each)
  })
})
