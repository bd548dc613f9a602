import assert from 'node:assert/strict'
import type { Window } from './driver.ts'
import { sharedWindow } from './shared.ts'
import { until } from './until.ts'
import type { ColorTheme } from './user-settings.ts'
import { askForPlan, button, entries, feedback, keepPlanning, openReview, rests, review, revisionIs } from './walks.ts'

const themes: readonly { name: string; theme: ColorTheme; marker: string }[] = [
  { name: 'dark', theme: 'Default Dark Modern', marker: 'vscode-dark' },
  { name: 'light', theme: 'Default Light Modern', marker: 'vscode-light' },
  { name: 'high-contrast', theme: 'Default High Contrast', marker: 'vscode-high-contrast' },
]

/** Resolves when what the page draws now is on the screen. */
const drawn = (window: Window) =>
  window.page.evaluate('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))')

/** Drags the edge of the side bar. */
async function widenSideBar({ page }: Window, by: number): Promise<void> {
  const box = await page.locator('.part.sidebar').boundingBox()
  assert.ok(box)
  const [x, y] = [box.x + box.width + 1, box.y + box.height / 2]
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.mouse.move(x + by, y, { steps: 4 })
  await page.mouse.up()
}

describe('the two pages in the workbench', () => {
  let window: Window

  before(async () => {
    window = await sharedWindow()
    await askForPlan(window, 'Add rate limiting to the API')
    await keepPlanning(await openReview(window), 'Say what happens to `GET /health`')
  })

  for (const { name, theme, marker } of themes) {
    it(`have no serious fault for axe in the ${name} theme`, async () => {
      await window.configure({ 'workbench.colorTheme': theme })
      const view = await window.webview({ has: 'message-composer' })
      const panel = await review(window)
      await revisionIs(panel, 2)
      await panel.frame.locator(`body.${marker}`).waitFor()
      await view.frame.locator(`body.${marker}`).waitFor()
      await drawn(window)
      await window.screenshot(`window-${name}`)
      assert.deepEqual(await window.axe(view), [])
      assert.deepEqual(await window.axe(panel), [])
    })
  }

  it('keep every control in view in a narrow window', async () => {
    await window.configure({ 'workbench.colorTheme': 'Default Dark Modern' })
    await window.page.setViewportSize({ width: 700, height: 800 })
    const panel = await review(window)
    await panel.frame.locator('body.vscode-dark').waitFor()
    await feedback(panel).fill('One line\nand another\nand a third')
    await drawn(window)
    await window.screenshot('window-narrow')
    for (const name of ['Approve', 'Keep planning', 'Dismiss to talk']) {
      const box = await button(panel, name).boundingBox()
      assert.ok(box && box.x >= 0 && box.x + box.width <= 700 && box.y + box.height <= 800, `${name} is out of view`)
    }
    assert.deepEqual(await window.axe(panel), [])
  })
})

describe('pictures for the README', () => {
  let window: Window

  before(async () => {
    window = await sharedWindow({ viewport: { width: 1360, height: 860 } })
  })

  it('are taken of a plan under review and of the edit it leads to', async () => {
    const view = await askForPlan(window, 'Add rate limiting to the API')
    await widenSideBar(window, 90)
    const panel = await openReview(window)
    await keepPlanning(panel, 'Say what a refused client is told.')
    await revisionIs(panel, 2)
    await feedback(panel).fill('Name the header, too.')
    await drawn(window)
    await window.screenshot('review-dark')

    await feedback(panel).fill('')
    await button(panel, 'Approve').click()
    await entries(view, 'approval').getByText('The agent wants to change README.md').waitFor()
    const diff = window.page.locator('.monaco-diff-editor')
    await until(
      'the difference to be coloured',
      async () => (await diff.locator('.line-insert').count()) > 0 || undefined,
    )
    await drawn(window)
    await window.screenshot('conversation-dark')
    await button(view, 'Reject').click()
    await rests(view)
  })
})
