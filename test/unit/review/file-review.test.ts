import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DraftStore } from '../../../src/review/drafts/draft-store.ts'
import { FileReview } from '../../../src/review/file-review.ts'

const TEXT = '# Guide\n\nOne bucket per key.\n\n## Use\n\nCall it.\n'

describe('the review of a file', () => {
  let folder = ''
  let text = TEXT
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plan-mode-file-'))
    text = TEXT
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  async function open(): Promise<FileReview> {
    const store = new DraftStore(folder)
    const review = new FileReview(
      'file:///guide.md',
      () => text,
      store,
      error => assert.fail(String(error)),
    )
    await review.loaded
    return review
  }
  const on = (quote: string) => ({ start: text.indexOf(quote), end: text.indexOf(quote) + quote.length })

  it('keeps remarks over a restart, and places them on the text as it is then', async () => {
    const before = await open()
    before.add('remark', on('per key'), 'Per user.')
    before.add('question', on('Call it'), 'How?')
    before.setNotes('Short, please.')
    await before.flush()

    text = TEXT.replace('# Guide', '# The guide\n\nMore words first.').replace('Call it.', 'Run it.')
    const review = await open()
    assert.deepEqual(
      review.remarks().map(({ id, state, fate, range }) => [id, state, fate, range]),
      [
        ['C1', 'unsent', 'unchanged', on('per key')],
        ['C2', 'unsent', 'changed', on('Run it.')],
      ],
    )
    assert.equal(review.add('good', on('More words'), '').id, 'C3')
    assert.equal(review.notes, 'Short, please.')
  })

  it('says the verdict as one text for whoever works on the file', async () => {
    const review = await open()
    assert.equal(
      review.verdictText('docs/guide.md', 'approved'),
      'The user has reviewed the file "docs/guide.md". It is approved.',
    )
    review.add('remark', on('Call it'), 'How?')
    review.add('remark', null, 'Too long.')
    assert.equal(
      review.verdictText('docs/guide.md', 'kept'),
      `The user has reviewed the file "docs/guide.md". It is not approved yet.

C1 · Remark · Under "Guide" > "Use"

On these words:

> Call it

How?

C2 · Remark · About the whole file

Too long.

When you have worked them in, write one line per remark about what you did, such as "C1: done, see step 4" or "C1: not done, because …". The remarks are C1, C2.`,
    )
  })

  it('leaves nothing behind when it is cleared', async () => {
    const review = await open()
    review.add('remark', on('Call it'), 'How?')
    review.edit('C1', { text: 'How exactly?' })
    assert.equal(review.remarks()[0]?.text, 'How exactly?')
    review.clear()
    await review.flush()
    assert.equal(review.unsent, false)
    assert.deepEqual((await open()).remarks(), [])
  })

  it('refuses a remark on nothing, and one on a text that is too long to keep', async () => {
    const review = await open()
    assert.throws(() => review.add('remark', { start: 7, end: 9 }, 'x'), { code: 'EMPTY_RANGE' })
    text = 'x'.repeat(2_000_001)
    assert.throws(() => review.add('remark', { start: 0, end: 1 }, 'x'), { code: 'TEXT_TOO_LONG' })
  })
})
