import assert from 'node:assert/strict'
import { anchorAt } from '../../../src/review/anchors/anchor.ts'
import { fatesBetween } from '../../../src/review/fate.ts'

const before = `# Rate limits

## Steps

1. Count requests per key.
2. Wire the limiter into the router.

## Rollout

Run the tests. Then deploy.

## Risks

Clocks drift.
`

function fate(quote: string, after: string) {
  const start = before.indexOf(quote)
  const anchor = anchorAt(before, { start, end: start + quote.length })
  assert.ok(anchor)
  const result = fatesBetween(before, after)(anchor)
  return 'range' in result ? { kind: result.kind, words: after.slice(result.range.start, result.range.end) } : result
}

describe('what became of a remark', () => {
  it('is unchanged where its paragraph is as it was, wherever that went', () => {
    const moved = before
      .replace('## Rollout\n\nRun the tests. Then deploy.\n\n', '')
      .concat('\n## Rollout\n\nRun the tests. Then deploy.\n')
    assert.deepEqual(fate('Then deploy', moved), { kind: 'unchanged', words: 'Then deploy' })
  })

  it('is changed where words beside it changed', () => {
    const after = before.replace('Run the tests.', 'Run all tests twice.')
    assert.deepEqual(fate('Then deploy', after), { kind: 'changed', words: 'Then deploy' })
  })

  it('is changed, at what stands there now, where the words themselves were rewritten', () => {
    const after = before.replace('Clocks drift.', 'Clocks of two hosts may differ by a second.')
    assert.deepEqual(fate('Clocks drift', after), {
      kind: 'changed',
      words: 'Clocks of two hosts may differ by a second.',
    })
  })

  it('is gone where the words were taken out', () => {
    const after = before.replace('\n## Risks\n\nClocks drift.\n', '')
    assert.deepEqual(fate('Clocks drift', after), { kind: 'gone' })
  })

  it('is unclear where the words came to stand in several places, none like theirs', () => {
    const after = before
      .replace('Clocks drift.', 'Nothing.')
      .replace('per key.', 'per key. Clocks drift. Clocks drift.')
    assert.deepEqual(fate('Clocks drift', after), { kind: 'unclear' })
  })
})
