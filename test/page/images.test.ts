// biome-ignore-all lint/performance/useDomNodeTextContent: Playwright's innerText is what a reader sees.
// Images in the conversation view: pasted, dropped and chosen, taken back, kept, sent, shown.
import assert from 'node:assert/strict'
import type { FileChooser, Locator } from 'playwright-core'
import { type Image, imageLimits } from '../../src/webview/image-messages.ts'
import { fromConversation } from '../../src/webview/messages.ts'
import { type Given, hand } from './support/files.ts'
import { type Opened, PageStage, settled, until } from './support/open-page.ts'
import { board, bytesFor, conversation, picture, sketch, walk } from './support/samples.ts'

const boardFile: Given = { name: 'board.png', base64: Buffer.from(picture('board')).toString('base64') }

describe('images', function () {
  this.timeout(30_000)
  let stage: PageStage
  let opened: Opened
  let box: Locator
  before(async () => {
    stage = await PageStage.start()
  })
  after(() => stage.close())
  beforeEach(async () => {
    opened = await stage.open('conversation')
    box = opened.page.locator('textarea')
    await opened.send(conversation(), { kind: 'transcript', items: [...walk] })
    await box.focus()
  })
  afterEach(async () => {
    for (const message of await opened.page.evaluate<unknown[]>('posted')) fromConversation.parse(message)
    assert.deepEqual(await opened.faults(), [])
    await stage.clear()
  })

  const rows = (): Locator => opened.page.getByRole('list', { name: 'Images to send' }).getByRole('listitem')
  const button = (name: string | RegExp): Locator => opened.page.getByRole('button', { name })

  /** The host has stored the n-th image that was asked for. */
  async function stored(image: Image, count = 1): Promise<void> {
    const asked = await opened.waitForPosted('addImage', count)
    await opened.send({ kind: 'imageAdded', key: String(asked[count - 1]?.key), image }, bytesFor(image))
  }

  it('takes a pasted image: says that it is being added, then shows it with name and size', async () => {
    assert.equal(await box.evaluate(hand, { how: 'paste', files: [boardFile] }), true)
    const [asked] = await opened.waitForPosted('addImage')
    assert.deepEqual(asked, {
      kind: 'addImage',
      sessionId: 'session-1',
      key: asked?.key,
      name: 'board.png',
      data: boardFile.base64,
    })
    await until(async () => (await rows().allInnerTexts()).join() === 'Adding board.png', 'the image on its way')
    await stored(board)
    await opened.waitForPosted('loadImage')
    await opened.send(bytesFor(board))
    assert.match(await rows().innerText(), /board\.png\s+320 x 200 · (\d+ bytes|\d KB)/)
    const shown = opened.page.getByAltText('Image board.png, 320 x 200')
    await until(() => shown.evaluate(img => img instanceof HTMLImageElement && img.naturalWidth === 320), 'the picture')
    assert.match((await shown.getAttribute('src')) ?? '', /^blob:/)
    assert.match(await opened.page.getByRole('status').innerText(), /Added: Image board\.png/)
  })

  it('leaves a paste of words to the text box, whatever picture of them came along', async () => {
    const cells = { ...boardFile, words: 'a\tb' }
    assert.equal(await box.evaluate(hand, { how: 'paste', files: [cells] }), false)
    assert.equal((await opened.posted('addImage')).length, 0)
  })

  it('takes dropped images, and shows where they go', async () => {
    const drop = opened.page.locator('.box')
    assert.equal(await drop.evaluate(hand, { how: 'dragover', files: [boardFile] }), true)
    await until(async () => (await opened.page.locator('.box.files-over').count()) === 1, 'the mark')
    assert.equal(
      await drop.evaluate(hand, { how: 'drop', files: [boardFile, { ...boardFile, name: 'two.png' }] }),
      true,
    )
    assert.equal((await opened.waitForPosted('addImage', 2)).length, 2)
    await until(async () => (await opened.page.locator('.box.files-over').count()) === 0, 'the mark to go')
  })

  it('takes chosen files by the keyboard, and the same file again after it was taken back', async () => {
    // Watched from the start: a dialog that opens before the browser is told to hand it over is nobody's.
    const choosers: FileChooser[] = []
    opened.page.on('filechooser', chooser => choosers.push(chooser))
    await settled(opened.page)
    await button('Attach images').focus()
    for (const count of [1, 2]) {
      await opened.page.keyboard.press('Enter')
      await until(async () => choosers.length === count, 'the choice of files')
      await choosers[count - 1]?.setFiles([
        { name: 'board.png', mimeType: 'image/png', buffer: Buffer.from(picture('board')) },
      ])
      await stored(board, count)
      await button('Remove: Image board.png, 320 x 200').focus()
      await opened.page.keyboard.press('Enter')
      await until(async () => (await rows().count()) === 0, 'the image to go')
      assert.equal(await box.evaluate(element => element === document.activeElement), true)
      await button('Attach images').focus()
    }
  })

  it('sends images with text, alone, and with a command, and holds none afterwards', async () => {
    const sends: [string, Image[]][] = [
      ['Like this', [board]],
      ['', [board, sketch]],
      ['/plan', [board]],
    ]
    for (const [text, images] of sends) {
      await opened.send({ kind: 'composer', text, images, whenEmpty: false })
      await until(async () => (await rows().count()) === images.length, 'the images')
      await box.press('Escape')
      await box.focus()
      await button('Send').click()
      assert.deepEqual((await opened.posted('send')).at(-1), { kind: 'send', sessionId: 'session-1', text, images })
      await until(async () => (await rows().count()) === 0, 'an empty composer')
      assert.deepEqual((await opened.posted('draft')).at(-1), { kind: 'draft', sessionId: 'session-1', text: '' })
    }
    await box.press('Enter')
    assert.equal((await opened.posted('send')).length, 3)
  })

  it('gets back what the host could not send, words and images', async () => {
    await opened.send({ kind: 'composer', text: '/plan off', images: [board], whenEmpty: false })
    await until(async () => (await rows().count()) === 1, 'the image')
    await box.press('Enter')
    await opened.send(
      { kind: 'composer', text: '/plan off', images: [board], whenEmpty: true, at: Date.now() },
      conversation(),
    )
    assert.equal(await box.inputValue(), '/plan off')
    assert.equal(await rows().count(), 1)
  })

  const waits = () => opened.page.locator('message-composer').getByText('Goes out as soon as the image is stored.')

  it('sends by itself once the last image is stored, and says that it will', async () => {
    await box.evaluate(hand, { how: 'paste', files: [boardFile, { ...boardFile, name: 'two.png' }] })
    await box.pressSequentially('Like this')
    await opened.waitForPosted('addImage', 2)
    await box.press('Enter')
    await waits().waitFor()
    assert.match(await opened.page.getByRole('status').innerText(), /Goes out as soon as/)
    await stored(board, 1)
    await until(async () => (await rows().count()) === 2, 'one stored and one on its way')
    assert.equal((await opened.posted('send')).length, 0)
    await stored(sketch, 2)
    const sent = { kind: 'send', sessionId: 'session-1', text: 'Like this', images: [board, sketch] }
    assert.deepEqual(await opened.waitForPosted('send'), [sent])
    await until(async () => (await rows().count()) === 0 && (await waits().count()) === 0, 'an empty composer')
    assert.equal(await box.inputValue(), '')
  })

  it('sends an image without words as soon as it is stored', async () => {
    await box.evaluate(hand, { how: 'paste', files: [boardFile] })
    await opened.waitForPosted('addImage')
    await button('Send').click()
    await stored(board)
    const sent = { kind: 'send', sessionId: 'session-1', text: '', images: [board] }
    assert.deepEqual(await opened.waitForPosted('send'), [sent])
  })

  it('sends nothing when the image is refused, and keeps the words', async () => {
    await box.evaluate(hand, { how: 'paste', files: [boardFile] })
    await box.pressSequentially('Like this')
    const [asked] = await opened.waitForPosted('addImage')
    await box.press('Enter')
    await opened.send({ kind: 'imageRefused', key: String(asked?.key), text: 'It is no image.' })
    await opened.page.getByRole('alert').getByText('It is no image.').waitFor()
    assert.equal(await box.inputValue(), 'Like this')
    assert.equal(await waits().count(), 0)
    assert.equal((await opened.posted('send')).length, 0)
    await box.press('Enter')
    assert.deepEqual(await opened.waitForPosted('send'), [{ kind: 'send', sessionId: 'session-1', text: 'Like this' }])
  })

  for (const [what, change] of [
    ['what is typed meanwhile', () => box.pressSequentially(' and')],
    ['another conversation', () => opened.send(conversation({ sessionId: 'session-2' }))],
  ] as const) {
    it(`takes the sending back for ${what}, and loses nothing`, async () => {
      await box.evaluate(hand, { how: 'paste', files: [boardFile] })
      await box.pressSequentially('Like this')
      await opened.waitForPosted('addImage')
      await box.press('Enter')
      await waits().waitFor()
      await change()
      await until(async () => (await waits().count()) === 0, 'the sentence to go')
      await stored(board)
      await opened.send(conversation())
      await until(async () => (await rows().count()) === 1, 'the image')
      assert.match(await box.inputValue(), /^Like this/)
      assert.equal((await opened.posted('send')).length, 0)
    })
  }

  it('says at once what is too large or too many, and what the host refuses', async () => {
    const alert = opened.page.getByRole('alert')
    await opened.page.evaluate(limit => {
      const data = new DataTransfer()
      data.items.add(new File([new Uint8Array(limit + 1)], 'big.png'))
      document
        .querySelector('textarea')
        ?.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }))
    }, imageLimits.bytes)
    await alert.getByText('"big.png" is larger than 5 MB').waitFor()
    assert.equal((await opened.posted('addImage')).length, 0)
    const many = Array.from({ length: imageLimits.count + 1 }, (_, index) => ({ ...boardFile, name: `${index}.png` }))
    await box.evaluate(hand, { how: 'paste', files: many })
    await alert.getByText('At most 8 images').waitFor()
    const asked = await opened.waitForPosted('addImage', imageLimits.count)
    assert.equal(asked.length, imageLimits.count)
    for (const { key } of asked) await opened.send({ kind: 'imageRefused', key: String(key), text: 'It is no image.' })
    await alert.getByText('It is no image.').waitFor()
    assert.equal(await rows().count(), 0)
  })

  it('keeps them with the draft over a reload, for each conversation, and tells the host', async () => {
    await box.evaluate(hand, { how: 'paste', files: [boardFile] })
    await box.pressSequentially('Like this')
    await stored(board)
    await until(
      async () =>
        JSON.stringify((await opened.posted('draft')).at(-1)) ===
        JSON.stringify({ kind: 'draft', sessionId: 'session-1', text: 'Like this', images: [board] }),
      'the draft',
    )
    await opened.page.reload()
    await opened.waitForPosted('ready')
    await opened.send(conversation(), { kind: 'transcript', items: [...walk] })
    assert.equal(await box.inputValue(), 'Like this')
    assert.equal(await rows().count(), 1)
    await opened.send(conversation({ sessionId: 'session-2' }))
    assert.equal(await rows().count(), 0)
    await opened.send(conversation())
    assert.equal(await rows().count(), 1)
  })

  it('puts an image that comes late to the conversation it was added in', async () => {
    await box.evaluate(hand, { how: 'paste', files: [boardFile] })
    await opened.waitForPosted('addImage')
    await opened.send(conversation({ sessionId: 'session-2' }))
    await stored(board)
    assert.equal(await rows().count(), 0)
    await opened.send(conversation())
    assert.equal(await rows().count(), 1)
  })

  it('takes an image along into the conversation that begins meanwhile', async () => {
    await opened.page.reload()
    await opened.waitForPosted('ready')
    await opened.send(conversation({ sessionId: null }))
    await box.evaluate(hand, { how: 'paste', files: [boardFile] })
    const [asked] = await opened.waitForPosted('addImage')
    assert.equal(asked?.sessionId, null)
    await opened.send(conversation({ sessionId: 'session-9' }))
    await stored(board)
    assert.equal(await rows().count(), 1)
  })

  it('shows what was sent, opens it, and says when its bytes are gone', async () => {
    const lost: Image = { ...sketch, name: 'lost.png' }
    await opened.send({
      kind: 'transcript',
      items: [{ kind: 'user', id: 'u1', text: 'Like this', images: [board, lost] }],
    })
    await opened.waitForPosted('loadImage', 2)
    await opened.send(bytesFor(board), { kind: 'imageBytes', attachmentId: lost.attachmentId, data: null })
    const message = opened.page.locator('transcript-entry.user')
    assert.match(await message.innerText(), /Image lost\.png, 1600 x 1200: not stored any more/)
    const open = message.getByRole('button', { name: 'Open: Image board.png, 320 x 200' })
    await open.focus()
    await opened.page.keyboard.press('Enter')
    assert.deepEqual(await opened.posted('openImage'), [{ kind: 'openImage', attachmentId: board.attachmentId }])
  })

  it('names a picture that no browser can draw, and draws nothing else', async () => {
    await opened.send({ kind: 'transcript', items: [{ kind: 'user', id: 'u1', text: '', images: [board] }] })
    await opened.waitForPosted('loadImage')
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="window.owned=1"/>').toString('base64')
    await opened.send({ kind: 'imageBytes', attachmentId: board.attachmentId, data: svg })
    await opened.page.locator('transcript-entry.user').getByText('not stored any more').waitFor()
    assert.equal(await opened.page.evaluate('window.owned'), undefined)
  })

  it('shows them in the queue and takes an image without words back by its name', async () => {
    await opened.send(
      conversation({ running: true, queue: [{ id: 'q1', text: '', target: 'next-step', images: [board] }] }),
    )
    await opened.waitForPosted('loadImage')
    await button('Remove from the queue: Image board.png, 320 x 200').click()
    assert.deepEqual(await opened.posted('unqueue'), [{ kind: 'unqueue', id: 'q1' }])
  })

  it('lists a command that cannot run now with the reason', async () => {
    const commands = [{ name: 'compact', description: 'Summarise', unavailable: 'A turn is running.' }]
    await opened.send(conversation({ commands }))
    await box.pressSequentially('/')
    assert.match(await opened.page.getByRole('option').innerText(), /\/compact\s+Not now: A turn is running\./)
  })
})
