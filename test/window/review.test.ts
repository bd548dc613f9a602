import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { assertInvariants } from '../support/invariants.ts'
import { resultsOf } from '../support/reading.ts'
import type { Window } from './driver.ts'
import { endedLog, modeHistory } from './logs.ts'
import { sharedWindow } from './shared.ts'
import {
  askForPlan,
  button,
  entries,
  feedback,
  keepPlanning,
  modeIs,
  notified,
  openReview,
  rests,
  revisionIs,
} from './walks.ts'

describe('a plan, from the prompt to the change', () => {
  let window: Window
  const readme = () => readFile(join(window.workspace, 'README.md'), 'utf8')

  before(async () => {
    window = await sharedWindow()
  })

  it('is sent back, revised, approved, and carried out by an edit that was allowed', async () => {
    const before = await readme()
    const view = await askForPlan(window)
    const panel = await openReview(window)
    await panel.frame.getByRole('heading', { name: 'Plan a small change to the README', level: 1 }).waitFor()
    assert.equal(await panel.frame.getByText('Please mention the tests').count(), 0)

    await keepPlanning(panel, 'Please mention the tests')
    await revisionIs(panel, 2)
    await panel.frame.locator('main').getByText('Please mention the tests', { exact: true }).waitFor()
    assert.equal(await feedback(panel).inputValue(), '', 'what was sent is gone from the box')
    assert.equal(await readme(), before)

    await button(panel, 'Approve').click()
    await modeIs(window, 'off')
    const card = entries(view, 'approval')
    await card.getByText('The agent wants to change README.md (4 lines added, 0 removed).').waitFor()
    const diff = window.page.locator('.monaco-diff-editor')
    await diff.getByText('## How this change was planned').waitFor()
    assert.equal(await readme(), before, 'nothing is written before the yes')

    await button(view, 'Allow').click()
    await entries(view, 'assistant').getByText('I recorded in README.md how this change was planned').waitFor()
    await rests(view)
    assert.match(await readme(), /## How this change was planned\n\n- .*It was revised once by feedback\.\n$/)
    await diff.waitFor({ state: 'detached' })
    await entries(view, 'plan').getByText('Plan · revision 2 · Approved').waitFor()

    const log = await endedLog(window)
    assertInvariants(log)
    const exit = ['presented', 'approved', 'selected off by review', 'mode off']
    assert.deepEqual(modeHistory(log), ['mode on', 'presented', 'kept', ...exit])
  })

  it('changes nothing when the edit is rejected', async () => {
    const before = await readme()
    const view = await askForPlan(window)
    await button(await openReview(window), 'Approve').click()
    await button(view, 'Reject').click()
    await entries(view, 'assistant').getByText('The edit of README.md was refused, so nothing was changed.').waitFor()
    await rests(view)
    assert.equal(await readme(), before)
    await entries(view, 'approval').getByText('Rejected').waitFor()
    const log = await endedLog(window)
    assertInvariants(log)
    assert.equal(resultsOf(log).at(-1)?.code, 'ApprovalError/APPROVAL_REJECTED')
  })

  it('offers a plan that waits without taking the focus', async () => {
    const view = await askForPlan(window)
    const focused = await view.frame.locator('textarea').evaluate(box => box.ownerDocument.activeElement === box)
    assert.ok(focused, 'the composer keeps the focus')
    const { press } = await notified(window, /^A plan waits for your review: Plan a small change to the README$/)
    await press('Open Review')
    const panel = await window.webview({ has: 'review-panel footer' })
    await button(panel, 'Approve').waitFor()
  })
})
