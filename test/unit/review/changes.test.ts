import assert from 'node:assert/strict'
import { applyPatch } from 'diff'
import fc from 'fast-check'
import { changesBetween, sizeOf, unifiedDiff } from '../../../src/review/changes.ts'

const text = fc
  .array(fc.constantFrom('# Plan', 'a', 'b', 'c', '', '- step'), { maxLength: 14 })
  .map(lines => lines.map(line => `${line}\n`).join(''))

describe('the changes between two texts', () => {
  it('name the lines that differ, and none of the others', () => {
    fc.assert(
      fc.property(text, text, (from, to) => {
        const [old, now] = [from.split('\n').slice(0, -1), to.split('\n').slice(0, -1)]
        const rebuilt: string[] = []
        let at = 0
        for (const change of changesBetween(from, to)) {
          rebuilt.push(...old.slice(at, change.from.start), ...now.slice(change.to.start, change.to.end))
          at = change.from.end
        }
        assert.deepEqual([...rebuilt, ...old.slice(at)], now)
      }),
    )
  })

  it('are none between equal texts, and a diff that makes one of the other', () => {
    fc.assert(
      fc.property(text, text, (from, to) => {
        assert.equal(changesBetween(from, to).length === 0, from === to)
        assert.equal(unifiedDiff(from, to) === '', from === to)
        if (from !== to) assert.equal(applyPatch(from, `--- a\n+++ b\n${unifiedDiff(from, to)}\n`), to)
      }),
    )
  })

  it('count what was added and removed', () => {
    assert.deepEqual(sizeOf(changesBetween('a\nb\nc\n', 'a\nx\ny\nc\n')), { added: 2, removed: 1 })
  })
})
