import assert from 'node:assert/strict'
import fc from 'fast-check'
import { phaseOf, statusBarView } from '../../../src/vscode/window-view.ts'

const off = { active: false, pending: false }

describe('the status bar', () => {
  const rows = [
    [{ mode: off }, '$(checklist) Plan: off', 'planMode.toggle', undefined],
    [{ mode: { active: true, pending: false } }, '$(pass-filled) Plan: on', 'planMode.toggle', undefined],
    [{ mode: { active: false, pending: true } }, '$(sync) Plan: on at next step', 'planMode.toggle', undefined],
    [{ mode: { active: true, pending: true } }, '$(sync) Plan: off at next step', 'planMode.toggle', undefined],
    [
      { mode: { active: true, pending: true }, reviewWaiting: 'Limits' },
      '$(comment-unresolved) Plan: review waiting',
      'planMode.openReview',
      'warning',
    ],
    [
      { mode: off, reviewWaiting: 'Limits', questionWaiting: 1 },
      '$(question) Plan: question for you',
      'planMode.showConversation',
      'warning',
    ],
    [{ mode: off, questionWaiting: 1, problem: 'Broken.' }, '$(error) Plan', 'planMode.showProblem', 'error'],
    [{ mode: off, reviewWaiting: 'Limits', problem: 'Broken.' }, '$(error) Plan', 'planMode.showProblem', 'error'],
  ] as const

  for (const [given, text, command, background] of rows) {
    it(`tells ${text}`, () => {
      const view = statusBarView({ problem: undefined, reviewWaiting: undefined, ...given })
      assert.deepEqual([view.text, view.command, view.background], [text, command, background])
      assert.notEqual(view.description, '')
    })
  }

  it('tells the most urgent fact first', () => {
    const sentence = fc.option(fc.constant('A sentence.'), { nil: undefined })
    const state = fc.record({
      problem: sentence,
      reviewWaiting: sentence,
      questionWaiting: fc.nat(2),
      mode: fc.record({ active: fc.boolean(), pending: fc.boolean() }),
    })
    fc.assert(
      fc.property(state, given => {
        const phase = phaseOf(given)
        if (given.problem !== undefined) assert.equal(phase, 'problem')
        else if (given.questionWaiting > 0) assert.equal(phase, 'question')
        else if (given.reviewWaiting !== undefined) assert.equal(phase, 'review')
        else if (given.mode.pending) assert.equal(phase, given.mode.active ? 'offNext' : 'onNext')
        else assert.equal(phase, given.mode.active ? 'on' : 'off')
      }),
    )
  })
})
