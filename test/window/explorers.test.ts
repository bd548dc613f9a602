import assert from 'node:assert/strict'
import { EXPLORE } from '../../src/agent/children/words.ts'
import { assertInvariants } from '../support/invariants.ts'
import { eventsOf, resultsOf } from '../support/reading.ts'
import type { Window } from './driver.ts'
import { endedLog } from './logs.ts'
import { sharedWindow } from './shared.ts'
import { ask, button, entries, newConversation, rests } from './walks.ts'
import type { Webview } from './webviews.ts'

const activity = ({ frame }: Webview) => frame.locator('.explorer .dim')

describe('an explorer of the demo', () => {
  let window: Window

  before(async () => {
    window = await sharedWindow()
  })

  it('is seen at work in the conversation, can be read meanwhile, and ends with a stop', async () => {
    const view = await newConversation(window)
    await ask(view, 'Explore this folder, slow enough to watch')
    await activity(view)
      .getByText(/1 call$/)
      .waitFor()
    await window.page.mouse.move(900, 700)
    await window.screenshot('window-explorer')
    await button(view, 'Open explorer').click()
    await window.page.locator('.monaco-editor').getByText('Find out what in this workspace matters').first().waitFor()
    await button(view, 'Stop').click()
    await rests(view)
    await activity(view).waitFor({ state: 'detached' })
  })

  it('comes back with a report, and the agent goes on with it', async () => {
    const view = await newConversation(window)
    await ask(view, 'Explore this folder')
    await entries(view, 'assistant')
      .getByText(/The explorer is back\. It reports: \d+ files are listed/)
      .waitFor()
    await rests(view)
    await window.screenshot('window-explorer-back')
    const log = await endedLog(window)
    assertInvariants(log)
    assert.equal(eventsOf(log, 'subagent/started').length, 1)
    const [call] = eventsOf(log, 'tool/call')
    assert.equal(call?.data.name, EXPLORE)
    assert.match(resultsOf(log)[0]?.text ?? '', /--- report .* ---\n\d+ files are listed/)
  })
})
