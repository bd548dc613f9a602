// biome-ignore-all lint/performance/useDomNodeTextContent: Playwright's innerText is what a reader sees.
// The composer: sending, commands, keys, drafts, the queue.
import assert from 'node:assert/strict'
import type { Locator } from 'playwright-core'
import { fromConversation } from '../../src/webview/messages.ts'
import { type Opened, PageStage, settled, until } from './support/open-page.ts'
import { conversation, walk } from './support/samples.ts'

describe('composer', function () {
  this.timeout(20_000)
  let stage: PageStage
  let opened: Opened
  let box: Locator
  before(async () => {
    stage = await PageStage.start()
  })
  after(() => stage.close())
  beforeEach(async () => {
    opened = await stage.open('conversation')
    box = opened.page.locator('textarea')
    await opened.send(conversation(), { kind: 'transcript', items: [...walk] })
    await box.focus()
  })
  afterEach(async () => {
    for (const message of await opened.page.evaluate<unknown[]>('posted')) fromConversation.parse(message)
    assert.deepEqual(await opened.faults(), [])
    await stage.clear()
  })

  const press = (key: string): Promise<void> => opened.page.keyboard.press(key)
  const type = (text: string): Promise<void> => opened.page.keyboard.type(text)
  const value = (): Promise<string> => box.inputValue()
  const sent = async (): Promise<unknown[]> => (await opened.posted('send')).map(message => message.text)
  const focused = (): Promise<boolean> => box.evaluate(element => element === document.activeElement)

  it('sends with Enter and starts a new line with Shift+Enter', async () => {
    await type('one')
    await press('Shift+Enter')
    await type('two')
    await press('Enter')
    assert.deepEqual(await sent(), ['one\ntwo'])
    assert.equal(await value(), '')
    assert.equal((await opened.posted('draft')).at(-1)?.text, '')
  })

  it('sends nothing when there is nothing to send, and the button sends too', async () => {
    await press('Enter')
    await type('   ')
    await press('Enter')
    assert.deepEqual(await sent(), [])
    await box.fill('by button')
    await opened.page.getByRole('button', { name: 'Send' }).click()
    assert.deepEqual(await sent(), ['by button'])
  })

  it('does not send while an input method composes', async () => {
    const client = await opened.page.context().newCDPSession(opened.page)
    await client.send('Input.imeSetComposition', { text: 'にほ', selectionStart: 2, selectionEnd: 2 })
    await box.evaluate(element =>
      element.dispatchEvent(
        new KeyboardEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true, cancelable: true }),
      ),
    )
    assert.deepEqual(await sent(), [])
    await client.send('Input.insertText', { text: '日本' })
    await press('Enter')
    assert.deepEqual(await sent(), ['日本'])
  })

  it('toggles the mode with Shift+Tab, unless the setting gives the key back', async () => {
    await press('Shift+Tab')
    assert.equal((await opened.posted('toggleMode')).length, 1)
    assert.equal(await focused(), true)
    await opened.send(conversation({ shiftTabTogglesMode: false }))
    await press('Shift+Tab')
    assert.equal((await opened.posted('toggleMode')).length, 1)
    assert.equal(await focused(), false)
  })

  it('lets the focus leave with Escape, to the first control of the header', async () => {
    await press('Escape')
    assert.equal(await opened.page.evaluate(`document.activeElement.className`), 'title')
    const hint = await box.getAttribute('aria-describedby')
    assert.match(await opened.page.locator(`#${hint}`).innerText(), /Escape leaves the box/)
  })

  it('offers commands after a slash; arrows choose, Enter completes', async () => {
    await type('/')
    const options = opened.page.getByRole('option')
    assert.equal(await options.count(), 3)
    await type('pl')
    assert.equal(await options.count(), 2)
    assert.equal(await box.getAttribute('role'), 'combobox')
    assert.equal(await box.getAttribute('aria-expanded'), 'true')
    await press('ArrowDown')
    const active = (await box.getAttribute('aria-activedescendant')) ?? ''
    assert.match(await opened.page.locator(`#${active}`).innerText(), /\/plans/)
    assert.equal(await opened.page.locator(`#${active}`).getAttribute('aria-selected'), 'true')
    await press('ArrowDown')
    await press('ArrowUp')
    await press('Enter')
    assert.equal(await value(), '/plans ')
    assert.equal(await opened.page.getByRole('listbox').count(), 0)
    assert.deepEqual(await sent(), [])
  })

  it('completes with Tab and with a click, and closes with Escape', async () => {
    await type('/co')
    await press('Tab')
    assert.equal(await value(), '/compact ')
    assert.equal(await focused(), true)
    await box.fill('/pl')
    await press('Escape')
    assert.equal(await opened.page.getByRole('listbox').count(), 0)
    assert.equal(await focused(), true)
    await type('a')
    await opened.page.getByRole('option', { name: '/plans' }).click()
    assert.equal(await value(), '/plans ')
    assert.equal(await focused(), true)
  })

  it('sends a command whose name is typed to its end', async () => {
    await type('/plan')
    await press('Enter')
    assert.deepEqual(await sent(), ['/plan'])
  })

  it('grows with its text to eight lines, then scrolls', async () => {
    const height = (): Promise<number> => box.evaluate(element => element.getBoundingClientRect().height)
    const two = await height()
    await box.fill(Array.from({ length: 6 }, (_, index) => `${index}`).join('\n'))
    const six = await height()
    await box.fill('x\n'.repeat(30))
    const most = await height()
    assert.ok(two < six && six < most)
    const line = await box.evaluate(element => Number.parseFloat(getComputedStyle(element).lineHeight))
    assert.ok(Math.abs(most - (8 * line + 10)) < 2, `${most}`)
  })

  it('sends the draft after a pause, once', async () => {
    await type('a draft')
    await opened.waitForPosted('draft')
    assert.deepEqual(await opened.posted('draft'), [{ kind: 'draft', sessionId: 'session-1', text: 'a draft' }])
  })

  it('keeps what was typed over a reload', async () => {
    await type('not lost')
    await opened.page.reload()
    await opened.waitForPosted('ready')
    await opened.send(conversation(), { kind: 'transcript', items: [...walk] })
    assert.equal(await value(), 'not lost')
  })

  it('keeps a draft for each conversation', async () => {
    await type('for the first')
    await opened.send(conversation({ sessionId: 'session-2' }), { kind: 'transcript', items: [...walk] })
    assert.equal(await value(), '')
    assert.equal((await opened.posted('draft')).at(-1)?.text, 'for the first')
    await box.fill('for the second')
    await opened.send(conversation())
    assert.equal(await value(), 'for the first')
  })

  it('puts text offered by the host to the conversation that is about to be shown', async () => {
    await opened.send(
      { kind: 'transcript', items: [] },
      { kind: 'composer', text: 'kept for the second', whenEmpty: true },
      conversation({ sessionId: 'session-2' }),
    )
    assert.equal(await value(), 'kept for the second')
    await opened.send(conversation())
    assert.equal(await value(), '')
  })

  it('says for which conversation words are sent and kept', async () => {
    await type('to the first')
    await press('Enter')
    assert.deepEqual(await opened.posted('send'), [{ kind: 'send', sessionId: 'session-1', text: 'to the first' }])
    await opened.send(conversation({ sessionId: null }))
    await box.fill('to a new one')
    await press('Enter')
    assert.equal((await opened.posted('send')).at(-1)?.sessionId, null)
  })

  it('puts words that could not be sent back where they were typed, when another conversation is shown by then', async () => {
    await type('for the first')
    await press('Enter')
    await opened.send(conversation({ sessionId: 'session-2' }), {
      kind: 'composer',
      sessionId: 'session-1',
      text: 'for the first',
      whenEmpty: true,
    })
    assert.equal(await value(), '')
    const back = { kind: 'draft', sessionId: 'session-1', text: 'for the first' }
    assert.deepEqual((await opened.posted('draft')).at(-1), back)
    await opened.send(conversation())
    assert.equal(await value(), 'for the first')
  })

  it('keeps typed text when a conversation begins under it', async () => {
    await opened.page.reload()
    await opened.waitForPosted('ready')
    await opened.send(conversation({ sessionId: null }))
    await box.fill('the next thought')
    await opened.send(conversation({ sessionId: 'session-9' }))
    assert.equal(await value(), 'the next thought')
    await opened.send(conversation({ sessionId: null }))
    assert.equal(await value(), '')
    await box.fill('another')
    await opened.send(conversation({ sessionId: 'session-9' }))
    assert.equal(await value(), 'the next thought')
    await opened.send(conversation({ sessionId: null }))
    assert.equal(await value(), 'another')
  })

  it('takes offered text, and leaves typed text alone when told so', async () => {
    await opened.send({ kind: 'composer', text: 'offered', whenEmpty: true })
    await until(async () => (await value()) === 'offered', 'offered text')
    await opened.send({ kind: 'composer', text: 'other', whenEmpty: true }, conversation())
    assert.equal(await value(), 'offered')
    await opened.send({ kind: 'composer', text: 'other', whenEmpty: false }, conversation())
    assert.equal(await value(), 'other')
  })

  it('takes the focus when the host asks', async () => {
    await press('Escape')
    await opened.send({ kind: 'focusComposer' })
    assert.equal(await focused(), true)
  })

  it('stops, and says that what is sent is queued', async () => {
    await opened.send(conversation({ running: true }))
    await opened.page.getByRole('button', { name: 'Stop' }).click()
    assert.equal((await opened.posted('stop')).length, 1)
    assert.equal(await opened.page.getByRole('button', { name: 'Queue' }).count(), 1)
  })

  it('lists queued prompts and takes one back', async () => {
    const queue = [
      { id: 'q1', text: 'first', target: 'next-step' as const },
      { id: 'q2', text: 'second', target: 'next-turn' as const },
    ]
    await opened.send(conversation({ running: true, queue }))
    assert.match(
      await opened.page.getByRole('list', { name: 'Queued' }).innerText(),
      /next step\s*first[\s\S]*next turn\s*second/,
    )
    await opened.page.getByRole('button', { name: 'Remove from the queue: second' }).click()
    assert.deepEqual(await opened.posted('unqueue'), [{ kind: 'unqueue', id: 'q2' }])
    assert.equal(await opened.page.getByRole('button', { name: 'Run now' }).count(), 0)
  })

  it('offers to run what is still queued after a stop or a reload', async () => {
    await opened.send(conversation({ queue: [{ id: 'q1', text: 'first', target: 'next-turn' as const }] }))
    await opened.page.getByRole('button', { name: 'Run now' }).click()
    assert.deepEqual(await opened.posted('runQueue'), [{ kind: 'runQueue' }])
  })

  it('says that a review waits, opens it, and still sends', async () => {
    const reviewWaiting = { reviewId: 'review-2', title: 'Limits' }
    await opened.send(conversation({ reviewWaiting }))
    const waiting = opened.page.locator('.waiting')
    assert.match(await waiting.innerText(), /“Limits” waits for your review\. .*what you send now starts a turn/)
    await opened.send(conversation({ reviewWaiting, running: true }))
    assert.match(await waiting.innerText(), /“Limits” waits for your review\. What you send is queued/)
    await waiting.getByRole('button', { name: 'Review' }).click()
    assert.deepEqual(await opened.posted('openReview'), [{ kind: 'openReview', reviewId: 'review-2' }])
    await box.fill('while waiting')
    await box.press('Enter')
    assert.deepEqual(await sent(), ['while waiting'])
  })

  it('goes through the view by keyboard alone, first to last', async () => {
    await opened.send(conversation({ running: true, shiftTabTogglesMode: false }))
    await press('Escape')
    const seen: string[] = []
    for (let step = 0; step < 14; step++) {
      seen.push(
        await opened.page.evaluate(() => {
          const element = document.activeElement
          return element?.getAttribute('aria-label') || element?.textContent?.trim().replace(/\s+/g, ' ') || ''
        }),
      )
      await press('Tab')
    }
    for (const wanted of [
      'Rate limiting for the public API',
      'Plan on · guided',
      'Transcript',
      'Review',
      'Message to the agent',
      'Stop',
      'Queue',
    ]) {
      assert.ok(seen.includes(wanted), `${wanted} was not reached: ${seen.join(' | ')}`)
    }
    await settled(opened.page)
  })
})
