import assert from 'node:assert/strict'
import { ChatServer, type ChatStep } from '../support/chat-server.ts'
import { assertInvariants } from '../support/invariants.ts'
import { inputsOf } from '../support/reading.ts'
import type { Window } from './driver.ts'
import { logWhere } from './logs.ts'
import { sharedWindow } from './shared.ts'
import { ask, button, conversation, entries, modeIs, newConversation, rests } from './walks.ts'
import type { Webview } from './webviews.ts'

describe('a fork from an earlier turn', () => {
  const script: ChatStep[] = []
  let server: ChatServer
  let window: Window

  before(async () => {
    server = await ChatServer.start(() => script.shift() ?? { kind: 'status', status: 500 })
    const settings = { 'planMode.model.baseUrl': server.baseUrl, 'planMode.model.id': 'test-model' }
    window = await sharedWindow({ settings })
  })
  after(() => server[Symbol.asyncDispose]())

  async function say(view: Webview, text: string, reply: string): Promise<void> {
    script.push({ kind: 'answer', text: reply })
    await ask(view, text)
    await entries(view, 'assistant').getByText(reply).waitFor()
    await rests(view)
  }

  /** The pointer stays where the palette was: out of the way, so that no hover covers the row. */
  async function choose(command: string, row: string): Promise<void> {
    await window.command(command)
    await window.page.mouse.move(900, 700)
    await window.pick(row)
  }

  const title = (view: Webview, text: string) =>
    view.frame.locator('conversation-header .title', { hasText: text }).waitFor()

  it('goes on from there, and both conversations are there after a reload', async () => {
    const view = await newConversation(window)
    await say(view, 'Count to one', 'One.')
    await say(view, 'Count to two', 'Two.')
    const parent = await logWhere(window, 'two turns', log => inputsOf(log).length === 2)

    await entries(view, 'assistant').getByText('One.').hover()
    await button(view, 'Fork from here').first().click()
    await title(view, 'Fork of Count to one, turn 1')
    assert.equal(await entries(view, 'assistant').count(), 1)
    await view.frame.getByText('Forked here').waitFor()
    await say(view, 'Count to three', 'Three.')

    await window.reload()
    await modeIs(window, 'off')
    const again = await conversation(window)
    await title(again, 'Fork of Count to one, turn 1')
    await entries(again, 'assistant').getByText('Three.').waitFor()
    const fork = await logWhere(window, 'the fork has its own turn', log => inputsOf(log).includes('Count to three'))
    assert.equal(fork.header.parentSession, parent.id)
    assert.deepEqual(inputsOf(fork), ['Count to one', 'Count to three'])
    assertInvariants(fork)

    await choose('Plan: Open Conversation', 'Count to one')
    await title(again, 'Count to one')
    await entries(again, 'assistant').getByText('Two.').waitFor()

    await choose('Plan: Fork Conversation', 'Count to two')
    await title(again, 'Fork of Count to one, turn 2')
    await entries(again, 'assistant').getByText('Two.').waitFor()
  })
})
