import assert from 'node:assert/strict'
import fc from 'fast-check'
import { SourceLines } from '../../../src/review/source-lines.ts'

const text = fc.array(fc.constantFrom('a', 'é', '𝄞', ' ', '\n', '\r\n', '\r', '#')).map(parts => parts.join(''))

describe('lines of a source text', () => {
  it('counts what an editor counts', () => {
    const lines = new SourceLines('one\r\ntwo\n\nfour\rfive')
    assert.equal(lines.count, 5)
    assert.deepEqual(lines.positionAt(5), { line: 1, character: 0 })
    assert.deepEqual(lines.positionAt(4), { line: 0, character: 3 }, 'between \\r and \\n')
    assert.deepEqual(lines.positionAt(999), { line: 4, character: 4 })
    assert.equal(lines.offsetAt({ line: 1, character: 99 }), 8)
    assert.equal(lines.offsetAt({ line: 99, character: 0 }), 19)
    assert.deepEqual(lines.wholeLines(0, 1), { start: 0, end: 8 })
  })

  it('goes from every offset outside a line end to its place and back', () => {
    fc.assert(
      fc.property(text, fc.nat(), (source, at) => {
        const offset = at % (source.length + 1)
        fc.pre(!(source[offset - 1] === '\r' && source[offset] === '\n'))
        const lines = new SourceLines(source)
        assert.equal(lines.offsetAt(lines.positionAt(offset)), offset)
      }),
    )
  })
})
