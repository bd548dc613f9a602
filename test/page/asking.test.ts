// biome-ignore-all lint/performance/useDomNodeTextContent: Playwright's innerText is what a reader sees.
// Asking an explorer about the plan, and the images of remarks, in the review panel.
import assert from 'node:assert/strict'
import type { Locator } from 'playwright-core'
import { fromReview, type RemarkView } from '../../src/webview/review-messages.ts'
import { type Given, hand } from './support/files.ts'
import { type Opened, PageStage, until } from './support/open-page.ts'
import { askedRemark, board, bytesFor, picture, plan, remark, remarks, review } from './support/samples.ts'

const boardFile: Given = { name: 'board.png', base64: Buffer.from(picture('board')).toString('base64') }

describe('asking about a plan, and images in remarks', function () {
  this.timeout(60_000)
  let stage: PageStage
  let opened: Opened
  before(async () => {
    stage = await PageStage.start()
  })
  after(() => stage.close())
  beforeEach(async () => {
    opened = await stage.open('review', { width: 1280, height: 800 })
    await opened.send(review(), remarks())
  })
  afterEach(async () => {
    for (const message of await opened.page.evaluate<unknown[]>('posted')) fromReview.parse(message)
    assert.deepEqual(await opened.faults(), [])
    await stage.clear()
  })

  const card = (id: string): Locator => opened.page.locator(`#remark-${id}`)
  const text = (id: string): Locator => card(id).locator('textarea')
  const press = (key: string): Promise<void> => opened.page.keyboard.press(key)
  const heard = (): Promise<string> => opened.page.getByRole('status').first().innerText()
  const lastOf = async (kind: string) => (await opened.posted(kind)).at(-1)
  const asks = async () => (await opened.posted('turnAsk')).map(({ id, to }) => [id, to])
  const act = (id: string, name: string): Promise<void> => card(id).getByRole('button', { name, exact: true }).click()
  const question = (changes: Partial<RemarkView> = {}) => remark('C1', { kind: 'question', text: '', ...changes })

  it('begins a question about the whole plan by button, key and command, and asks it by the keyboard alone', async () => {
    await opened.page.getByRole('button', { name: 'Ask about the plan' }).click()
    await opened.page.locator('main').focus()
    await press('a')
    await opened.send({ kind: 'act', act: 'ask' })
    const made = await opened.waitForPosted('addRemark', 3)
    for (const each of made) assert.deepEqual([each.remark, each.range], ['question', null])
    await opened.send(remarks(question({ quote: null, range: null })))
    await until(() => text('C1').evaluate(box => box === document.activeElement), 'the focus')
    await opened.page.keyboard.type('Who reads the flag?')
    await press('Control+Shift+Enter')
    assert.deepEqual(await lastOf('editRemark'), { kind: 'editRemark', id: 'C1', text: 'Who reads the flag?' })
    assert.deepEqual(await asks(), [['C1', 'asked']])
    const posted: { kind: string }[] = await opened.page.evaluate('posted')
    const [last, before] = [posted.at(-1), posted.at(-2)]
    assert.deepEqual([before?.kind, last?.kind], ['editRemark', 'turnAsk'], 'what was typed goes first')
    assert.deepEqual(await opened.posted('decide'), [])
  })

  it('takes up an empty question about the plan again instead of making another', async () => {
    await opened.send(remarks(question({ quote: null, range: null })))
    await opened.page.getByRole('button', { name: 'Ask about the plan' }).click()
    assert.deepEqual(await opened.posted('addRemark'), [])
    await until(() => text('C1').evaluate(box => box === document.activeElement), 'the focus')
    await opened.send({ kind: 'act', act: 'ask' })
    assert.match(await heard(), /Write the question first/)
    assert.deepEqual(await asks(), [])
  })

  it('shows what the explorer does, and stops it', async () => {
    await opened.send(remarks(question({ text: 'Why?' })))
    await act('C1', 'Ask an explorer')
    await opened.send(remarks(askedRemark('C1', { state: 'asking', text: '', activity: 'Read src/a.ts · 2 calls' })))
    assert.match(
      await card('C1').innerText(),
      /asked an explorer, not sent[\s\S]*An explorer looks: Read src\/a\.ts · 2 calls/,
    )
    await act('C1', 'Show its work')
    assert.deepEqual(await lastOf('openExplorer'), { kind: 'openExplorer', sessionId: 'child-1' })
    await act('C1', 'Stop')
    assert.deepEqual(await asks(), [
      ['C1', 'asked'],
      ['C1', 'stopped'],
    ])
  })

  it('shows the answer as the explorer’s words, rendered and harmless, and says that it came', async () => {
    await opened.send(remarks(askedRemark('C1', { state: 'asking', text: '' })))
    const text = '# Yes\n\n**Bold** [a](javascript:alert(1)) <img src=x onerror=alert(1)> <script>alert(1)</script>'
    await opened.send(remarks(askedRemark('C1', { text })))
    const said = card('C1').getByRole('group', { name: 'Explorer' })
    assert.match(await said.innerText(), /The explorer’s words, for you alone/)
    await said.locator('strong', { hasText: 'Bold' }).waitFor()
    assert.equal(await said.locator('img, script, [onerror]').count(), 0)
    assert.match(await heard(), /An explorer answered C1/)
    assert.equal(await opened.page.locator('main strong', { hasText: 'Bold' }).count(), 0)
  })

  it('counts a question that was only asked as nothing unsent, until its answer is sent along', async () => {
    await opened.send(remarks(askedRemark('C1')))
    assert.equal(
      await opened.page
        .locator('#keep')
        .innerText()
        .then(words => /\(/.test(words)),
      false,
    )
    await act('C1', 'Send along')
    await opened.send(remarks(askedRemark('C1', { attached: true })))
    assert.match(await card('C1').innerText(), /sent with your question/)
    assert.match(await opened.page.locator('#keep').innerText(), /1 remark/)
    await act('C1', 'Do not send along')
    await act('C1', 'Drop answer')
    assert.deepEqual(await asks(), [
      ['C1', 'attached'],
      ['C1', 'detached'],
      ['C1', 'dropped'],
    ])
  })

  it('says why there is no answer and what to do, and offers to ask again', async () => {
    const why = 'The explorer failed: the key was refused. Ask again, or send the question to the agent.'
    await opened.send(remarks(askedRemark('C1', { state: 'failed', text: why })))
    assert.equal(await card('C1').getByRole('alert').innerText(), why)
    await act('C1', 'Ask again')
    assert.deepEqual(await asks(), [['C1', 'asked']])
  })

  it('keeps a question with an answer when Escape leaves its empty box', async () => {
    await opened.send(remarks({ ...askedRemark('C1'), text: '' }))
    await text('C1').press('Escape')
    assert.deepEqual(await opened.posted('turnRemark'), [])
  })

  it('shows the answer that was sent with a remark, and nothing to do about it', async () => {
    const sent = { ...askedRemark('C1', { attached: true }), state: 'open' as const, keptBack: false }
    await opened.send(review({ state: 'kept' }), remarks(sent))
    assert.match(await card('C1').innerText(), /The explorer’s words, sent with your question/)
    assert.equal(
      await card('C1')
        .getByRole('button', { name: /along|Drop|Ask/ })
        .count(),
      0,
    )
  })

  it('flushes what is typed when the host asks for it', async () => {
    await opened.send(remarks(remark('C1', { text: 'Two' })))
    await text('C1').fill('Two weeks')
    await opened.page.locator('footer textarea').fill('And soon')
    await opened.send({ kind: 'flush', key: 'k' })
    const posted: { kind: string }[] = await opened.page.evaluate('posted')
    const kinds = posted.map(({ kind }) => kind)
    assert.deepEqual(kinds.slice(-3).sort(), ['draft', 'editRemark', 'flushed'])
    assert.equal(kinds.at(-1), 'flushed')
  })

  const rows = (id: string): Locator => card(id).getByRole('list', { name: 'Images to send' }).getByRole('listitem')

  it('takes pasted and dropped images into a remark, shows them, and takes them back', async () => {
    await opened.send(remarks(remark('C1')))
    await text('C1').focus()
    assert.equal(await text('C1').evaluate(hand, { how: 'paste', files: [boardFile] }), true)
    const [asked] = await opened.waitForPosted('addImage')
    assert.deepEqual(asked, { kind: 'addImage', id: 'C1', key: asked?.key, name: 'board.png', data: boardFile.base64 })
    await until(async () => (await rows('C1').allInnerTexts()).join() === 'Adding board.png', 'the image on its way')
    await opened.send(remarks(remark('C1', { images: [board] })), {
      kind: 'imageAdded',
      key: String(asked?.key),
      image: board,
    })
    await opened.waitForPosted('loadImage')
    await opened.send(bytesFor(board))
    const shown = card('C1').getByAltText('Image board.png, 320 x 200')
    await until(() => shown.evaluate(img => img instanceof HTMLImageElement && img.naturalWidth === 320), 'the picture')
    assert.match(await heard(), /Added: Image board\.png/)
    assert.equal(await text('C1').evaluate(hand, { how: 'drop', files: [{ ...boardFile, name: 'two.png' }] }), true)
    await opened.waitForPosted('addImage', 2)
    await act('C1', 'Remove: Image board.png, 320 x 200')
    assert.deepEqual(await lastOf('removeImage'), { kind: 'removeImage', id: 'C1', attachmentId: board.attachmentId })
  })

  it('sends no verdict while an image is on its way, and says so', async () => {
    await opened.send(remarks(remark('C1')))
    await text('C1').evaluate(hand, { how: 'paste', files: [boardFile] })
    const [asked] = await opened.waitForPosted('addImage')
    await text('C1').press('Control+Enter')
    assert.deepEqual(await opened.posted('decide'), [])
    assert.match(await opened.page.locator('footer').innerText(), /An image is still being added/)
    const text2 =
      '"board.png" is no PNG, JPEG, WebP or GIF image, whatever its name says. Save it as one of these first.'
    await opened.send({ kind: 'imageRefused', key: String(asked?.key), text: text2 })
    assert.equal(await card('C1').getByRole('alert').innerText(), text2)
    await text('C1').press('Control+Enter')
    assert.equal((await opened.posted('decide')).length, 1)
  })

  it('shows the images of what was sent', async () => {
    await opened.send(review({ state: 'kept' }), remarks(remark('C1', { state: 'open', images: [board] })))
    await opened.waitForPosted('loadImage')
    await opened.send(bytesFor(board))
    await card('C1').getByRole('button', { name: 'Open: Image board.png, 320 x 200' }).click()
    assert.deepEqual(await lastOf('openImage'), { kind: 'openImage', attachmentId: board.attachmentId })
    assert.equal(
      await card('C1')
        .getByRole('button', { name: /^Remove/ })
        .count(),
      0,
    )
  })

  it('moves nothing where motion is unwanted', async () => {
    await opened.send(remarks(askedRemark('C1', { state: 'asking', text: '' })))
    const animations = await opened.page.evaluate(
      'document.getAnimations().filter(({ playState }) => playState === "running").length',
    )
    assert.equal(animations, 0)
    assert.ok(plan.length > 0)
  })
})
