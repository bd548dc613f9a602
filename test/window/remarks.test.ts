import assert from 'node:assert/strict'
import type { Locator } from 'playwright-core'
import { eventsOf } from '../support/reading.ts'
import type { Window } from './driver.ts'
import { keptOnDisk } from './kept.ts'
import { endedLog } from './logs.ts'
import { sharedWindow } from './shared.ts'
import { askForPlan, modeIs, openReview, review, revisionIs } from './walks.ts'
import type { Webview } from './webviews.ts'

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
})
