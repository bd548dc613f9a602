import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Session } from '../../src/session/session.ts'
import { ChatServer, type ChatStep, unreachableBaseUrl } from '../support/chat-server.ts'
import { assertInvariants } from '../support/invariants.ts'
import { endsOf, inputsOf } from '../support/reading.ts'
import type { Window } from './driver.ts'
import { endedLog } from './logs.ts'
import { quickInput } from './palette.ts'
import { sharedWindow } from './shared.ts'
import { ask, button, entries, modeIs, newConversation, openReview, rests } from './walks.ts'
import type { Webview } from './webviews.ts'

const key = 'test-key-5f2c9a71e8'
const plan = '# Limit the rate\n\nOne bucket for each key, in `src/router.ts`.\n\n- [ ] 1. Add the limiter'

/** What the server does with the request that comes next. */
let script: ChatStep[] = []

describe('a conversation with an endpoint', () => {
  let server: ChatServer
  let window: Window

  before(async () => {
    server = await ChatServer.start(() => script.shift() ?? { kind: 'status', status: 500 })
    window = await sharedWindow({
      settings: { 'planMode.model.baseUrl': server.baseUrl, 'planMode.model.id': 'test-model' },
    })
  })
  after(() => server[Symbol.asyncDispose]())

  /** A conversation whose requests are answered by `steps`, up to its rest. */
  async function talk(...steps: ChatStep[]): Promise<Webview> {
    script = steps
    const view = await newConversation(window)
    await ask(view, 'Limit the rate of the API')
    await entries(view, 'user').waitFor()
    await rests(view)
    return view
  }

  /** Asserts that the turn failed with this code, and that what the person reads of it matches. */
  async function failed(view: Webview, code: string, sentence: RegExp): Promise<Session> {
    await entries(view, 'notice').getByText(sentence).waitFor()
    const log = await endedLog(window)
    assertInvariants(log)
    const end = endsOf(log).at(-1)
    assert.equal(end?.kind === 'error' ? end.error.code : end?.kind, code)
    return log
  }

  it('has no key to set before it is asked for one, and then sends it', async () => {
    await window.command('Plan: Set API Key')
    await window.page.getByText(`API key for ${server.origin}.`).waitFor()
    assert.equal(await quickInput(window.page).getAttribute('type'), 'password')
    await quickInput(window.page).fill(key)
    await quickInput(window.page).press('Enter')
    await window.statusBar('The key for').waitFor()
    const view = await talk({ kind: 'answer', text: 'There is one router.' })
    await entries(view, 'assistant').getByText('There is one router.').waitFor()
    assert.equal(server.requests.at(-1)?.headers.authorization, `Bearer ${key}`)
    assert.equal(server.requests.at(-1)?.body.model, 'test-model')
  })

  it('streams a plan into a review, and the approval goes back', async () => {
    script = [
      {
        kind: 'answer',
        text: 'I have looked at the router.',
        tools: [{ name: 'exit_plan_mode', arguments: { plan } }],
      },
      { kind: 'answer', text: 'The limiter is in place.' },
    ]
    const view = await newConversation(window)
    await ask(view, '/plan Limit the rate of the API')
    await modeIs(window, 'review waiting')
    const panel = await openReview(window)
    await panel.frame.getByRole('heading', { name: 'Limit the rate', level: 1 }).waitFor()
    await button(panel, 'Approve').click()
    await entries(view, 'assistant').getByText('The limiter is in place.').waitFor()
    await rests(view)
    const log = await endedLog(window)
    assertInvariants(log)
    assert.deepEqual(inputsOf(log), ['Limit the rate of the API'])
    assert.match(JSON.stringify(server.requests.at(-1)?.body.messages), /approved the plan/)
  })

  it('says when the key is not accepted', async () => {
    const view = await talk({ kind: 'status', status: 401, body: { error: { message: `Bad key ${key}` } } })
    await failed(view, 'AUTH', /did not accept the API key \(status 401\)\. Run "Plan: Set API Key"/)
    assert.ok(!(await view.frame.locator('body').textContent())?.includes(key))
  })

  it('waits as long as it is told when there are too many requests, and goes on', async () => {
    const view = await talk(
      { kind: 'status', status: 429, headers: { 'retry-after': '1' } },
      { kind: 'answer', text: 'Here I am.' },
    )
    await entries(view, 'assistant').getByText('Here I am.').waitFor()
    assertInvariants(await endedLog(window))
  })

  it('says when there are too many requests and the wait is long', async () => {
    const view = await talk({ kind: 'status', status: 429, headers: { 'retry-after': '3600' } })
    await failed(view, 'RATE_LIMIT', /is receiving too many requests \(status 429\)/)
  })

  it('says when the server fails, after it has tried again', async () => {
    const before = server.requests.length
    const view = await talk(...Array.from({ length: 3 }, () => ({ kind: 'status', status: 500 }) as const))
    await failed(view, 'SERVER', /failed to answer \(status 500\)/)
    assert.equal(server.requests.length - before, 3)
  })

  it('keeps what came of an answer that was cut', async () => {
    const view = await talk({ kind: 'cut', text: 'The router takes', how: 'reset' })
    await failed(view, 'STREAM_CUT', /ended before it was complete\. Try again\./)
    await entries(view, 'assistant').getByText('The router takes').waitFor()
  })

  it('tells the model when its arguments are no JSON', async () => {
    const view = await talk(
      { kind: 'answer', tools: [{ name: 'read_file', arguments: '{"path": "READ' }] },
      { kind: 'answer', text: 'I was wrong.' },
    )
    await entries(view, 'assistant').getByText('I was wrong.').waitFor()
    await view.frame.locator('tool-group .tool.failed').getByText('failed').waitFor()
    assertInvariants(await endedLog(window))
  })

  it('says when the endpoint cannot be reached', async () => {
    await window.configure({ 'planMode.model.baseUrl': await unreachableBaseUrl() })
    const view = await talk()
    await failed(view, 'UNREACHABLE', /cannot be reached: no connection could be made \(ECONNREFUSED\)/)
    await window.configure({ 'planMode.model.baseUrl': server.baseUrl })
  })

  it('keeps the key out of every file, of the browser and of every message', async () => {
    assert.deepEqual(await filesWith(window.state, key), [])
    const browser = JSON.stringify(await window.page.context().storageState({ indexedDB: true }))
    assert.ok(!browser.includes(key))
    const sent = server.requests.map(({ body }) => JSON.stringify(body)).join('\n')
    assert.ok(!sent.includes(key))
  })
})

/** The files below a folder that hold a text in clear. */
async function filesWith(folder: string, text: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name))
  const found: string[] = []
  for (const file of files) if ((await readFile(file)).includes(text)) found.push(file)
  return found
}
