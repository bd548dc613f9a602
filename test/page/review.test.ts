// biome-ignore-all lint/performance/useDomNodeTextContent: Playwright's innerText is what a reader sees.
// The review panel as a person meets it: reading, deciding, revisions, and nothing typed is ever lost.
import assert from 'node:assert/strict'
import type { Locator } from 'playwright-core'
import { fromReview } from '../../src/webview/review-messages.ts'
import { type Opened, PageStage, settled, until } from './support/open-page.ts'
import { plan, review } from './support/samples.ts'

describe('review panel', function () {
  this.timeout(20_000)
  let stage: PageStage
  let opened: Opened
  let box: Locator
  before(async () => {
    stage = await PageStage.start()
  })
  after(() => stage.close())
  beforeEach(async () => {
    opened = await stage.open('review', { width: 1000, height: 700 })
    box = opened.page.locator('textarea')
    await opened.send(review())
  })
  afterEach(async () => {
    for (const message of await opened.page.evaluate<unknown[]>('posted')) fromReview.parse(message)
    assert.deepEqual(await opened.faults(), [])
    await stage.clear()
  })

  const press = (key: string): Promise<void> => opened.page.keyboard.press(key)
  const button = (name: string): Locator => opened.page.getByRole('button', { name, exact: true })
  const keep = (): Locator => opened.page.locator('#keep')
  const decisions = async (): Promise<unknown[]> =>
    (await opened.posted('decide')).map(({ decision, feedback }) => [decision, feedback])
  const primary = (): Promise<(string | null)[]> =>
    opened.page.locator('footer vscode-button:not([secondary])').evaluateAll(found => found.map(({ id }) => id))
  const footer = async (): Promise<string> => (await opened.page.locator('footer').innerText()).trim()
  /** Clicks until the click counts: the first half second after a question could be a double click. */
  const answer = (name: string): Promise<void> =>
    until(async () => {
      if ((await decisions()).length === 0) await button(name).click()
      return (await decisions()).length > 0
    }, name)
  const focusedId = (): Promise<string> => opened.page.evaluate('document.activeElement.id')

  it('shows title, mode, revision and the plan, and links to the conversation', async () => {
    assert.match(
      await opened.page.locator('header').innerText(),
      /Plan on · guided[\s\S]*Rate limiting[\s\S]*Revision 2 of 2/,
    )
    assert.equal(await opened.page.locator('main h1').innerText(), 'Rate limiting for the public API')
    assert.equal(await opened.page.locator('main td').count(), 6)
    assert.deepEqual(
      await opened.page.locator('main .box').evaluateAll(found => found.map(one => one.getAttribute('aria-label'))),
      ['Done', 'Not done', 'Not done', 'Not done'],
    )
    assert.ok((await opened.page.locator('main .hljs-keyword').count()) > 2)
    await button('Conversation').click()
    await opened.page.locator('.chip').click()
    assert.equal((await opened.posted('showConversation')).length, 1)
    assert.equal((await opened.posted('toggleMode')).length, 1)
  })

  it('keeps every control in view, however long the plan and small the window', async () => {
    await opened.send(review({ markdown: plan.repeat(40), planHash: 'b' }))
    for (const [width, height] of [
      [1360, 860],
      [600, 600],
      [300, 500],
      [680, 430],
    ] as const) {
      await opened.page.setViewportSize({ width, height })
      await box.fill('x\n'.repeat(30))
      await settled(opened.page)
      for (const control of ['#dismiss', '#keep', '#approve', 'textarea', '.chip', 'header .quiet-button']) {
        const found = await opened.page.locator(control).boundingBox()
        assert.ok(found, control)
        const fits = found.x >= 0 && found.y >= 0 && found.x + found.width <= width && found.y + found.height <= height
        assert.ok(fits, `${control} at ${width} × ${height}: ${JSON.stringify(found)}`)
      }
      const reading = await opened.page.locator('main').boundingBox()
      assert.ok(reading && reading.height > 100, `the plan has ${reading?.height} px at ${width} × ${height}`)
    }
  })

  it('approves once, by a double click too, under the hash of the text shown', async () => {
    await button('Approve').dblclick()
    assert.deepEqual(await opened.posted('decide'), [
      { kind: 'decide', reviewId: 'review-2', planHash: 'a'.repeat(64), decision: 'approved', feedback: '' },
    ])
    assert.match(await footer(), /Sending your decision/)
    for (const id of ['#approve', '#keep', '#dismiss']) assert.equal(await opened.page.locator(id).isDisabled(), true)
    await opened.send(review({ state: 'approved' }))
    assert.match(await footer(), /^You approved this plan/)
    assert.match(
      (await opened.page.locator('review-panel > [role=status]').textContent()) ?? '',
      /^You approved this plan/,
    )
    assert.equal(await opened.page.locator('footer vscode-button').count(), 0)
  })

  it('makes Keep planning primary while the box holds text, else Approve, and moves no button', async () => {
    const places = async (): Promise<unknown[]> => [await keep().boundingBox(), await button('Approve').boundingBox()]
    const before = await places()
    assert.deepEqual(await primary(), ['approve'])
    await box.fill('Name the owner.')
    assert.deepEqual(await primary(), ['keep'])
    assert.deepEqual(await places(), before)
    await box.fill('  ')
    assert.deepEqual(await primary(), ['approve'])
  })

  it('sends feedback by the button and by Ctrl+Enter, and clears the box once it was taken', async () => {
    await box.fill('  Name the owner.\n')
    await press('Control+Enter')
    await press('Control+Enter')
    assert.deepEqual(await decisions(), [['kept', 'Name the owner.']])
    assert.equal(await box.inputValue(), '  Name the owner.\n')
    await opened.send(review({ state: 'kept', feedback: 'Name the owner.' }))
    assert.match(await footer(), /You sent this plan back[\s\S]*Name the owner\./)
    await opened.send(review({ reviewId: 'review-3', planHash: 'c', revision: 3, revisions: 3 }))
    assert.equal(await box.inputValue(), '')
    await box.fill('Again.')
    await keep().click()
    assert.deepEqual((await opened.posted('decide')).at(-1), {
      kind: 'decide',
      reviewId: 'review-3',
      planHash: 'c',
      decision: 'kept',
      feedback: 'Again.',
    })
  })

  it('asks before it sends a plan back without a word', async () => {
    await keep().dblclick()
    assert.deepEqual(await decisions(), [])
    assert.match(await footer(), /without saying what should change/)
    await button('Back').click()
    assert.equal(await box.evaluate(element => element === document.activeElement), true)
    await press('Control+Enter')
    await button('Send back without feedback').press('Enter')
    assert.deepEqual(await decisions(), [['kept', '']])
  })

  it('approves with Alt+Enter after asking once', async () => {
    await press('Alt+Enter')
    assert.deepEqual(await decisions(), [])
    assert.match(await footer(), /Approve the plan as it is shown\?/)
    await press('Enter')
    assert.deepEqual(await decisions(), [['approved', '']])
  })

  it('takes a second Alt+Enter for the answer, a held key for none', async () => {
    await opened.page.keyboard.down('Alt')
    for (let held = 0; held < 5; held++) await opened.page.keyboard.down('Enter')
    assert.deepEqual(await decisions(), [])
    await opened.page.keyboard.up('Enter')
    await press('Enter')
    assert.deepEqual(await decisions(), [['approved', '']])
  })

  it('answers no question by a key that is still held', async () => {
    await box.fill('Two weeks.')
    await button('Approve').focus()
    for (let held = 0; held < 5; held++) {
      await opened.page.keyboard.down('Enter')
      await settled(opened.page)
    }
    assert.deepEqual(await decisions(), [])
    assert.match(await footer(), /Approving does not send it/)
  })

  it('takes the question back with Escape, and the focus to where it was', async () => {
    await keep().focus()
    await press('Alt+Enter')
    await press('Escape')
    assert.equal(await focusedId(), 'keep')
    assert.deepEqual(await decisions(), [])
    assert.deepEqual(await primary(), ['approve'])
  })

  it('never drops feedback by approving: asks, and each answer does what it says', async () => {
    await box.fill('Two weeks.')
    await button('Approve').dblclick()
    assert.deepEqual(await decisions(), [], 'a double click is no answer')
    assert.match(await footer(), /Your feedback has not been sent\. Approving does not send it\./)
    await button('Back').click()
    assert.equal(await box.inputValue(), 'Two weeks.')
    await press('Alt+Enter')
    await button('Send as feedback instead').press('Enter')
    assert.deepEqual(await decisions(), [['kept', 'Two weeks.']])
  })

  it('keeps unsent feedback in sight after approving without it', async () => {
    await box.fill('Two weeks.')
    await button('Approve').click()
    await answer('Approve without it')
    assert.deepEqual(await decisions(), [['approved', '']])
    await opened.send(review({ state: 'approved' }))
    assert.match(await footer(), /Not sent, kept here\s*Two weeks\./)
  })

  it('dismisses, and asks first when the box holds text', async () => {
    await box.fill('Half a thought')
    await button('Dismiss to talk').click()
    assert.deepEqual(await decisions(), [])
    await answer('Dismiss without it')
    assert.deepEqual(await decisions(), [['dismissed', '']])
    await opened.send(review({ state: 'dismissed' }))
    assert.match(await footer(), /You dismissed this review[\s\S]*Half a thought/)
  })

  it('says why a decision was refused, keeps the text, and the buttons work again', async () => {
    await box.fill('Two weeks.')
    await keep().click()
    await opened.send({ kind: 'refused', reviewId: 'review-2', text: 'The plan changed since it was shown.' }, review())
    assert.match(await opened.page.getByRole('alert').innerText(), /The plan changed since it was shown\./)
    assert.equal(await box.inputValue(), 'Two weeks.')
    await keep().click()
    assert.equal((await decisions()).length, 2)
  })

  it('ignores a refusal of another review', async () => {
    await button('Approve').click()
    await opened.send({ kind: 'refused', reviewId: 'review-1', text: 'Too late.' })
    assert.match(await footer(), /Sending your decision/)
  })

  it('keeps a decision in flight when only the mode changes', async () => {
    await button('Approve').click()
    await opened.send(review({ mode: { active: true, pending: true } }))
    assert.match(await footer(), /Sending your decision/)
    await opened.page.locator('#approve').click({ force: true })
    assert.equal((await decisions()).length, 1)
  })

  it('leaves the box with Escape', async () => {
    await box.focus()
    await press('Escape')
    assert.equal(await opened.page.evaluate('document.activeElement.localName'), 'main')
    assert.match(await opened.page.locator('#feedback-hint').innerText(), /Escape leaves the box/)
  })

  it('does not decide while an input method composes', async () => {
    await box.fill('あ')
    await box.evaluate(element =>
      element.dispatchEvent(
        new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true, isComposing: true, bubbles: true }),
      ),
    )
    assert.deepEqual(await decisions(), [])
  })

  it('decides by keyboard alone, from the top of the page', async () => {
    await press('Tab')
    assert.equal(await opened.page.evaluate('document.activeElement.textContent'), 'Skip to the decision')
    await press('Enter')
    assert.equal(await opened.page.evaluate('document.activeElement.localName'), 'textarea')
    await press('Tab')
    await press('Tab')
    assert.equal(await focusedId(), 'keep')
    await press('Tab')
    assert.equal(await focusedId(), 'approve')
    await press('Space')
    assert.deepEqual(await decisions(), [['approved', '']])
    await opened.send(review({ state: 'approved' }))
    assert.equal(await opened.page.evaluate('document.activeElement.localName'), 'footer')
  })

  it('draws a plan of 5,000 lines in slices, and answers meanwhile', async () => {
    const long = plan.repeat(Math.ceil(5000 / plan.split('\n').length))
    const first: number = await opened.page.evaluate(
      async message => {
        window.postMessage(message)
        const view = document.querySelector('markdown-view')
        while (!view?.hasAttribute('aria-busy')) await new Promise(resolve => setTimeout(resolve))
        return view.querySelectorAll('h1').length
      },
      review({ markdown: long, planHash: 'b' }),
    )
    const all = long.split('# Rate limiting').length - 1
    assert.ok(first > 0 && first < all, `${first} of ${all} parts were there at first`)
    await button('Approve').click()
    assert.equal((await opened.posted('decide')).at(-1)?.planHash, 'b')
    await until(
      () => opened.page.evaluate(`!document.querySelector('markdown-view').hasAttribute('aria-busy')`),
      'the rest',
    )
    assert.equal(await opened.page.locator('main h1').count(), all)
    const ids: string[] = await opened.page.evaluate(`[...document.querySelectorAll('main [id]')].map(({ id }) => id)`)
    assert.equal(new Set(ids).size, ids.length)
  })

  it('scrolls the plan by keyboard', async () => {
    await opened.page.locator('main').focus()
    await press('PageDown')
    await until(() => opened.page.evaluate(`document.querySelector('main').scrollTop > 100`), 'scrolling')
  })

  it('grows the box to six lines, then scrolls', async () => {
    await box.fill('x\n'.repeat(30))
    const { height, line } = await box.evaluate(element => ({
      height: element.getBoundingClientRect().height,
      line: Number.parseFloat(getComputedStyle(element).lineHeight),
    }))
    assert.ok(Math.abs(height - (6 * line + 14)) < 2, `${height}`)
  })

  it('sends the draft after a pause and keeps it over a reload', async () => {
    await box.fill('not lost')
    await opened.waitForPosted('draft')
    assert.deepEqual(await opened.posted('draft'), [{ kind: 'draft', reviewId: 'review-2', text: 'not lost' }])
    await opened.page.reload()
    await opened.waitForPosted('ready')
    await opened.send(review())
    assert.equal(await box.inputValue(), 'not lost')
    const saved = (await opened.savedState()) as { sessionId: string }
    assert.equal(saved.sessionId, 'session-1')
  })

  it('takes the draft that the host kept, but never over typed text', async () => {
    await opened.send({ kind: 'draft', reviewId: 'review-1', text: 'of another review' })
    assert.equal(await box.inputValue(), '')
    await opened.send({ kind: 'draft', reviewId: 'review-2', text: 'kept' })
    assert.equal(await box.inputValue(), 'kept')
    await box.fill('typed')
    await opened.send({ kind: 'draft', reviewId: 'review-2', text: 'kept' })
    assert.equal(await box.inputValue(), 'typed')
  })

  it('takes unsent text along to a revision that arrives, and says that it arrived', async () => {
    await box.fill('still unsent')
    await opened.send(
      review({ reviewId: 'review-3', planHash: 'c', revision: 3, revisions: 3, markdown: '# Other\n\nText' }),
    )
    assert.equal(
      await opened.page.locator('review-panel > [role=status]').textContent(),
      'Revised plan arrived, revision 3',
    )
    assert.equal(await opened.page.locator('main h1').innerText(), 'Other')
    assert.match(await opened.page.locator('header').innerText(), /Revision 3 of 3/)
    assert.equal(await box.inputValue(), 'still unsent')
    assert.deepEqual((await opened.posted('draft')).at(-1), {
      kind: 'draft',
      reviewId: 'review-3',
      text: 'still unsent',
    })
  })

  it('closes a question about a text that was replaced', async () => {
    await press('Alt+Enter')
    await opened.send(review({ reviewId: 'review-3', planHash: 'c', revision: 3 }))
    assert.doesNotMatch(await footer(), /Approve the plan as it is shown/)
    assert.deepEqual(await decisions(), [])
  })

  it('keeps the place of reading in a revision', async () => {
    await opened.page.setViewportSize({ width: 800, height: 500 })
    const top = (): Promise<number> =>
      opened.page.evaluate(() => {
        const heading = [...document.querySelectorAll('main h2')].find(found => found.textContent === 'Rollout')
        return heading?.getBoundingClientRect().top ?? Number.NaN
      })
    await opened.page.evaluate(() => {
      const heading = [...document.querySelectorAll('main h2')].find(found => found.textContent === 'Rollout')
      const area = document.querySelector('main')
      if (heading && area) area.scrollTop += heading.getBoundingClientRect().top - area.getBoundingClientRect().top + 30
    })
    const before = await top()
    const longer = plan.replace('## Steps', `${'A new paragraph.\n\n'.repeat(30)}## Steps`)
    await opened.send(review({ reviewId: 'review-3', planHash: 'c', revision: 3, markdown: longer }))
    await until(async () => Math.abs((await top()) - before) < 2, 'the same place')
  })

  it('says when no agent waits; the buttons still work', async () => {
    await opened.send(review({ live: false }))
    assert.match(await opened.page.locator('.banner').innerText(), /No agent is waiting[\s\S]*sent as the next turn/)
    await button('Approve').click()
    assert.deepEqual(await decisions(), [['approved', '']])
  })

  it('offers no decision where this window cannot write', async () => {
    await opened.send(review({ readOnly: 'Another window writes this conversation.' }))
    assert.match(await opened.page.locator('.banner').innerText(), /Another window writes/)
    assert.equal(await opened.page.locator('footer vscode-button, footer textarea').count(), 0)
    await press('Alt+Enter')
    assert.deepEqual(await decisions(), [])
    assert.equal(await opened.page.getByRole('button', { name: 'Continue here' }).count(), 0)
  })

  it('offers to continue here what another window writes', async () => {
    await opened.send(review({ readOnly: 'Another window is writing this conversation.', continueHere: true }))
    await opened.page.getByRole('button', { name: 'Continue here' }).click()
    assert.deepEqual(await opened.posted('continueHere'), [{ kind: 'continueHere' }])
  })

  it('says what became of each decided review', async () => {
    for (const [state, words] of [
      ['withdrawn', /withdrawn\. The plan is not approved/],
      ['superseded', /newer plan replaced/],
    ] as const) {
      await opened.send(review({ state }))
      assert.match(await footer(), words)
      assert.equal(await opened.page.locator('footer vscode-button').count(), 0)
    }
  })

  it('says why there is nothing to review', async () => {
    await opened.send({ kind: 'empty', text: 'No plan waits for a review.' })
    assert.match(await opened.page.locator('review-panel').innerText(), /No plan waits for a review\./)
  })

  it('reports a message it does not understand and goes on', async () => {
    await opened.page.evaluate(`postMessage({ kind: 'review', review: { markdown: '# Forged' } })`)
    await settled(opened.page)
    assert.equal(await opened.page.locator('main h1').innerText(), 'Rate limiting for the public API')
    const reported = await opened.faults()
    assert.equal(reported.length, 1)
    assert.match(reported[0] ?? '', /was not understood/)
    await stage.clear()
    opened = await stage.open('review')
  })

  it('moves nothing when the reader wants less motion', async () => {
    await button('Approve').click()
    const name = await opened.page.locator('.codicon-loading').evaluate(sign => getComputedStyle(sign).animationName)
    assert.equal(name, 'none')
  })
})
