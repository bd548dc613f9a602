import assert from 'node:assert/strict'
import fc from 'fast-check'
import { applyDiff, applyReplacements } from '../../../src/plan/revise/apply-edits.ts'
import { unifiedDiff } from '../../../src/review/changes.ts'

const plan = '# Plan\n\n1. Count requests.\n2. Count errors.\n3. Deploy.\n'

describe('the edits that revise a plan', () => {
  it('apply one after the other, each to what the ones before made', () => {
    const edits = [
      { old: 'Count requests', new: 'Count $& per key' },
      { old: 'per key', new: 'per tenant' },
    ]
    assert.deepEqual(applyReplacements(plan, edits), {
      kind: 'revised',
      text: plan.replace('Count requests', () => 'Count $& per tenant'),
    })
  })

  const refusals: readonly [string, { old: string; new: string }[], RegExp][] = [
    [
      'words that are not there',
      [{ old: 'Count nothing', new: 'x' }],
      /^Edit 1 of 1: the words "Count nothing" are not in the plan/,
    ],
    [
      'words that stand twice',
      [
        { old: 'Deploy', new: 'Ship' },
        { old: 'Count', new: 'x' },
      ],
      /^Edit 2 of 2: .*more than once/,
    ],
    ['no words', [{ old: '', new: 'x' }], /^Edit 1 of 1: "old" is empty/],
    ['the same words', [{ old: 'Deploy', new: 'Deploy' }], /change nothing/],
  ]
  for (const [name, edits, why] of refusals) {
    it(`are refused as a whole for ${name}, with the edit and the reason`, () => {
      const refused = applyReplacements(plan, edits)
      assert.equal(refused.kind, 'refused')
      assert.match(refused.kind === 'refused' ? refused.why : '', why)
    })
  }

  it('may be a unified diff: it makes exactly the text it was taken for', () => {
    const text = fc
      .array(fc.constantFrom('# Plan', 'a', 'b', '', '- step'), { minLength: 1, maxLength: 12 })
      .map(lines => lines.map(line => `${line}\n`).join(''))
    fc.assert(
      fc.property(text, text, (from, to) => {
        const revised = applyDiff(from, unifiedDiff(from, to))
        assert.deepEqual(revised.kind === 'revised' ? revised.text : from, to)
      }),
    )
  })

  const badDiffs: readonly [string, string, RegExp][] = [
    ['no hunk', 'Please change step 2.', /no hunk|cannot be read/],
    [
      'a hunk that does not fit',
      '@@ -3,2 +3,2 @@\n 1. Count requests.\n-2. Count mistakes.\n+2. Count faults.\n',
      /^Hunk 1 of 1, which begins at "1\. Count requests\.", does not fit/,
    ],
    [
      'several files',
      '--- a\n+++ a\n@@ -1 +1 @@\n-# Plan\n+# P\n--- b\n+++ b\n@@ -1 +1 @@\n-# Plan\n+# P\n',
      /more than one file/,
    ],
  ]
  for (const [name, patch, why] of badDiffs) {
    it(`as a diff are refused for ${name}`, () => {
      const refused = applyDiff(plan, patch)
      assert.equal(refused.kind, 'refused')
      assert.match(refused.kind === 'refused' ? refused.why : '', why)
    })
  }
})
