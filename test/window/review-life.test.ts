import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator } from 'playwright-core'
import { assertInvariants } from '../support/invariants.ts'
import { eventsOf } from '../support/reading.ts'
import { launch, type Window } from './driver.ts'
import { logWhere, storedLog } from './logs.ts'
import { until } from './until.ts'
import type { ColorTheme } from './user-settings.ts'
import { askForPlan, button, conversation, modeIs, openReview, rests, review, revisionIs } from './walks.ts'
import type { Webview } from './webviews.ts'

const themes: readonly (readonly [string, ColorTheme, string])[] = [
  ['light', 'Default Light Modern', 'vscode-light'],
  ['high-contrast', 'Default High Contrast', 'vscode-high-contrast'],
  ['dark', 'Default Dark Modern', 'vscode-dark'],
]

describe('the life of a plan', () => {
  let window: Window

  before(async () => {
    // Its Plans view lists the plans of this life alone.
    window = await launch({ colorTheme: 'Default Dark Modern', viewport: { width: 1500, height: 940 } })
    await modeIs(window, 'off')
  })
  after(() => window.close())

  const press = (key: string) => window.page.keyboard.press(key)
  const focused = (panel: Webview, selector: string) => panel.frame.locator(`${selector}:focus`).waitFor()

  /** Presses a key until this control of the panel has the focus. */
  async function reach(panel: Webview, selector: string, key = 'Tab'): Promise<void> {
    await until(`${key} to reach ${selector}`, async () => {
      if ((await panel.frame.locator(`${selector}:focus`).count()) > 0) return true
      await press(key)
      return undefined
    })
  }

  const plans = () => window.page.locator('.pane', { has: window.page.locator('.pane-header', { hasText: 'Plans' }) })
  const row = (state: RegExp): Locator => plans().locator('.monaco-list-row').filter({ hasText: state })

  it('goes by the keyboard alone: remark, send, ask, choose a fresh conversation', async () => {
    await askForPlan(window)
    await window.command('Plan: Open Review')
    const panel = await review(window)
    await reach(panel, 'main')
    await press('c')
    await focused(panel, '#remark-C1 textarea')
    await window.page.keyboard.type('Say which tests run.')
    await press('Control+Enter')
    await revisionIs(panel, 2)
    await panel.frame.locator('main').getByText('Say which tests run.').first().waitFor()

    await reach(panel, 'main')
    await press('a')
    await focused(panel, '#remark-C2 textarea')
    await window.page.keyboard.type('Which files are read first?')
    await press('Control+Shift+Enter')
    const answer = panel.frame.locator('#remark-C2').getByRole('group', { name: 'Explorer' })
    await answer.getByText('I am a scripted demo and understand no question').waitFor()
    await modeIs(window, 'review waiting')
    for (const [name, theme, marker] of themes) {
      await window.configure({ 'workbench.colorTheme': theme })
      await panel.frame.locator(`body.${marker}`).waitFor()
      await window.screenshot(`review-asked-${name}`)
    }
    assert.deepEqual(await window.axe(panel), [])

    await reach(panel, '#approve-menu')
    await press('ArrowDown')
    await focused(panel, '#choose-start')
    await reach(panel, '#choose-fresh', 'ArrowDown')
    await press('Enter')
    // The fresh conversation is shown, and what it wants to change.
    const view = await conversation(window)
    await view.frame.locator('transcript-entry.user').getByText('Carry out this plan.').waitFor()
    await modeIs(window, 'off')
  })

  it('goes on in the fresh conversation: steps with their files and diffs, and a check at the end', async () => {
    const view = await conversation(window)
    const pinned = view.frame.locator('plan-steps')
    await button(view, 'Allow').waitFor()
    await pinned.locator('li.running').first().waitFor()
    await window.screenshot('plan-running')
    await button(view, 'Allow').click()
    await rests(view)
    await until('every step to be over', async () =>
      (await pinned.locator('li.open, li.running').count()) === 0 ? true : undefined,
    )
    // Only a step under which something was changed can be opened.
    await pinned.locator('li.done button.fold.line').first().click()
    await pinned.locator('.files button', { hasText: 'README.md' }).first().click()
    const diff = window.page.locator('.monaco-diff-editor')
    await diff.getByText('## How this change was planned').waitFor()
    assert.match(await readFile(join(window.workspace, 'README.md'), 'utf8'), /## How this change was planned/)

    await window.command('Plan: Check Plan')
    const check = pinned.getByRole('group', { name: 'Plan check' })
    await check.getByText(/The agent says: \d done/).waitFor()
    for (const [name, theme, marker] of themes) {
      await window.configure({ 'workbench.colorTheme': theme })
      await view.frame.locator(`body.${marker}`).waitFor()
      await window.screenshot(`plan-check-${name}`)
    }
    assert.deepEqual(await window.axe(view), [])

    const log = await logWhere(window, 'every step is done', found => {
      const told = eventsOf(found, 'plan/progress').map(({ data }) => data.state)
      return eventsOf(found, 'plan/adopted').length === 1 && told.length > 0
    })
    assertInvariants(log)
    const [adopted] = eventsOf(log, 'plan/adopted')
    assert.match(adopted?.data.plan ?? '', /Say which tests run\./)
    await check.getByRole('button', { name: 'Close plan' }).click()
    await pinned.waitFor({ state: 'detached' })
  })

  it('is listed with its state, badged while it waits, saved for later and taken up again', async () => {
    await window.command('Plan: Focus on Plans View')
    await row(/done/).waitFor()
    assert.equal(await row(/waiting for your review/).count(), 0)

    await askForPlan(window, 'Plan a small note for later')
    await window.command('Plan: Focus on Plans View')
    await row(/waiting for your review/).waitFor()
    const icon = window.page.locator('.activitybar .action-item', { has: window.page.getByLabel(/^Plan/) })
    await icon.locator('.badge-content', { hasText: '1' }).waitFor()
    await window.screenshot('plans-waiting')

    let panel = await openReview(window)
    await panel.frame.locator('#approve-menu').click()
    await panel.frame.locator('#choose-save').click()
    panel = await review(window)
    await panel.frame.locator('.outcome', { hasText: 'You approved this plan.' }).waitFor()
    await modeIs(window, 'off')
    const saved = await storedLog(window)
    assert.ok(saved)
    const [decided] = eventsOf(saved, 'review/decided')
    assert.deepEqual([decided?.data.decision, decided?.data.next], ['approved', 'save'])
    assert.equal(eventsOf(saved, 'plan/mode').at(-1)?.data.active, false)
    await rests(await conversation(window))

    await window.command('Plan: Focus on Plans View')
    await row(/saved for later/).waitFor()
    await until('the badge to go', async () =>
      (await icon.locator('.badge-content:visible').count()) === 0 ? true : undefined,
    )
    await window.screenshot('plans-saved')
    await row(/saved for later/).click({ button: 'right' })
    await window.page.locator('.context-view .action-label', { hasText: 'Start Plan in Its Conversation' }).click()
    const log = await logWhere(window, 'the plan is taken up', found => eventsOf(found, 'plan/adopted').length === 1)
    assert.equal(log.header.id, saved.header.id)
    await window.command('Plan: Focus on Plans View')
    await row(/in progress|approved/)
      .first()
      .waitFor()
  })
})
