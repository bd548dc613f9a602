import assert from 'node:assert/strict'
import { type Revision, sinceDecided } from '../../../src/review/revisions.ts'

describe('what changed since my remarks', () => {
  const revisions = (...states: Revision['state'][]) =>
    states.map((state, index): Revision => {
      const reviewId = `r${index + 1}`
      const place = { reviewId, callId: reviewId, planHash: '', callSeq: 0, textSeq: 0, revision: index + 1, at: 0 }
      return { ...place, state, decidedSeq: undefined }
    })
  const pair = (...states: Revision['state'][]) => {
    const { from, to } = sinceDecided(revisions(...states)) ?? {}
    return [from?.revision, to?.revision]
  }

  it('is between the plan that was decided last and the latest', () => {
    assert.deepEqual(pair('kept', 'waiting'), [1, 2])
    assert.deepEqual(pair('kept', 'superseded', 'superseded', 'waiting'), [1, 4], 'a person saw none of those between')
    assert.deepEqual(pair('kept', 'approved'), [1, 2])
  })

  it('is between the last two where none was decided, and nowhere with one alone', () => {
    assert.deepEqual(pair('superseded', 'superseded', 'waiting'), [2, 3])
    assert.equal(sinceDecided(revisions('waiting')), undefined)
    assert.equal(sinceDecided([]), undefined)
  })
})
