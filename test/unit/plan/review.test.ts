import assert from 'node:assert/strict'
import { reviewProjection } from '../../../src/plan/review.ts'
import type { ReviewDecision } from '../../../src/session/events.ts'
import type { Session } from '../../../src/session/session.ts'
import { looseSession } from '../../support/runtime.ts'

function call(session: Session, callId: string, name = 'exit_plan_mode', args = '{"plan":"# P"}'): void {
  session.append('tool/call', { turn: 1, step: 1, callId, name, arguments: args })
}

function present(session: Session, reviewId: string, callId: string): void {
  session.append('review/presented', { reviewId, callId, planHash: 'h' })
}

function decide(session: Session, reviewId: string, decision: ReviewDecision, feedback?: string): void {
  session.append('review/decided', {
    reviewId,
    decision,
    planHash: 'h',
    ...(feedback === undefined ? {} : { feedback }),
  })
}

describe('The review projection', () => {
  it('is waiting while presented and not decided, and counts revisions', () => {
    const session = looseSession()
    assert.deepEqual(session.state(reviewProjection).waiting, null)
    call(session, 'a')
    present(session, 'r1', 'a')
    const first = { reviewId: 'r1', callId: 'a', planHash: 'h', callSeq: 0, textSeq: 0, revision: 1 }
    assert.deepEqual(session.state(reviewProjection).waiting, first)
    decide(session, 'r1', 'kept', 'more')
    assert.equal(session.state(reviewProjection).waiting, null)
    assert.deepEqual(session.state(reviewProjection).decided, {
      ...first,
      decision: 'kept',
      feedback: 'more',
      next: null,
      seq: 2,
    })
    call(session, 'b')
    present(session, 'r2', 'b')
    assert.deepEqual(session.state(reviewProjection).waiting, {
      ...first,
      reviewId: 'r2',
      callId: 'b',
      callSeq: 3,
      textSeq: 3,
      revision: 2,
    })
    decide(session, 'r2', 'approved')
    assert.equal(session.state(reviewProjection).decided?.feedback, null)
  })

  it('passes over a presentation that names another call than the last of the exit tool', () => {
    const session = looseSession()
    present(session, 'r1', 'a')
    call(session, 'a', 'read_file')
    present(session, 'r2', 'a')
    call(session, 'b')
    present(session, 'r3', 'a')
    assert.equal(session.state(reviewProjection).waiting, null)
    assert.equal(session.state(reviewProjection).presented, 0)
  })

  it('passes over a presentation whose call holds no plan that could be shown', () => {
    for (const args of ['', 'no JSON', '{"plan":1}', '[]']) {
      const session = looseSession()
      call(session, 'a', 'exit_plan_mode', args)
      present(session, 'r1', 'a')
      assert.equal(session.state(reviewProjection).waiting, null, args)
    }
  })

  it('passes over a decision on another review', () => {
    const session = looseSession()
    call(session, 'a')
    present(session, 'r1', 'a')
    decide(session, 'another', 'approved')
    assert.equal(session.state(reviewProjection).waiting?.reviewId, 'r1')
    assert.equal(session.state(reviewProjection).decided, null)
  })

  it('returns the same state for what is not its own', () => {
    const session = looseSession()
    call(session, 'a')
    present(session, 'r1', 'a')
    const before = session.state(reviewProjection)
    session.append('turn/start', { turn: 1 })
    session.append('plan/mode', { active: true })
    call(session, 'b', 'read_file')
    assert.equal(session.state(reviewProjection), before)
  })
})
