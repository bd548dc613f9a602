import assert from 'node:assert/strict'
import { ChatServer, type ChatStep } from '../support/chat-server.ts'
import { assertInvariants } from '../support/invariants.ts'
import { endsOf, inputsOf, typesOf } from '../support/reading.ts'
import { launch, type Window } from './driver.ts'
import { endedLog, logWhere, modeHistory } from './logs.ts'
import { sharedWindow } from './shared.ts'
import { ask, askForPlan, button, composer, entries, modeIs, newConversation, notified, review } from './walks.ts'
import type { Webview } from './webviews.ts'

/** Ends the page without a word to its host; a page that is closed says goodbye. */
async function crash({ page }: Window): Promise<void> {
  const gone = page.waitForEvent('crash')
  const session = await page.context().newCDPSession(page)
  // Nobody is left to answer.
  session.send('Page.crash').catch(() => undefined)
  await gone
}

/** The conversation as a window shows it that may not write it. */
async function reading(window: Window): Promise<Webview> {
  const view = await window.webview({ has: 'conversation-view .banner.warning' })
  await view.frame.locator('.banner.warning').getByText('Another window is writing this conversation.').waitFor()
  assert.equal(await composer(view).count(), 0)
  return view
}

describe('two windows on one workspace', () => {
  let first: Window
  let second: Window

  before(async () => {
    second = await sharedWindow()
    first = await second.another()
    await modeIs(first, 'off')
  })
  after(() => first.close())

  it('one writes, the other reads and says so, and writes once the first is gone', async () => {
    const view = await newConversation(first)
    await ask(view, '/plan')
    await modeIs(first, 'on')
    await ask(view, 'Describe the routes')
    await first.page.locator('.statusbar-item', { hasText: 'review waiting' }).waitFor()

    await second.command('Plan: Open Conversation')
    await second.pick('Describe the routes')
    await modeIs(second, 'review waiting')
    const read = await reading(second)
    await entries(read, 'user').getByText('Describe the routes').waitFor()
    await second.command('Plan: Exit')
    await notified(second, /Another window is writing/)
    await modeIs(second, 'review waiting')

    await first.page.close()
    await composer(read).waitFor({ timeout: 30_000 })
    assert.equal(await read.frame.locator('.banner.warning').count(), 0)
    await second.command('Plan: Exit')
    await modeIs(second, 'off')
    const log = await logWhere(second, 'the mode is off', found => modeHistory(found).at(-1) !== 'presented')
    assert.deepEqual(modeHistory(log), ['mode on', 'presented', 'mode off', 'withdrawn'])
    assertInvariants(log)
  })
})

describe('a conversation that goes on in another window', () => {
  /** What the endpoint does with the request that comes next. */
  let script: ChatStep[] = []
  let server: ChatServer
  let first: Window
  let second: Window

  before(async () => {
    server = await ChatServer.start(() => script.shift() ?? { kind: 'status', status: 500 })
    const settings = { 'planMode.model.baseUrl': server.baseUrl, 'planMode.model.id': 'test-model' }
    first = await sharedWindow({ settings })
    second = await first.another()
    await modeIs(second, 'off')
  })
  after(async () => {
    await second.close()
    await server[Symbol.asyncDispose]()
  })

  it('is followed live, continued there, and then followed from the first', async () => {
    script = [
      { kind: 'answer', text: 'There are two routes.' },
      { kind: 'hang', text: 'The first of them is' },
      { kind: 'answer', text: 'It lists the parcels.' },
    ]
    const view = await newConversation(first)
    await ask(view, 'Describe the routes')
    await entries(view, 'assistant').getByText('There are two routes.').waitFor()

    await second.command('Plan: Open Conversation')
    await second.pick('Describe the routes')
    const read = await reading(second)
    await entries(read, 'assistant').getByText('There are two routes.').waitFor()
    await ask(view, 'Say more')
    await entries(read, 'user').getByText('Say more').waitFor()
    await entries(read, 'assistant').getByText('The first of them is').waitFor()
    await button(view, 'Stop').waitFor()
    await second.screenshot('two-windows-following')

    await button(read, 'Continue here').click()
    await composer(read).waitFor()
    assert.equal(await read.frame.locator('.banner.warning').count(), 0)
    const refused = await reading(first)
    await notified(first, /goes on in another window/)
    await button(refused, 'Stop').waitFor({ state: 'detached' })
    const cut = await endedLog(first)
    assert.deepEqual(
      endsOf(cut).map(({ kind }) => kind),
      ['completed', 'interrupted'],
    )

    await ask(read, 'Go on')
    await entries(refused, 'user').getByText('Go on').waitFor()
    await entries(refused, 'assistant').getByText('It lists the parcels.').waitFor()
    await first.screenshot('two-windows-taken-over')
    const log = await logWhere(first, 'three turns have ended', found => endsOf(found).length === 3)
    assertInvariants(log)
    assert.deepEqual(inputsOf(log), ['Describe the routes', 'Say more', 'Go on'])
    assert.equal(typesOf(log).filter(type => type === 'session/end-seed').length, 1, 'one window went on behind it')

    await first.command('Plan: Continue Here')
    await composer(refused).waitFor()
    await reading(second)
  })
})

describe('a window whose page is gone while its host lives on', () => {
  let first: Window
  let second: Window

  before(async () => {
    first = await launch({ reconnectionGraceTime: 600 })
    await modeIs(first, 'off')
    second = await first.another()
    await modeIs(second, 'off')
  })
  after(async () => {
    await second.close()
    await first.close()
  })

  it('is taken over at once, and what waited for an answer can be answered', async () => {
    await askForPlan(first, 'Plan a small change to the README')
    await crash(first)

    await second.command('Plan: Open Conversation')
    await second.pick('Plan a small change to the README')
    await reading(second)
    await modeIs(second, 'review waiting')
    await second.command('Plan: Open Review')
    const panel = await review(second)
    await panel.frame.locator('.banner.warning').getByText('Another window is writing').waitFor()
    assert.equal(await button(panel, 'Approve').count(), 0)
    await button(panel, 'Continue here').click()
    await button(panel, 'Approve').waitFor()
    await button(panel, 'Dismiss to talk').click()
    await modeIs(second, 'on')
    const log = await endedLog(second)
    assert.deepEqual(modeHistory(log), ['mode on', 'presented', 'dismissed'])
    assertInvariants(log)
  })
})
