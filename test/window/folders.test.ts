import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { launch, type Window } from './driver.ts'
import { ask, modeIs, newConversation, notified, openConversation, rests } from './walks.ts'

describe('a window without a folder', () => {
  let window: Window

  before(async () => {
    window = await launch({ folders: [] })
    await modeIs(window, 'off')
  })
  after(() => window.close())

  for (const command of [
    'Plan: Enter',
    'Plan: New Conversation',
    'Plan: Open Conversation',
    'Plan: Open Review',
    'Plan: Open Log',
  ]) {
    it(`says what to open when "${command}" is run`, async () => {
      await window.command('Notifications: Clear All Notifications')
      await window.command(command)
      const { buttons } = await notified(
        window,
        /^Plan mode keeps its log in a workspace folder\. Open a folder first\.$/,
      )
      assert.deepEqual(buttons, ['Open Folder'])
    })
  }

  it('says so in the conversation view', async () => {
    await window.command('Plan: Show Conversation')
    const view = await window.webview({ has: 'conversation-view .banner' })
    await view.frame.getByText('Open a folder to start a conversation: its log is kept there.').waitFor()
    await view.frame.getByRole('button', { name: 'Open folder' }).waitFor()
  })
})

describe('a window with several folders', () => {
  let window: Window
  const logs = (folder: string) => existsSync(join(window.workspace, '..', folder, '.plan-mode'))

  before(async () => {
    window = await launch({ folders: ['api', 'web'] })
    await modeIs(window, 'off')
  })
  after(() => window.close())

  it('asks for the folder of a new conversation, and keeps its log there', async () => {
    await window.command('Plan: New Conversation')
    await window.pick('web')
    const view = await openConversation(window)
    await ask(view, 'Describe the routes')
    await view.frame.locator('transcript-entry.assistant').first().waitFor()
    await rests(view)
    assert.ok(logs('web'))
    assert.ok(!logs('api'))
    await window.command('Plan: Open Conversation')
    const row = window.page.locator('.quick-input-widget .monaco-list-row')
    await row.getByText('plan off · just now · web').waitFor()
    await window.page.keyboard.press('Escape')
  })
})

describe('the conversations of a folder', () => {
  let window: Window

  // A folder with no other conversations.
  before(async () => {
    window = await launch()
    await modeIs(window, 'off')
  })
  after(() => window.close())

  it('are listed by title, mode and age, and one of them is opened', async () => {
    const view = await newConversation(window)
    await ask(view, 'Describe the routes')
    await view.frame.locator('transcript-entry.assistant').first().waitFor()
    await rests(view)
    await newConversation(window)
    await window.command('Plan: Enter')
    await modeIs(window, 'on')
    await ask(view, 'Plan the paging')
    await modeIs(window, 'review waiting')

    await window.command('Plan: Open Conversation')
    const rows = window.page.locator('.quick-input-widget .monaco-list-row')
    await rows.nth(1).waitFor()
    assert.deepEqual(
      (await rows.allTextContents()).slice(0, 2).map(text => text.trim()),
      ['Plan the pagingreview waiting · just now', 'Describe the routesplan off · just now'],
    )
    await window.pick('Describe the routes')
    await modeIs(window, 'off')
    await view.frame.locator('conversation-header .title', { hasText: 'Describe the routes' }).waitFor()
    await view.frame.locator('transcript-entry.user').getByText('Describe the routes').waitFor()
  })

  it('has its log opened as a file', async () => {
    await window.command('Plan: Open Log')
    await window.page.locator('.tab.active', { hasText: 'session.jsonl' }).waitFor()
    await window.page.locator('.monaco-editor .view-lines').getByText('"type":"session"').waitFor()
  })
})
