import assert from 'node:assert/strict'
import { Drafts } from '../../../src/vscode/pages/drafts.ts'
import type { Image } from '../../../src/webview/image-messages.ts'

const image: Image = { attachmentId: 'a'.repeat(64), mediaType: 'image/png', bytes: 9, width: 3, height: 2 }
const other: Image = { ...image, attachmentId: 'b'.repeat(64), name: 'other.png' }

/** A window's memory; what goes in comes out as JSON would give it. */
function drafts(held = new Map<string, string>()) {
  return new Drafts({
    get: key => JSON.parse(held.get(key) ?? 'null'),
    update: async (key, value) => void (value === undefined ? held.delete(key) : held.set(key, JSON.stringify(value))),
  })
}

describe('Drafts', () => {
  it('hold text and images, and forget a place where neither is left', () => {
    const held = new Map<string, string>()
    const kept = drafts(held)
    kept.keep('a', '', [image])
    assert.deepEqual(drafts(held).read('a').images, [image])
    kept.keep('a', 'words', [])
    assert.equal('images' in kept.read('a'), false)
    kept.keep('a', '')
    assert.deepEqual([...held], [])
    assert.deepEqual(kept.read('a'), { text: '', at: 0 })
  })

  it('take an image at once, once, and keep the words', () => {
    const kept = drafts()
    kept.keep('a', 'words')
    for (const each of [image, other, image]) kept.addImage('a', each)
    const { text, images } = kept.read('a')
    assert.deepEqual([text, images], ['words', [image, other]])
  })

  it('move to a place that holds none, with all they hold, and nowhere else', () => {
    const kept = drafts()
    kept.keep('a', 'words', [image])
    kept.keep('taken', 'mine')
    kept.move('a', 'taken')
    assert.equal(kept.read('taken').text, 'mine')
    kept.move('a', 'new')
    assert.deepEqual([kept.read('new').text, kept.read('new').images, kept.read('a').text], ['words', [image], ''])
    kept.move('a', 'other')
    assert.deepEqual(kept.read('other'), { text: '', at: 0 })
  })
})
