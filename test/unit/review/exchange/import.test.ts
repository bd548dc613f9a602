import assert from 'node:assert/strict'
import { placeRemarks } from '../../../../src/review/exchange/import.ts'
import type { SharedRemark } from '../../../../src/review/exchange/shared-review.ts'

const FROM = '# Limits\n\nOne bucket per key.\n\nWrite tests.\n\nWrite tests.\n'
const TO = '# Limits\n\nFirst nothing.\n\nOne bucket per key.\n\nWrite tests.\n'

function on(quote: string, text: string, more: Partial<SharedRemark> = {}): SharedRemark {
  const start = FROM.indexOf(quote)
  const range = start < 0 ? null : { start, end: start + quote.length }
  return { id: 'C1', kind: 'remark', state: 'open', range, quote, text, images: 0, ...more }
}

describe('remarks of a colleague', () => {
  const place = (remarks: readonly SharedRemark[], present: Parameters<typeof placeRemarks>[2] = []) =>
    placeRemarks({ title: 'Limits', plan: FROM, remarks }, TO, present)

  it('land on the same words of the plan that is shown', () => {
    const { remarks, unplaced } = place([on('per key', 'Per user.')])
    const start = TO.indexOf('per key')
    assert.deepEqual(remarks, [{ kind: 'remark', range: { start, end: start + 7 }, text: 'Per user.' }])
    assert.equal(unplaced, 0)
  })

  it('are about the whole plan, with their words, where those stand in no one place', () => {
    const { remarks, unplaced } = place([on('Write tests', 'Which?'), on('not there', '')])
    assert.deepEqual(
      remarks.map(({ range, text }) => [range, text]),
      [
        [null, 'On these words:\n\n```\nWrite tests\n```\n\nWhich?'],
        [null, 'On these words:\n\n```\nnot there\n```'],
      ],
    )
    assert.equal(unplaced, 2)
  })

  it('are not believed about their place', () => {
    const lying = on('per key', 'x', { range: { start: 0, end: 8 } })
    assert.equal(place([lying]).remarks[0]?.range, null)
    assert.equal(place([on('per key', 'x', { range: { start: 900_000, end: 900_001 } })]).remarks[0]?.range, null)
  })

  it('are told apart from those that are there, and from those that were resolved', () => {
    const [first] = place([on('per key', 'Per user.')]).remarks
    assert.ok(first)
    const present = { ...first, id: 'C7', anchor: null, fate: 'here', state: 'unsent', claim: undefined } as const
    const result = place(
      [on('per key', 'Per user.'), on('per key', 'Other.'), on('per key', 'Done.', { state: 'resolved' })],
      [present],
    )
    assert.deepEqual(
      result.remarks.map(({ text }) => text),
      ['Other.'],
    )
    assert.equal(result.known, 1)
    assert.equal(result.resolved, 1)
  })
})
