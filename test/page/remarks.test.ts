// biome-ignore-all lint/performance/useDomNodeTextContent: Playwright's innerText is what a reader sees.
// Saying something of a plan: what is selected becomes a range of its source, and nothing typed is ever lost.
import assert from 'node:assert/strict'
import type { Locator } from 'playwright-core'
import { fromReview, type RemarkView } from '../../src/webview/review-messages.ts'
import { type Opened, PageStage, settled, until } from './support/open-page.ts'
import { plan, remark, remarks, review } from './support/samples.ts'

describe('remarks on a plan', function () {
  this.timeout(60_000)
  let stage: PageStage
  let opened: Opened
  before(async () => {
    stage = await PageStage.start()
  })
  after(() => stage.close())
  beforeEach(async () => {
    opened = await stage.open('review', { width: 1280, height: 800 })
    await opened.send(review(), remarks())
  })
  afterEach(async () => {
    for (const message of await opened.page.evaluate<unknown[]>('posted')) fromReview.parse(message)
    assert.deepEqual(await opened.faults(), [])
    await stage.clear()
  })

  const press = (key: string): Promise<void> => opened.page.keyboard.press(key)
  const card = (id: string): Locator => opened.page.locator(`#remark-${id}`)
  const text = (id: string): Locator => opened.page.getByRole('textbox', { name: `Text of remark ${id}` })
  const lastOf = async (kind: string): Promise<Record<string, unknown> | undefined> =>
    (await opened.posted(kind)).at(-1)
  const decisions = (): Promise<readonly Record<string, unknown>[]> => opened.posted('decide')
  const heard = (): Promise<string | null> => opened.page.locator('review-panel > [role=status]').textContent()
  const show = (markdown: string): Promise<void> => opened.send(review({ markdown, planHash: 'b' }))

  /** Selects the nth place of some words as they are drawn, and remarks on them; gives the source that was meant. */
  async function meant(markdown: string, words: string, nth = 0): Promise<string> {
    await show(markdown)
    await opened.page.evaluate(
      ([wanted, which]) => {
        const view = document.querySelector('markdown-view')
        const nodes: Text[] = []
        const walker = document.createTreeWalker(view ?? document.body, NodeFilter.SHOW_TEXT)
        while (walker.nextNode()) if (walker.currentNode instanceof Text) nodes.push(walker.currentNode)
        const all = nodes.map(({ data }) => data).join('')
        let at = -1
        for (let each = 0; each <= which; each++) at = all.indexOf(wanted, at + 1)
        if (at < 0) throw new Error(`${wanted} is not drawn: ${all}`)
        const place = (offset: number, isEnd: boolean): readonly [Text, number] => {
          let before = 0
          for (const node of nodes) {
            if (offset < before + node.length || (isEnd && offset === before + node.length))
              return [node, offset - before]
            before += node.length
          }
          throw new Error('beyond the text')
        }
        const range = document.createRange()
        range.setStart(...place(at, false))
        range.setEnd(...place(at + wanted.length, true))
        document.getSelection()?.removeAllRanges()
        document.getSelection()?.addRange(range)
      },
      [words, nth] as const,
    )
    await opened.page.getByRole('toolbar').waitFor()
    const before = (await opened.posted('addRemark')).length
    await press('c')
    const added = (await opened.waitForPosted('addRemark', before + 1)).at(-1)
    const { range, planHash } = fromReview.parse(added) as { range: { start: number; end: number }; planHash: string }
    assert.equal(planHash, 'b')
    return markdown.slice(range.start, range.end)
  }

  it('finds the source of what is selected, past every kind of markup', async () => {
    const cases: readonly (readonly [string, string, string, number?])[] = [
      ['First **count only**, then *refuse*.', 'count only, then refuse', 'count only**, then *refuse'],
      ['See [the end](the/end.md)end, the end.', 'end', 'end', 1],
      ['A `code span` here', 'span here', 'span` here'],
      ['Use \\*stars\\* and Q&amp;A &lt;x&gt;', 'stars* and Q&A', 'stars\\* and Q&amp;A'],
      ['# Title\n\npar one\npar two', 'one\npar', 'one\npar'],
      ['- [x] x marks\n- [ ] x again', 'x', 'x', 1],
      ['1. 1 apple\n2. 2 pears', '2', '2'],
      ['| a | b |\n| - | - |\n| a | **b** |', 'b', 'b', 1],
      ['```ts\nts.run(1)\n```', 'ts', 'ts'],
      ['> quoted\n> - deep *item*', 'deep item', 'deep *item'],
      ['same words\n\nsame words\n\nsame words', 'same words', 'same words', 2],
      ['see ![alt text](a.png) after alt', 'after alt', 'after alt'],
      ['one\r\n\r\ntwo **three**', 'three', 'three'],
      ['hid\u202eden word', 'word', 'word'],
    ]
    for (const [markdown, words, source, nth] of cases)
      assert.equal(await meant(markdown, words, nth), source, markdown)
  })

  it('puts the range on the very place that was selected', async () => {
    const places: readonly (readonly [string, string, number, number])[] = [
      ['See [the end](the/end.md)end, the end.', 'end', 1, 25],
      ['- [x] x marks\n- [ ] x again', 'x', 1, 20],
      ['| a | b |\n| - | - |\n| a | **b** |', 'b', 1, 28],
      ['```ts\nts.run(1)\n```', 'ts', 0, 6],
      ['same words\n\nsame words\n\nsame words', 'same', 2, 24],
    ]
    for (const [markdown, words, nth, start] of places) {
      await meant(markdown, words, nth)
      const { range } = (await lastOf('addRemark')) ?? {}
      assert.equal((range as { start: number } | undefined)?.start, start, markdown)
    }
  })

  it('offers four ways to say something on a selection, by pointer and by key', async () => {
    await opened.page
      .locator('main h2')
      .first()
      .dblclick({ position: { x: 12, y: 12 } })
    const bar = opened.page.getByRole('toolbar')
    assert.deepEqual(await bar.getByRole('button').allInnerTexts(), ['Remark', 'Question', 'Remove this', 'Looks good'])
    await bar.getByRole('button', { name: 'Question' }).click()
    const { remark: kind, range } = (await lastOf('addRemark')) ?? {}
    const { start, end } = range as { start: number; end: number }
    assert.deepEqual([kind, plan.slice(start, end)], ['question', 'Steps'])
    await bar.waitFor({ state: 'detached' })
    for (const [key, said] of [
      ['q', 'question'],
      ['x', 'remove'],
      ['g', 'good'],
    ] as const) {
      await press(key)
      assert.equal((await lastOf('addRemark'))?.remark, said)
    }
  })

  it('remarks on a paragraph by the mark beside it, and by the keyboard alone', async () => {
    const range = async (): Promise<string> => {
      const found = (await lastOf('addRemark'))?.range as { start: number; end: number }
      return plan.slice(found.start, found.end)
    }
    await opened.page.locator('main h2').first().hover()
    await opened.page.locator('.gutter').click()
    assert.equal(await range(), '## Steps')
    await opened.page.locator('main').focus()
    await press('k')
    await press('k')
    await press('k')
    await press('j')
    await press('c')
    assert.match(await range(), /^Requests to/)
    await press('k')
    await press('j')
    for (let word = 0; word < 2; word++) await press('Control+Shift+ArrowRight')
    await opened.page.getByRole('toolbar').waitFor()
    await press('c')
    assert.match(await range(), /^Requests to/)
    assert.ok((await range()).length < 30)
  })

  it('puts the focus into a new remark and posts what is typed after a pause', async () => {
    await opened.page.locator('main').focus()
    await press('c')
    await opened.waitForPosted('addRemark')
    await opened.send(remarks(remark('C1', { text: '' })))
    await until(() => text('C1').evaluate(box => box === document.activeElement), 'the focus')
    assert.match((await heard()) ?? '', /^Remark 1 of 1, under Rollout$/)
    await opened.page.keyboard.type('Two weeks.')
    await opened.waitForPosted('editRemark')
    assert.deepEqual(await lastOf('editRemark'), { kind: 'editRemark', id: 'C1', text: 'Two weeks.' })
    await opened.send(remarks(remark('C1', { text: 'Two' })))
    assert.equal(await text('C1').inputValue(), 'Two weeks.', 'an older text from the host takes nothing away')
  })

  it('holds what was typed over a reload until the host says that it is kept', async () => {
    await opened.send(remarks(remark('C1', { text: 'Two' })))
    await text('C1').fill('Two weeks, not one.')
    await opened.page.reload()
    await opened.waitForPosted('ready')
    await opened.send(review(), remarks(remark('C1', { text: 'Two' })))
    assert.equal(await text('C1').inputValue(), 'Two weeks, not one.')
    await opened.waitForPosted('editRemark')
    await opened.send({ kind: 'kept', id: 'C1', text: 'Two weeks, not one.' })
    const saved = (await opened.savedState()) as { remarks: unknown }
    assert.deepEqual(saved.remarks, {})
  })

  it('holds notes over a reload that the host has not said are kept, whatever its clock says', async () => {
    await opened.page.locator('footer textarea').fill('not yet posted')
    await opened.page.reload()
    await opened.waitForPosted('ready')
    await opened.send(review(), { kind: 'draft', reviewId: 'review-2', text: 'older', at: 9e12 })
    assert.equal(await opened.page.locator('footer textarea').inputValue(), 'not yet posted')
    assert.equal((await lastOf('draft'))?.text, 'not yet posted')
  })

  it('shows state, fate and the claim of each remark, and what can be done about it', async () => {
    await opened.send(remarks(...said))
    assert.match(await card('C1').innerText(), /C1\s+Remark · Rollout · changed here[\s\S]*Agent: done, step 4/)
    assert.match(await card('C2').innerText(), /Question · Steps · unchanged/)
    assert.match(await card('C3').innerText(), /text gone/)
    assert.match(await card('C4').innerText(), /in several places/)
    assert.match(await card('C5').innerText(), /Looks good · whole plan · resolved/)
    assert.match(await card('C6').innerText(), /not sent/)
    const act = (id: string, name: string): Promise<void> => card(id).getByRole('button', { name, exact: true }).click()
    await act('C1', 'Resolve')
    await act('C2', 'Send again')
    await act('C5', 'Reopen')
    await act('C6', 'Remove')
    assert.deepEqual(
      (await opened.posted('turnRemark')).map(({ id, to }) => [id, to]),
      [
        ['C1', 'resolved'],
        ['C2', 'again'],
        ['C5', 'open'],
        ['C6', 'removed'],
      ],
    )
  })

  it('marks the words of remarks in the plan, and leads from one to the other', async () => {
    await opened.send(remarks(...said))
    const marked: string[] = await opened.page.evaluate(() =>
      [...(CSS.highlights.get('remark') ?? [])].map(range => String(range)),
    )
    assert.ok(marked.includes('count only'), marked.join())
    await opened.page.locator('main strong').click()
    assert.equal(await card('C1').evaluate(found => found === document.activeElement), true)
    await opened.page.evaluate(`document.querySelector('main').scrollTop = 0`)
    await card('C1').locator('.quote').click()
    await until(
      () => opened.page.evaluate(`document.querySelector('main strong').getBoundingClientRect().top < innerHeight`),
      'the words in view',
    )
  })

  it('goes through the remarks in the order of the plan with N and P', async () => {
    await opened.send(remarks(...said))
    await opened.page.locator('main').focus()
    await press('n')
    assert.match((await heard()) ?? '', /^Remark 1 of 6, under Steps$/)
    await press('n')
    assert.match((await heard()) ?? '', /^Remark 2 of 6, under Rollout$/)
    await press('p')
    assert.equal(await card('C2').evaluate(found => found === document.activeElement), true)
    await opened.send({ kind: 'act', act: 'previousRemark' })
    assert.match((await heard()) ?? '', /^Remark 6 of 6/)
  })

  it('takes an empty remark back with Escape, and a written one never', async () => {
    await opened.send(remarks(remark('C1', { text: '' }), remark('C2', { text: 'Stay.' })))
    await text('C1').press('Escape')
    await text('C2').press('Escape')
    assert.deepEqual(
      (await opened.posted('turnRemark')).map(({ id }) => id),
      ['C1'],
    )
  })

  it('makes Keep planning primary while remarks are unsent, and says how many', async () => {
    await opened.send(remarks(...said))
    assert.match(await opened.page.locator('#keep').innerText(), /Keep planning \(1 remark\)/)
    assert.equal(await opened.page.locator('#approve').getAttribute('secondary'), '')
    await text('C6').fill('More.')
    await text('C6').press('Control+Enter')
    assert.deepEqual(await lastOf('editRemark'), { kind: 'editRemark', id: 'C6', text: 'More.' })
    assert.equal((await decisions())[0]?.decision, 'kept')
  })

  it('asks before it approves while remarks are unsent; they go along only when that is said', async () => {
    await opened.send(remarks(...said))
    await opened.page.locator('#approve').click()
    assert.deepEqual(await decisions(), [])
    assert.match(await opened.page.locator('footer').innerText(), /Not sent yet: 1 remark\./)
    await opened.page.getByRole('button', { name: 'Approve with it as notes' }).press('Enter')
    assert.deepEqual(await decisions(), [{ ...decide, decision: 'approved', said: true }])
  })

  it('offers every way to approve in a menu, none chosen beforehand, by keyboard', async () => {
    await opened.send(review({ fresh: { here: 24_000, plan: 500 } }))
    await opened.page.locator('#approve-menu').focus()
    await press('ArrowDown')
    await until(() => opened.page.evaluate(`document.activeElement.id === 'choose-start'`), 'the menu')
    const labels = await opened.page.locator('[role=menuitem] b').allInnerTexts()
    assert.deepEqual(labels, [
      'Approve and start',
      'Approve with notes',
      'Approve, fresh conversation with only the plan',
      'Approve and save for later',
      'Leave plan mode without approving',
    ])
    assert.match(
      await opened.page.locator('#choose-fresh').innerText(),
      /about 500 tokens; this conversation has 24,000/,
    )
    assert.equal(await opened.page.locator('#choose-notes').getAttribute('aria-disabled'), 'true')
    await press('Escape')
    await until(() => opened.page.evaluate(`document.activeElement.id === 'approve-menu'`), 'the button again')
    await press('ArrowDown')
    await until(() => opened.page.evaluate(`document.activeElement.id === 'choose-start'`), 'the menu')
    await press('End')
    await press('ArrowUp')
    await press('Enter')
    assert.deepEqual(await decisions(), [{ ...decide, decision: 'approved', next: 'save' }])
  })

  it('offers no fresh conversation where none can be started, and leaves plan mode without a decision', async () => {
    await opened.page.locator('#approve-menu').click()
    assert.equal(await opened.page.locator('#choose-fresh').count(), 0)
    await opened.page.locator('#choose-leave').click()
    assert.equal((await opened.posted('leave')).length, 1)
    assert.deepEqual(await decisions(), [])
  })

  it('approves the plan as it was edited under the hash of the edits that were shown', async () => {
    await opened.send({ kind: 'remarks', reviewId: 'review-2', remarks: [], editedHash: 'e' })
    await opened.page.locator('#approve-menu').click()
    await opened.page.getByRole('menuitem', { name: /^Approve with these edits/ }).click()
    assert.deepEqual(await decisions(), [{ ...decide, decision: 'approved', said: true, editedHash: 'e' }])
  })

  it('asks once before a command of the window approves', async () => {
    for (const act of ['approve', 'save', 'approveWithNotes'] as const) {
      await opened.send({ kind: 'act', act })
      assert.match(await opened.page.locator('footer').innerText(), /Approve the plan as it is shown/)
      await press('Escape')
    }
    assert.deepEqual(await decisions(), [])
  })

  it('shows an older revision to be read, with its remarks, and leads back', async () => {
    await opened.page.locator('select.revision').selectOption('review-1')
    assert.deepEqual(await lastOf('showRevision'), { kind: 'showRevision', reviewId: 'review-1' })
    const older = review({ reviewId: 'review-1', planHash: 'z', revision: 1, older: true, state: 'kept' })
    await opened.send(older, { ...remarks(said[0] as RemarkView), reviewId: 'review-1' })
    assert.match(await opened.page.locator('footer').innerText(), /older revision/)
    assert.equal(await opened.page.locator('footer textarea, #approve').count(), 0)
    assert.equal(await card('C1').getByRole('button', { name: 'Resolve' }).count(), 0)
    await opened.page.getByRole('button', { name: 'Show the latest' }).click()
    assert.deepEqual(await lastOf('showRevision'), { kind: 'showRevision', reviewId: null })
  })

  it('keeps the text that was sent back readable while the agent revises it', async () => {
    await opened.send(review({ state: 'kept', revising: true }))
    assert.match(await opened.page.locator('.banner').innerText(), /The agent is revising/)
    assert.equal(await opened.page.locator('main h1').innerText(), 'Rate limiting for the public API')
  })

  it('has the remarks in a drawer where the page is narrow', async () => {
    await opened.page.setViewportSize({ width: 600, height: 700 })
    await opened.send(remarks(...said))
    assert.equal(await card('C1').isVisible(), false)
    await opened.page.locator('#remarks-toggle').click()
    assert.equal(await card('C1').isVisible(), true)
    await press('Escape')
    assert.equal(await card('C1').isVisible(), false)
    await press('n')
    await until(() => card('C2').isVisible(), 'the drawer')
    await settled(opened.page)
  })

  const decide = { kind: 'decide', reviewId: 'review-2', planHash: 'a'.repeat(64), feedback: '' }
  const at = (words: string): { start: number; end: number } => {
    const start = plan.indexOf(words)
    return { start, end: start + words.length }
  }
  const said: readonly RemarkView[] = [
    remark('C1', { state: 'open', fate: 'changed', text: 'Two weeks.', claim: 'done, step 4' }),
    remark('C2', {
      kind: 'question',
      quote: 'one bucket per key',
      under: 'Steps',
      range: at('one bucket per key'),
      state: 'open',
      fate: 'unchanged',
    }),
    remark('C3', { state: 'open', fate: 'gone', range: null }),
    remark('C4', { state: 'open', fate: 'unclear', range: null }),
    remark('C5', { kind: 'good', quote: null, range: null, state: 'resolved' }),
    remark('C6', { quote: 'then', range: null }),
  ]
})
