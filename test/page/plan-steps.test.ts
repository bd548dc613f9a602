// The approved plan in the conversation view: state in words, folding and diffs by keyboard, the closing check.
import assert from 'node:assert/strict'
import { type Opened, PageStage, settled } from './support/open-page.ts'
import { checked, conversation, pinned } from './support/samples.ts'

describe('the pinned plan', function () {
  this.timeout(60_000)
  let stage: PageStage
  before(async () => {
    stage = await PageStage.start()
  })
  after(() => stage.close())
  afterEach(() => stage.clear())

  async function shown(plan: Parameters<typeof conversation>[0]): Promise<Opened> {
    const opened = await stage.open('conversation', { height: 900 })
    await opened.send(conversation(plan))
    return opened
  }

  const lines = (opened: Opened): Promise<string[]> =>
    opened.page.evaluate(
      `[...document.querySelectorAll('plan-steps ol > li')].map(li => li.innerText.replace(/\\s+/g, ' ').trim())`,
    )

  it('says of each step what its state is, in words', async () => {
    const opened = await shown({ plan: pinned, running: true })
    assert.deepEqual(await lines(opened), [
      'Write the token bucket done +84 −0',
      'Wire it into the router running +9 −2 src/http/router.ts +9 −2',
      'Count requests per key skipped The bucket counts already.',
      'Say in docs/limits.md how limits are set not started',
    ])
    await opened.page.getByRole('button', { name: 'Rate limiting for the public API 2 of 4 steps' }).waitFor()
    assert.deepEqual(await opened.faults(), [])
  })

  it('opens the diff of a file by keyboard alone', async () => {
    const { page, waitForPosted } = await shown({ plan: pinned, running: true })
    await page.getByRole('button', { name: /^Write the token bucket/ }).focus()
    await page.keyboard.press('Enter')
    const file = page.getByRole('button', { name: /^src\/limits\/limiter\.ts/ })
    await file.waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    const [posted] = await waitForPosted('showLoggedChange')
    assert.deepEqual(posted, { kind: 'showLoggedChange', path: 'src/limits/limiter.ts', refs: [{ seq: 12 }] })
  })

  it('folds away, and stays so while steps advance', async () => {
    const opened = await shown({ plan: pinned })
    const head = opened.page.getByRole('button', { name: /^Rate limiting for the public API 2 of/ })
    await head.click()
    assert.equal(await opened.page.locator('plan-steps .body').count(), 0)
    const steps = pinned.steps.map(step => ({ ...step, state: 'done' as const }))
    await opened.send(conversation({ plan: { ...pinned, steps } }))
    await opened.page.getByRole('button', { name: /4 of 4 steps$/ }).waitFor()
    assert.equal(await opened.page.locator('plan-steps .body').count(), 0)
  })

  it('compares steps and files at the end, and closes or drops the plan', async () => {
    const { page, waitForPosted } = await shown({ plan: checked })
    const card = page.getByRole('group', { name: 'Plan check' })
    await card.getByText('The agent says: 1 done, 1 partly done, 1 untouched, 1 skipped.').waitFor()
    await card.getByText('Changed, though the plan does not name it:').waitFor()
    await card.getByRole('button', { name: /^package\.json/ }).waitFor()
    await card.getByRole('button', { name: 'Close plan' }).click()
    await card.getByRole('button', { name: 'Drop plan' }).click()
    const posted = await waitForPosted('command', 2)
    assert.deepEqual(
      posted.map(({ command }) => command),
      ['planMode.closePlan', 'planMode.dropPlan'],
    )
  })

  it('shows no markup and no hidden direction marks of a plan or a note, and leaves buttons out where nothing can be written', async () => {
    const hostile = { ...pinned.steps[0], id: '1', title: '<img src=x onerror=alert(1)> \u202egpj', note: '<b>x</b>' }
    const steps = [{ ...hostile, state: 'done' as const, files: [] }]
    const opened = await shown({
      plan: { ...checked, steps, title: '<script>alert(1)</script>' },
      readOnly: 'Elsewhere.',
    })
    await settled(opened.page)
    assert.equal(await opened.page.locator('plan-steps img, plan-steps script, plan-steps b').count(), 0)
    assert.equal((await lines(opened))[0]?.includes('\u202e'), false)
    assert.equal(await opened.page.getByRole('button', { name: 'Close plan' }).count(), 0)
    assert.deepEqual(await opened.faults(), [])
  })
})
