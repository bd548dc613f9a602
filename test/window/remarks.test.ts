import assert from 'node:assert/strict'
import type { Locator } from 'playwright-core'
import { assertInvariants } from '../support/invariants.ts'
import { png } from '../support/pictures.ts'
import { eventsOf } from '../support/reading.ts'
import type { Window } from './driver.ts'
import { keptAsShown, keptOnDisk } from './kept.ts'
import { endedLog } from './logs.ts'
import { sharedWindow } from './shared.ts'
import { until } from './until.ts'
import { askForPlan, modeIs, openReview, review, revisionIs } from './walks.ts'
import type { Webview } from './webviews.ts'

const base64 = Buffer.from(png(320, 200)).toString('base64')

/** Hands a picture to the first remark as the clipboard does. Runs in the page. */
const paste = (bytes: string) => `(() => {
  const data = new DataTransfer()
  const file = Uint8Array.from(atob(${JSON.stringify(bytes)}), character => character.charCodeAt(0))
  data.items.add(new File([file], 'board.png', { type: 'image/png' }))
  const box = document.querySelector('#remark-C1 textarea')
  box.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))
})()`

/** Resolves when the picture of a remark is on the screen, decoded. */
const drawn = ({ frame }: Webview) =>
  until('the picture', async () => {
    const widths: number[] = await frame
      .locator('review-panel')
      .evaluate(`[...document.querySelectorAll('.remark img')].map(image => image.naturalWidth)`)
    return widths.includes(320) || undefined
  })

const text = ({ frame }: Webview, id: string): Locator => frame.getByRole('textbox', { name: `Text of remark ${id}` })

describe('a remark on a plan', () => {
  let window: Window
  before(async () => {
    window = await sharedWindow()
  })

  it('outlives a reload in the middle of typing, is sent, and shows its fate on the revision', async () => {
    await askForPlan(window)
    let panel = await openReview(window)
    await panel.frame.locator('main h1').click()
    await panel.frame.locator('main').press('c')
    await text(panel, 'C1').pressSequentially('Please mention')
    await keptOnDisk(window, 'Please mention')
    await text(panel, 'C1').pressSequentially(' the tests')
    await window.reload()

    await modeIs(window, 'review waiting')
    panel = await review(window)
    await text(panel, 'C1').waitFor()
    assert.match(await text(panel, 'C1').inputValue(), /^Please mention( the tests)?$/)
    await text(panel, 'C1').fill('Please mention the tests')
    await text(panel, 'C1').press('Control+Enter')
    await revisionIs(panel, 2)
    const card = panel.frame.locator('#remark-C1')
    await card.getByText(/unchanged|changed here/).waitFor()
    await card.getByText('Please mention the tests').waitFor()

    await panel.frame.locator('#dismiss').click()
    const log = await endedLog(window)
    const [sent] = eventsOf(log, 'review/decided').flatMap(({ data }) => data.remarks ?? [])
    assert.equal(sent?.text, 'Please mention the tests')
    assert.match(sent?.anchor?.quote ?? '', /^# Plan a small change/)
  })

  it('keeps words, an image and an answer over a crash while a person types, and sends them', async () => {
    await askForPlan(window)
    let panel = await openReview(window)
    await panel.frame.locator('main').press('a')
    await text(panel, 'C1').pressSequentially('Like this?')
    await text(panel, 'C1').press('Control+Shift+Enter')
    const card = panel.frame.locator('#remark-C1')
    await card.getByText('I am a scripted demo and understand no question').waitFor()
    await text(panel, 'C1').evaluate(paste(base64))
    await drawn(panel)
    await window.screenshot('remark-image')
    await panel.frame.locator('#remark-C1').getByRole('button', { name: 'Send along' }).click()
    await text(panel, 'C1').pressSequentially(' Or so?')
    await keptOnDisk(window, 'Like this? Or so?')
    await keptOnDisk(window, '"attached":true')
    await keptAsShown(window)
    await text(panel, 'C1').pressSequentially(' Lost')
    await window.crash()

    await modeIs(window, 'review waiting')
    panel = await openReview(window)
    await text(panel, 'C1').waitFor()
    assert.match(await text(panel, 'C1').inputValue(), /^Like this\? Or so\?( L?o?s?t?)?$/)
    await drawn(panel)
    await panel.frame.locator('#remark-C1').getByText('sent with your question').waitFor()
    await text(panel, 'C1').fill('Like this? Or so?')
    await text(panel, 'C1').press('Control+Enter')
    await revisionIs(panel, 2)
    await drawn(panel)
    await panel.frame.locator('#remark-C1').getByText('I am a scripted demo and understand no question').waitFor()
    await panel.frame.locator('#dismiss').click()
    const log = await endedLog(window)
    assertInvariants(log)
    const [sent] = eventsOf(log, 'review/decided').flatMap(({ data }) => data.remarks ?? [])
    assert.deepEqual(
      [sent?.text, sent?.images?.length, sent?.answer?.text.length !== 0],
      ['Like this? Or so?', 1, true],
    )
    const pictures = eventsOf(log, 'user/message').flatMap(({ data }) =>
      data.content.filter(({ type }) => type === 'image'),
    )
    assert.equal(pictures.length, 1)
  })
})
