// biome-ignore-all lint/performance/useDomNodeTextContent: Playwright's innerText is what a reader sees.
// Questions of the agent: the card that waits, by mouse and by keyboard; what is typed; the record that is left.
import assert from 'node:assert/strict'
import type { Locator } from 'playwright-core'
import { fromConversation, type OpenQuestion } from '../../src/webview/messages.ts'
import type { Item } from '../../src/webview/transcript-messages.ts'
import { type Opened, PageStage, until } from './support/open-page.ts'
import { answeredQuestion, conversation, openQuestion, stoppedQuestion, waitingQuestion } from './support/samples.ts'

const user: Item = { kind: 'user', id: 'u1', text: 'Ask me' }
const [store, , owner] = openQuestion.questions
const single: OpenQuestion = { ...openQuestion, questions: store ? [store] : [] }

describe('a question of the agent', function () {
  this.timeout(20_000)
  let stage: PageStage
  let opened: Opened
  before(async () => {
    stage = await PageStage.start()
  })
  after(() => stage.close())
  beforeEach(async () => {
    opened = await stage.open('conversation')
  })
  afterEach(async () => {
    for (const message of await opened.page.evaluate<unknown[]>('posted')) fromConversation.parse(message)
    assert.deepEqual(await opened.faults(), [])
    await stage.clear()
  })

  const asks = (...questions: OpenQuestion[]) => conversation({ running: true, waitsForYou: true, questions })
  const show = (question = openQuestion): Promise<void> =>
    opened.send(asks(question), { kind: 'transcript', items: [user, waitingQuestion] })
  const press = (key: string): Promise<void> => opened.page.keyboard.press(key)
  const type = (text: string): Promise<void> => opened.page.keyboard.type(text)
  const card = (): Locator => opened.page.locator('question-card .card')
  const named = (role: 'radio' | 'checkbox' | 'textbox' | 'button', name: string | RegExp): Locator =>
    opened.page.getByRole(role, { name })
  const answers = async () => (await opened.posted('answerQuestion')).map(message => message.answers)
  const inFocus = (): Promise<string> =>
    opened.page.evaluate(() => {
      const { activeElement: at } = document
      const label = at instanceof HTMLInputElement ? at.labels?.[0]?.innerText : at?.getAttribute('aria-label')
      return (label ?? at?.textContent ?? '').trim().split('\n')[0] ?? ''
    })

  it('stands in the place of its entry, says what it wants, and nothing spins', async () => {
    await show()
    assert.equal(await opened.page.locator('transcript-entry.question').count(), 0)
    const text = await card().innerText()
    for (const words of ['The agent asks 3 questions', 'Waits for your answer', 'Where should the counters live?']) {
      assert.ok(text.includes(words), words)
    }
    assert.ok(text.includes('One truth for all processes'), 'the descriptions of options are there')
    assert.equal(await opened.page.locator('.activity').count(), 0)
    assert.match(await opened.page.locator('message-composer .waiting').innerText(), /waits for your answer/)
  })

  it("takes a choice, several, and words of the person's own", async () => {
    await show()
    await named('radio', 'Redis').check()
    await named('checkbox', 'Search').check()
    await named('checkbox', 'Export').check()
    await named('checkbox', 'Search').uncheck()
    await named('textbox', 'Your own answer: Which routes are limited?').fill('the login')
    await named('textbox', 'Your own answer: Who decides').fill('  The gateway team\nand I ')
    await named('button', 'Send answer').click()
    assert.deepEqual(await opened.posted('answerQuestion'), [
      {
        kind: 'answerQuestion',
        sessionId: 'session-1',
        id: 'tool-9',
        answers: [
          { id: 'store', selected: ['Redis'] },
          { id: 'routes', selected: ['Export'], custom: 'the login' },
          { id: 'owner', selected: [], custom: 'The gateway team\nand I' },
        ],
      },
    ])
    assert.equal(await named('radio', 'Redis').isDisabled(), true, 'it is on its way')
    await named('button', 'Send answer').click({ force: true })
    assert.equal((await answers()).length, 1)
  })

  it('lets own words and a single choice take turns, and keeps the words', async () => {
    await show(single)
    const own = named('textbox', 'Your own answer')
    await own.fill('SQLite')
    assert.equal(await named('radio', 'Your own answer').isChecked(), true)
    await named('radio', 'Redis').check()
    assert.equal(await own.inputValue(), 'SQLite')
    assert.equal(await named('radio', 'Your own answer').isChecked(), false)
    await named('radio', 'Your own answer').check()
    assert.equal(await named('radio', 'Redis').isChecked(), false)
    await named('button', 'Send answer').click()
    assert.deepEqual(await answers(), [[{ id: 'store', selected: [], custom: 'SQLite' }]])
  })

  it('asks for what is missing, at the first place that misses something', async () => {
    await show()
    await named('button', 'Send answer').click()
    assert.deepEqual(await answers(), [])
    assert.equal(await opened.page.getByRole('alert').count(), 2, 'several options may also be none of them')
    assert.equal(await inFocus(), 'In memory')
    await named('radio', 'In memory').check()
    await press('Control+Enter')
    assert.equal(await inFocus(), 'Your own answer: Who decides on the numbers?')
    assert.equal(await named('textbox', 'Who decides').getAttribute('aria-invalid'), 'true')
    await type('Me')
    await press('Control+Enter')
    assert.deepEqual(await answers(), [
      [
        { id: 'store', selected: ['In memory'] },
        { id: 'routes', selected: [] },
        { id: 'owner', selected: [], custom: 'Me' },
      ],
    ])
  })

  it('is answered by keyboard alone, from the message box and back', async () => {
    await show()
    await opened.page.locator('message-composer .waiting button').focus()
    await press('Enter')
    assert.equal(await inFocus(), 'In memory')
    await press('ArrowDown')
    assert.equal(await named('radio', 'Redis').isChecked(), true)
    await press('Tab')
    assert.equal(await inFocus(), 'Your own answer: Where should the counters live?')
    await press('Tab')
    await press('Space')
    assert.equal(await named('checkbox', 'Search').isChecked(), true)
    for (let step = 0; step < 5; step++) await press('Tab')
    assert.equal(await inFocus(), 'Your own answer: Who decides on the numbers?')
    await type('Me')
    await press('Tab')
    assert.match(await inFocus(), /Dismiss/)
    await press('Tab')
    await press('Enter')
    assert.equal((await answers()).length, 1)
    const record = { ...answeredQuestion, id: 'tool-9' }
    await opened.send({ kind: 'upsert', items: [record] }, conversation({ running: true }))
    await until(async () => (await inFocus()) === 'Question of the agent', 'the record to have the keyboard')
  })

  it('says what was wrong with an answer and can be sent again', async () => {
    await show(single)
    await named('radio', 'Redis').check()
    await named('button', 'Send answer').click()
    await opened.send({
      kind: 'questionRefused',
      id: 'tool-9',
      text: 'The answer was refused: it has no option "Redis".',
    })
    assert.match(await opened.page.getByRole('alert').innerText(), /was refused/)
    assert.equal(await named('radio', 'Redis').isChecked(), true)
    await named('button', 'Send answer').click()
    assert.equal((await answers()).length, 2)
  })

  it('is dismissed', async () => {
    await show()
    await named('button', 'Dismiss').click()
    assert.deepEqual(await opened.posted('dismissQuestion'), [
      { kind: 'dismissQuestion', sessionId: 'session-1', id: 'tool-9' },
    ])
  })

  it('is heard by a screen reader when it comes, and not when it was there', async () => {
    await show()
    const status = opened.page.locator('[role=status]')
    assert.equal(await status.innerText(), '')
    await opened.send(conversation({ running: true }), asks({ ...single, id: 'tool-12' }))
    assert.equal(await status.innerText(), 'The agent asks: Where should the counters live?')
  })

  it('takes the focus only when the host asks', async () => {
    await show()
    assert.equal(await opened.page.evaluate('document.activeElement === document.body'), true)
    await opened.send({ kind: 'focusQuestion', id: 'tool-9' })
    assert.equal(await inFocus(), 'In memory')
  })

  it('keeps what is chosen and typed: with the host after a pause, with the page at once', async () => {
    await show()
    await named('radio', 'Redis').check()
    await named('textbox', 'Who decides').fill('Not lost')
    await opened.page.reload()
    await opened.waitForPosted('ready')
    await show()
    assert.equal(await named('radio', 'Redis').isChecked(), true)
    assert.equal(await named('textbox', 'Who decides').inputValue(), 'Not lost')
    await named('textbox', 'Who decides').fill('Not lost either')
    const drafts = await opened.waitForPosted('questionDraft')
    assert.deepEqual(drafts.at(-1)?.choices, [
      { id: 'store', selected: ['Redis'], custom: '', own: false },
      { id: 'routes', selected: [], custom: '', own: false },
      { id: 'owner', selected: [], custom: 'Not lost either', own: true },
    ])
  })

  it('takes what the host kept when that is later, and drops options that are not there any more', async () => {
    const kept = [{ id: 'store', selected: ['Redis', 'Gone'], custom: 'words', own: false }]
    await show({ ...openQuestion, kept, keptAt: Date.now() + 60_000 })
    assert.equal(await named('radio', 'Redis').isChecked(), true)
    assert.equal(await named('textbox', 'counters').inputValue(), 'words')
  })

  it('survives a look at another conversation', async () => {
    await show()
    await named('textbox', 'Who decides').fill('Half a thought')
    await opened.send({ kind: 'transcript', items: [] }, conversation({ sessionId: 'session-2' }))
    assert.equal(await card().count(), 0)
    await show()
    assert.equal(await named('textbox', 'Who decides').inputValue(), 'Half a thought')
  })

  it('hands words of a question that is gone to the host', async () => {
    await show()
    await named('textbox', 'Who decides').fill('Too late')
    await opened.send({ kind: 'upsert', items: [{ ...waitingQuestion, state: 'stopped' }] }, conversation())
    const drafts = await opened.waitForPosted('questionDraft')
    assert.match(JSON.stringify(drafts.at(-1)), /"sessionId":"session-1","id":"tool-9".*"custom":"Too late"/)
    await until(async () => (await inFocus()) === 'Question of the agent', 'the record to have the keyboard')
  })

  it('leaves a record: what was asked and answered, or that nobody waits any more', async () => {
    await opened.send(conversation(), { kind: 'transcript', items: [answeredQuestion, stoppedQuestion] })
    const [answered, stopped] = await opened.page.locator('transcript-entry.question').allInnerTexts()
    assert.match(answered ?? '', /Redis[\s\S]*Search\nExport\nand the login[\s\S]*None of the options[\s\S]*Answered/)
    assert.match(stopped ?? '', /Not waiting any more/)
    assert.equal(await opened.page.getByRole('button', { name: /Send answer|Dismiss/ }).count(), 0)
  })

  it('gives words that were never sent to the message box, after what stands there', async () => {
    await opened.send(conversation(), { kind: 'transcript', items: [stoppedQuestion] })
    await opened.page.locator('message-composer textarea').fill('By the way')
    await named('button', 'Put into the message').click()
    const both = 'By the way\n\nThe team that runs the gateway, I think'
    assert.equal(await opened.page.locator('message-composer textarea').inputValue(), both)
    assert.deepEqual((await opened.posted('draft')).at(-1), { kind: 'draft', sessionId: 'session-1', text: both })
    assert.deepEqual((await opened.posted('questionDraft')).at(-1)?.choices, [])
  })

  it('shows a plan to read, and nothing in it runs', async () => {
    const detail = '# The plan\n\n<img src=x onerror="window.owned=1">\n\n1. Step'
    await show({ ...single, questions: owner ? [{ ...owner, detail, options: [{ label: 'Approve' }] }] : [] })
    await card().getByRole('heading', { name: 'The plan' }).waitFor()
    assert.equal(await opened.page.evaluate('window.owned'), undefined)
    assert.equal(await card().locator('img').count(), 0)
  })

  it('shows a question that no entry stands for after all others', async () => {
    await opened.send(asks({ ...single, id: 'loose' }), { kind: 'transcript', items: [user] })
    assert.equal(
      await opened.page.locator('.log > :last-child').evaluate(element => element.localName),
      'question-card',
    )
  })
})
