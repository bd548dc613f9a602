import assert from 'node:assert/strict'
import { glob, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Session } from '../../src/session/session.ts'
import { assertInvariants } from '../support/invariants.ts'
import { eventsOf, resultsOf } from '../support/reading.ts'
import { launch, type Window } from './driver.ts'
import { endedLog, logWhere } from './logs.ts'
import { sharedWindow } from './shared.ts'
import { until } from './until.ts'
import {
  ask,
  askForPlan,
  button,
  entries,
  keepPlanning,
  modeIs,
  notified,
  openReview,
  rests,
  revisionIs,
} from './walks.ts'

const errorItem = (window: Window) => window.statusBar(/^\s*Plan\s*$/)
const systemText = (log: Session) => eventsOf(log, 'request/header').at(-1)?.data.header.system ?? ''
const defaultWords = 'You are in plan mode: explore and design first'

describe('settings', () => {
  let window: Window

  before(async () => {
    window = await sharedWindow()
  })

  describe('planMode.policy', () => {
    it('is refused when it is wrong: the status bar and a notification say so, and the rest works', async () => {
      await window.configure({ 'planMode.policy': { section: 'Plan first.', words: 'more' } })
      await errorItem(window).waitFor()
      const refused = /The setting planMode\.policy was refused\. Unknown key: words/
      const { severity, buttons, press } = await notified(window, refused)
      assert.equal(severity, 'error')
      assert.deepEqual(buttons, ['Open Settings'])
      await press('Open Settings')
      await window.page.locator('.settings-editor .setting-item-contents', { hasText: 'Policy' }).first().waitFor()

      await window.command('Plan: New Conversation')
      const view = await window.webview({ has: 'message-composer textarea' })
      await view.frame.locator('.banner.error').getByText('The setting planMode.policy was refused.').waitFor()
      await ask(view, 'Describe the routes')
      await entries(view, 'assistant').getByText('I am a scripted demo').waitFor()
      await rests(view)
      await window.command('Notifications: Clear All Notifications')
      await errorItem(window).click()
      await notified(window, refused)

      await window.configure({ 'planMode.policy': undefined })
      await modeIs(window, 'off')
      await view.frame.locator('.banner.error').waitFor({ state: 'detached' })
      await window.command('Plan: Enter')
      await modeIs(window, 'on')
    })

    it('is taken as a whole from the most specific scope that sets it', async () => {
      const file = join(window.workspace, '.vscode', 'settings.json')
      await window.configure({ 'planMode.policy': { section: 'The words of the user.' } })
      await writeFile(file, JSON.stringify({ 'planMode.policy': {} }))
      await errorItem(window).waitFor()
      await writeFile(file, JSON.stringify({ 'planMode.policy': { section: 'The words of this workspace.' } }))
      await askForPlan(window)
      const log = await logWhere(window, 'a request was made', found => systemText(found) !== '')
      assert.ok(systemText(log).includes('The words of this workspace.'))
      assert.ok(!systemText(log).includes('The words of the user.'))
      assert.ok(!systemText(log).includes(defaultWords))

      await rm(file)
      await until('the words of the user', async () => {
        await askForPlan(window)
        const text = systemText(await logWhere(window, 'a request was made', found => systemText(found) !== ''))
        return text.includes('The words of the user.') || undefined
      })
    })
  })

  it('planMode.approval.policy "never" refuses every write without asking; the plan walk stays the same', async () => {
    await window.configure({ 'planMode.approval.policy': 'never' })
    const before = await readFile(join(window.workspace, 'README.md'), 'utf8')
    const view = await askForPlan(window)
    const panel = await openReview(window)
    await panel.frame.getByText('refuses every write').waitFor()
    await keepPlanning(panel, 'Shorter')
    await revisionIs(panel, 2)
    await button(panel, 'Approve').click()
    await modeIs(window, 'off')
    await entries(view, 'assistant').getByText('was refused, so nothing was changed').waitFor()
    await rests(view)
    assert.equal(await entries(view, 'approval').count(), 0)
    const log = await endedLog(window)
    assertInvariants(log)
    assert.equal(eventsOf(log, 'approval/asked').length, 0)
    assert.equal(resultsOf(log).at(-1)?.code, 'ApprovalError/APPROVAL_REJECTED')
    assert.equal(await readFile(join(window.workspace, 'README.md'), 'utf8'), before)
  })
})

describe('planMode.log.root', () => {
  let window: Window

  // Only a reload would give a shared window its usual root back.
  before(async () => {
    window = await launch()
    await modeIs(window, 'off')
  })
  after(() => window.close())

  it('waits for a reload, and says so; the conversations are kept in the new place from then on', async () => {
    await window.configure({ 'planMode.log.root': '.plan-mode/elsewhere' })
    const { buttons, press } = await notified(window, /The log settings of sample were changed/)
    assert.deepEqual(buttons, ['Reload Window'])
    await window.reload(() => press('Reload Window'))
    await modeIs(window, 'off')
    await window.command('Plan: Enter')
    await modeIs(window, 'on')
    await until('a log in the new place', async () => {
      const found = glob('**/session.jsonl', { cwd: join(window.workspace, '.plan-mode/elsewhere') })
      for await (const _ of found) return true
      return undefined
    })
  })
})

describe('a workspace that is not trusted', () => {
  let window: Window

  before(async () => {
    const policy = { 'planMode.policy': { section: 'The words of this workspace.' } }
    window = await launch({
      workspaceTrust: true,
      settings: { 'security.workspace.trust.startupPrompt': 'never' },
      files: { '.vscode/settings.json': JSON.stringify(policy) },
    })
    await window.statusBar('Restricted Mode').waitFor()
    await modeIs(window, 'off')
  })
  after(() => window.close())

  it('does not choose the guidance, and nothing is written in it', async () => {
    const view = await askForPlan(window)
    const asked = await logWhere(window, 'a request was made', log => systemText(log) !== '')
    assert.ok(systemText(asked).includes(defaultWords))
    assert.ok(!systemText(asked).includes('The words of this workspace.'))
    const panel = await openReview(window)
    await panel.frame.getByText('refuses every write').waitFor()
    await button(panel, 'Approve').click()
    await entries(view, 'assistant').getByText('was refused, so nothing was changed').waitFor()
    await rests(view)
    assert.equal(eventsOf(await endedLog(window), 'approval/asked').length, 0)
  })
})
