import assert from 'node:assert/strict'
import type { ApprovedPlan, StepProgress } from '../../../src/plan/steps/approved-plan.ts'
import { changeSides } from '../../../src/plan/steps/change-sides.ts'
import { closingCheck } from '../../../src/plan/steps/closing-check.ts'
import type { ChangedFile } from '../../../src/plan/steps/file-changes.ts'
import { changeDiff, LONGEST_DIFF } from '../../../src/tools/files/change-diff.ts'

const file = (path: string): ChangedFile => ({ path, added: 1, removed: 0, refs: [{ seq: 1 }] })

function step(id: string, state: StepProgress['state'], files: string[] = [], changes = 0): StepProgress {
  const refs = Array.from({ length: changes }, (_, seq) => ({ seq }))
  return { id, title: `Step ${id}`, line: 0, files, state, note: undefined, changes: refs }
}

function plan(...steps: StepProgress[]): ApprovedPlan {
  return { planHash: 'h', reviewId: 'r', textSeq: 0, next: 'start', steps, elsewhere: [], closed: undefined }
}

const check = (
  given: ApprovedPlan,
  text = '',
  under: Record<string, ChangedFile[]> = {},
  elsewhere: ChangedFile[] = [],
) => closingCheck(given, text, { of: ({ id }) => under[id] ?? [], elsewhere })

describe('the closing check of a plan', () => {
  it('tells done, skipped, partly and untouched apart', () => {
    const all = [
      step('1', 'done'),
      step('2', 'skipped'),
      step('3', 'running'),
      step('4', 'open', [], 1),
      step('5', 'open'),
    ]
    const { steps, over } = check(plan(...all))
    assert.deepEqual(
      steps.map(({ outcome }) => outcome),
      ['done', 'skipped', 'partly', 'partly', 'untouched'],
    )
    assert.equal(over, false)
    assert.equal(check(plan(step('1', 'done'), step('2', 'skipped'))).over, true)
    assert.equal(check(plan()).over, false, 'a plan without steps is not over by itself')
  })

  it('lists what was changed though the plan does not name it', () => {
    const steps = plan(step('1', 'done', ['limiter.ts'], 2), step('2', 'done', [], 1))
    const under = { '1': [file('src/limiter.ts'), file('src/other.ts')], '2': [file('src/loose.ts')] }
    const elsewhere = [file('package.json'), file('src/other.ts'), file('docs/a.md')]
    const { unplanned } = check(steps, 'See `docs/a.md` and x/package.json5.', under, elsewhere)
    assert.deepEqual(
      unplanned.map(({ path, added }) => [path, added]),
      [
        ['src/other.ts', 2],
        ['package.json', 1],
      ],
    )
  })

  it('takes no part of a longer path for a path', () => {
    const named = (text: string) => check(plan(), text, {}, [file('a.ts')]).unplanned.length === 0
    for (const text of ['a.ts', '`a.ts`', 'a.ts.', '(a.ts)', 'in a.ts, b']) assert.ok(named(text), text)
    for (const text of ['b/a.ts', 'a.tsx', 'ba.ts', 'a.ts/x', 'a.ts.map']) assert.ok(!named(text), text)
  })
})

describe('a change as the log keeps it', () => {
  const before = 'one\ntwo\nthree\n'

  it('gives both sides again', () => {
    const diff = changeDiff(before, 'one\nTWO\nthree\nfour\n')
    const change = { path: 'a', added: 2, removed: 1, ...diff }
    assert.deepEqual(changeSides([change]), { before, after: 'one\nTWO\nthree\nfour\n', partial: false })
    const fresh = { path: 'a', added: 1, removed: 0, ...changeDiff(undefined, 'x\n') }
    assert.deepEqual(changeSides([fresh]), { before: '', after: 'x\n', partial: false })
    assert.match(changeSides([change, change]).before, /^one\ntwo\nthree\n⋯\none/)
  })

  it('is bounded, whole lines only, and says so', () => {
    const many = Array.from({ length: 1_500 }, (_, line) => `a line of some length, number ${line}`).join('\n')
    const { diff, cut } = changeDiff(undefined, many)
    assert.equal(cut, true)
    assert.ok(diff.length <= LONGEST_DIFF && diff.length > LONGEST_DIFF - 100)
    assert.ok(
      diff.split('\n').every((line, index) => index === 0 || /^\+a line of some length, number \d+$/.test(line)),
    )
    assert.equal(changeSides([{ path: 'a', added: 1, removed: 0, diff, cut: true }]).partial, true)
    const rewritten = changeDiff(many.replaceAll('a line', 'old'), `${many}\n`.repeat(3))
    assert.deepEqual(rewritten, { diff: '', cut: true })
    assert.deepEqual(changeSides([{ path: 'a', added: 1, removed: 0 }]), { before: '', after: '', partial: true })
  })
})
