import assert from 'node:assert/strict'
import { ChatServer, type ChatStep } from '../support/chat-server.ts'
import { assertInvariants } from '../support/invariants.ts'
import { eventsOf } from '../support/reading.ts'
import type { Window } from './driver.ts'
import { endedLog } from './logs.ts'
import { sharedWindow } from './shared.ts'
import { ask, button, composer, conversation, entries, modeIs, newConversation, openReview, rests } from './walks.ts'

const plan = '# Limit the rate\n\nOne bucket for each key, in `src/router.ts`.\n'
const summary =
  '## What the user wants\n\nA limit on the rate of the API.\n\n## What was done\n\nThe plan was approved.'
const long = `The router is in src/router.ts. ${'It has one place for every request. '.repeat(20)}`

describe('a conversation that is summarised', () => {
  let server: ChatServer
  let window: Window
  let script: ChatStep[] = []

  before(async () => {
    server = await ChatServer.start(() => script.shift() ?? { kind: 'status', status: 500 })
    window = await sharedWindow({
      settings: {
        'planMode.model.baseUrl': server.baseUrl,
        'planMode.model.id': 'test-model',
        'planMode.model.contextWindow': 64_000,
      },
    })
  })
  after(() => server[Symbol.asyncDispose]())

  const messages = () => JSON.stringify(server.requests.at(-1)?.body.messages)

  it('by /compact from the list: the plan stays for the model, every word stays for the person', async () => {
    script = [
      { kind: 'answer', text: long, tools: [{ name: 'exit_plan_mode', arguments: { plan } }] },
      { kind: 'answer', text: 'The limiter is in place.' },
      { kind: 'answer', text: long },
      { kind: 'answer', text: summary, pause: 20 },
      { kind: 'answer', text: 'I go on.' },
    ]
    const view = await newConversation(window)
    await ask(view, '/plan Limit the rate of the API')
    await modeIs(window, 'review waiting')
    const panel = await openReview(window)
    await button(panel, 'Approve').click()
    await entries(view, 'assistant').getByText('The limiter is in place.').waitFor()
    await rests(view)
    await ask(view, 'Tell me more')
    await entries(view, 'assistant').nth(2).waitFor()
    await rests(view)

    await composer(view).fill('/com')
    await view.frame.getByRole('option', { name: /\/compact/ }).waitFor()
    await window.screenshot('compact-list')
    await composer(view).press('Tab')
    assert.equal(await composer(view).inputValue(), '/compact ')
    await composer(view).pressSequentially('keep the limits')
    await composer(view).press('Enter')
    const entry = entries(view, 'compaction')
    await entry.getByText('Summarising the conversation…').waitFor()
    await entry.getByRole('button', { name: /messages summarised, about/ }).waitFor()
    await rests(view)
    assert.match(messages(), /keeps this in mind:\\n\\nkeep the limits/)
    await entries(view, 'assistant').getByText('The router is in').first().waitFor()

    await ask(view, 'Go on')
    await entries(view, 'assistant').getByText('I go on.').waitFor()
    await rests(view)
    assert.ok(messages().includes(JSON.stringify(plan).slice(1, -1)), 'the approved plan, word for word')
    assert.match(messages(), /A limit on the rate of the API/)
    assert.equal(messages().split('It has one place').length - 1 <= 20, true, 'what was summarised is gone')
    const log = await endedLog(window)
    assertInvariants(log)
    assert.deepEqual(
      eventsOf(log, 'command/done').map(({ data }) => data.kind),
      ['success', 'success'],
    )
  })

  for (const [name, colorTheme] of [
    ['dark', 'Default Dark Modern'],
    ['light', 'Default Light Modern'],
  ]) {
    it(`opens to the summary, in the ${name} theme`, async () => {
      await window.configure({ 'workbench.colorTheme': colorTheme })
      const view = await conversation(window)
      await view.frame.locator(`body.vscode-${name}`).waitFor()
      const fold = entries(view, 'compaction').getByRole('button')
      if ((await fold.getAttribute('aria-expanded')) === 'false') await fold.click()
      await entries(view, 'compaction').getByRole('heading', { name: 'What was done' }).waitFor()
      await entries(view, 'compaction').scrollIntoViewIfNeeded()
      await window.screenshot(`compacted-${name}`)
      assert.deepEqual(await window.axe(view), [])
    })
  }

  it('stays so after a reload', async () => {
    await window.reload()
    await modeIs(window, 'off')
    await window.command('Plan: Show Conversation')
    const view = await conversation(window)
    await entries(view, 'compaction')
      .getByRole('button', { name: /messages summarised, about/ })
      .waitFor()
    await entries(view, 'user').getByText('Limit the rate of the API').waitFor()
  })

  it('by itself after a request that was too long, which is then sent again', async () => {
    script = [
      { kind: 'answer', text: long },
      { kind: 'status', status: 400, body: { error: { message: 'too long', code: 'context_length_exceeded' } } },
      { kind: 'answer', text: summary },
      { kind: 'answer', text: 'Now it fits.' },
    ]
    const view = await newConversation(window)
    await ask(view, 'Where is the router?')
    await entries(view, 'assistant').getByText('The router is in').waitFor()
    await rests(view)
    await ask(view, 'And the tests?')
    await entries(view, 'assistant').getByText('Now it fits.').waitFor()
    await entries(view, 'compaction')
      .getByRole('button', { name: /summarised, about/ })
      .waitFor()
    await rests(view)
    const log = await endedLog(window)
    assertInvariants(log)
    assert.equal(eventsOf(log, 'step/start').length, 2)
  })
})
