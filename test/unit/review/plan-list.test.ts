import assert from 'node:assert/strict'
import { listPlans, type SessionPlans, waitingCount } from '../../../src/review/plan-list.ts'
import type { PlanEntry } from '../../../src/review/plans.ts'
import { planLine, planParts } from '../../../src/vscode/plans/plan-words.ts'

let clock = 0

function entry(reviewId: string, state: PlanEntry['state'], more: Partial<PlanEntry> = {}): PlanEntry {
  return {
    reviewId,
    planHash: `h-${reviewId}`,
    from: null,
    title: reviewId,
    state,
    revision: 1,
    at: ++clock,
    steps: {},
    ...more,
  }
}

function session(sessionId: string, plans: PlanEntry[], parent?: string): SessionPlans {
  return { sessionId, conversation: `C ${sessionId}`, parent, plans }
}

const shown = (...sessions: SessionPlans[]) =>
  listPlans(sessions).map(
    ({ sessionId, reviewId, state, start }) => `${sessionId} ${reviewId} ${state}${start ? ' start' : ''}`,
  )

describe('the plans of a workspace', () => {
  it('come in the order in which they want something of a human, the newest first', () => {
    const states = ['dropped', 'done', 'saved', 'approved', 'progress', 'revising', 'waiting', 'waiting'] as const
    const all = states.map((state, index) => entry(`p${index}`, state))
    assert.deepEqual(
      listPlans([session('a', all)]).map(({ reviewId }) => reviewId),
      ['p7', 'p6', 'p5', 'p4', 'p3', 'p2', 'p1', 'p0'],
    )
    assert.equal(waitingCount(listPlans([session('a', all), session('b', [entry('x', 'waiting')])])), 3)
  })

  it('stay to be started until some conversation has taken them up', () => {
    const here = session('a', [entry('moved', 'moved'), entry('saved', 'saved')])
    assert.deepEqual(shown(here), ['a moved approved start', 'a saved saved start'])
    const from = (reviewId: string) => ({ sessionId: 'a', reviewId })
    const taken = session('b', [
      entry('moved', 'progress', { from: from('moved') }),
      entry('saved', 'dropped', { from: from('saved') }),
    ])
    assert.deepEqual(shown(here, taken), ['b moved progress', 'b saved dropped'])
    const stranger = session('c', [entry('moved', 'done', { from: { sessionId: 'x', reviewId: 'moved' } })])
    assert.deepEqual(shown(here, stranger), ['a moved approved start', 'a saved saved start', 'c moved done'])
  })

  it('of a fork are its own only where it changed them', () => {
    const waiting = entry('w', 'waiting')
    const later = { ...waiting, state: 'dropped' as const, at: ++clock }
    assert.deepEqual(shown(session('a', [waiting]), session('f', [waiting], 'a')), ['a w waiting'])
    assert.deepEqual(shown(session('a', [waiting]), session('f', [later], 'a')), ['a w waiting', 'f w dropped'])
  })

  it('say their state in words, and what can be done with them', () => {
    const steps = { '1': 'done', '2': 'running', '3': 'skipped' } as const
    const all = [entry('p', 'progress', { steps }), entry('m', 'moved'), entry('w', 'waiting'), entry('s', 'saved')]
    const lines = listPlans([session('a', all)]).map(plan => [planLine(plan, 'just now'), planParts(plan).context])
    assert.deepEqual(lines, [
      ['waiting for your review · just now · C a', 'plan review'],
      ['in progress, 2 of 3 steps · just now · C a', 'plan drop'],
      ['approved, not started · just now · C a', 'plan start drop'],
      ['saved for later · just now · C a', 'plan start saved drop'],
    ])
  })
})
