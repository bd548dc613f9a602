import assert from 'node:assert/strict'
import type { ShownRemark } from '../../../src/review/shown-remark.ts'
import { pickedRange, type ThreadWords, threadViews } from '../../../src/vscode/review/thread-view.ts'

const TEXT = '# Limits\r\n\r\nOne bucket per key.\n\nWrite it.\n'
const words: ThreadWords = {
  kinds: { remark: 'Remark', question: 'Question', remove: 'Remove this', good: 'Looks good' },
  states: { unsent: 'unsent', again: 'sent again', open: 'open', resolved: 'resolved' },
  fates: {
    here: undefined,
    changed: 'changed here',
    unchanged: 'unchanged',
    gone: 'text gone',
    unclear: 'no one place',
  },
}

function remark(more: Partial<ShownRemark>): ShownRemark {
  const base = { id: 'C1', kind: 'remark', anchor: null, range: null, text: 'x', claim: undefined } as const
  return { ...base, fate: 'here', state: 'unsent', ...more }
}

describe('remarks as native threads', () => {
  it('stand where an editor shows their words', () => {
    const start = TEXT.indexOf('bucket')
    const [view] = threadViews(TEXT, [remark({ range: { start, end: start + 6 } })], words)
    assert.deepEqual(view?.range, { start: { line: 2, character: 4 }, end: { line: 2, character: 10 } })
    assert.equal(view?.label, 'C1 · Remark · unsent')
    assert.equal(view?.context, 'unsent')
  })

  it('say what became of them, beside what the agent says', () => {
    const anchor = { quote: 'per user', prefix: '', suffix: '', headingPath: [], range: { start: 0, end: 8 } }
    const sent = remark({ id: 'C2', kind: 'question', anchor, fate: 'gone', state: 'open', claim: 'done' })
    const [view] = threadViews(TEXT, [sent], words)
    assert.deepEqual(
      [view?.label, view?.range, view?.quote, view?.claim, view?.resolved],
      ['C2 · Question · open · text gone', null, 'per user', 'done', false],
    )
    assert.equal(threadViews(TEXT, [remark({ state: 'resolved' })], words)[0]?.resolved, true)
  })

  it('are made on exactly what was selected, or on the lines that the gutter names', () => {
    const at = (line: number, character: number) => ({ line, character })
    const said = (start: { line: number; character: number }, end: { line: number; character: number }) => {
      const range = pickedRange(TEXT, { start, end })
      return TEXT.slice(range.start, range.end)
    }
    assert.equal(said(at(2, 4), at(2, 10)), 'bucket')
    assert.equal(said(at(2, 0), at(2, 0)), 'One bucket per key.')
    assert.equal(said(at(2, 0), at(4, 0)), 'One bucket per key.\n\nWrite it.')
    assert.equal(said(at(0, 2), at(2, 3)), 'Limits\r\n\r\nOne')
  })
})
