// biome-ignore-all lint/performance/useDomNodeTextContent: Playwright's innerText is what a reader sees.
// The conversation view as a person meets it: header, transcript, cards, banners.
import assert from 'node:assert/strict'
import { fromConversation } from '../../src/webview/messages.ts'
import type { Item } from '../../src/webview/transcript-messages.ts'
import { type Opened, PageStage, settled, until } from './support/open-page.ts'
import { afterApproval, conversation, forkedWalk, programWalk, summarised, tool, walk } from './support/samples.ts'

describe('conversation view', function () {
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

  const text = (selector: string): Promise<string> => opened.page.locator(selector).innerText()
  const show = (...items: readonly Item[]): Promise<void> =>
    opened.send(conversation(), { kind: 'transcript', items: [...items] })
  const distanceFromEnd = (): Promise<number> =>
    opened.page.evaluate(() => {
      const area = document.querySelector('.scroll')
      return area ? area.scrollHeight - area.scrollTop - area.clientHeight : Number.NaN
    })
  const long = (from: number, count: number): Item[] =>
    Array.from({ length: count }, (_, index) => ({
      kind: 'user',
      id: `l${from + index}`,
      text: `Line ${from + index}\nmore`,
    }))

  it('tells the mode in words, and a click toggles it', async () => {
    const chip = opened.page.locator('.chip')
    for (const [active, pending, words] of [
      [true, false, 'Plan on · guided'],
      [false, false, 'Plan off'],
      [false, true, 'Plan on at next step'],
      [true, true, 'Plan off at next step'],
    ] as const) {
      await opened.send(conversation({ mode: { active, pending } }))
      assert.equal((await chip.innerText()).trim(), words)
      assert.equal(await chip.getAttribute('aria-pressed'), String(active))
    }
    await chip.click()
    assert.equal((await opened.posted('toggleMode')).length, 1)
  })

  it('opens the picker by the title, and tells model and context use', async () => {
    await opened.send(conversation())
    await opened.page.getByRole('button', { name: 'Rate limiting' }).click()
    assert.deepEqual(await opened.posted('command'), [{ kind: 'command', command: 'planMode.openConversation' }])
    const meter = opened.page.getByRole('meter')
    assert.match((await meter.getAttribute('aria-valuetext')) ?? '', /^31 % of the model's window/)
    const [whole, filled] = await opened.page.evaluate(() =>
      ['.bar', '.bar > i'].map(selector => document.querySelector(selector)?.getBoundingClientRect().width ?? 0),
    )
    assert.ok(Math.abs((filled ?? 0) / (whole ?? 1) - 0.31) < 0.01)
  })

  it('offers to choose a model while none is ready', async () => {
    await opened.send(conversation({ model: { label: 'No model', ready: false } }))
    await opened.page.getByRole('button', { name: 'No model' }).click()
    assert.deepEqual(await opened.posted('command'), [{ kind: 'command', command: 'planMode.chooseModel' }])
  })

  it('tells where the conversation was summarised, and opens to the summary', async () => {
    await show(...summarised)
    const fold = opened.page.locator('transcript-entry.compaction .fold')
    assert.equal((await fold.innerText()).trim(), '42 messages summarised, about 31,400 tokens')
    assert.equal(await fold.getAttribute('aria-expanded'), 'false')
    assert.equal(await opened.page.locator('transcript-entry.compaction markdown-view').count(), 0)
    await fold.press('Enter')
    assert.equal(await fold.getAttribute('aria-expanded'), 'true')
    assert.equal(await opened.page.getByRole('heading', { name: 'What is known' }).count(), 1)
    const others = await opened.page.locator('transcript-entry.compaction').allInnerTexts()
    assert.match(others[1] ?? '', /Not summarised\. The model gave an empty summary\./)
    assert.match(others[2] ?? '', /Summarising the conversation…/)
  })

  it('folds tool calls, shows failed ones, and opens to input and output', async () => {
    await show(...walk)
    const fold = opened.page.locator('tool-group > .fold')
    assert.equal((await fold.innerText()).trim(), 'Read 3 files · searched once')
    assert.equal(await opened.page.locator('.tool').count(), 1)
    assert.match(await text('.tool.failed'), /Read src\/missing\.ts\s*failed/)
    await fold.click()
    assert.equal(await opened.page.locator('.tool').count(), 4)
    assert.equal(await fold.getAttribute('aria-expanded'), 'true')
    await opened.page.locator('.tool .fold').first().click()
    assert.match(await text('.details'), /Input[\s\S]*src\/http\/router\.ts[\s\S]*Output/)
  })

  it('keeps an opened tool open while it goes on, and asks for its diff', async () => {
    const running = tool('t1', 'edit_file', 'Edit a.ts', { status: 'running', output: '' })
    await show(running)
    await opened.page.locator('.tool .fold').click()
    await opened.send({
      kind: 'upsert',
      items: [{ ...running, status: 'done', output: 'Edited', change: { path: 'a.ts', added: 2, removed: 1 } }],
    })
    assert.match(await text('.details'), /Edited/)
    assert.match(await text('.tool'), /\+2 −1/)
    await opened.page.getByRole('button', { name: 'Show diff' }).click()
    assert.deepEqual(await opened.posted('showChange'), [{ kind: 'showChange', id: 't1' }])
  })

  it('shows a program with the calls it made, and its code, by keyboard', async () => {
    await show(...programWalk)
    const { page } = opened
    const group = page.locator('tool-group').first()
    assert.match(await group.innerText(), /Ran 1 program · read 2 files/)
    await group.locator('> .fold').press('Enter')
    assert.deepEqual(await group.locator('.tool.inner .name').allInnerTexts(), ['Read a.ts', 'Read b.ts'])
    assert.equal(await page.locator('.tool.inner').count(), 3, 'also behind an approval')
    assert.equal(await page.locator('.details').count(), 0, 'the code is folded')
    await group.locator('.tool .fold').first().press('Enter')
    const code = group.locator('.details .program pre')
    assert.match(await code.innerText(), /^const paths: string\[\][\s\S]*'```'\nreturn texts\.length$/m)
    assert.ok((await code.locator('.hljs-keyword').count()) > 2)
    assert.equal(await code.getAttribute('tabindex'), '0')
    assert.match(await group.locator('.details').innerText(), /Program[\s\S]*Input[\s\S]*count the routes[\s\S]*Output/)
  })

  it('streams Markdown: the blocks before the growing one stay the same nodes', async () => {
    const start: Item = { kind: 'assistant', id: 'a', text: '# One\n\nTwo\n\nThr', streaming: true, interrupted: false }
    await show(start)
    await opened.page.evaluate(`window.heading = document.querySelector('markdown-view h1')`)
    await opened.send({ kind: 'delta', id: 'a', text: 'ee **fo' }, { kind: 'delta', id: 'a', text: 'ur**\n\n- five' })
    assert.equal(await opened.page.evaluate(`heading.isConnected && heading === document.querySelector('h1')`), true)
    assert.equal(await text('markdown-view strong'), 'four')
    assert.equal(await text('markdown-view li'), 'five')
  })

  it('draws once a frame, however many deltas come', async () => {
    await show({ kind: 'assistant', id: 'a', text: '', streaming: true, interrupted: false })
    const drawn = await opened.page.evaluate(async () => {
      let changes = 0
      let frames = 0
      new MutationObserver(() => changes++).observe(document.querySelector('markdown-view') ?? document.body, {
        childList: true,
        subtree: true,
      })
      const count = (): void => {
        frames++
        requestAnimationFrame(count)
      }
      requestAnimationFrame(count)
      for (let index = 0; index < 200; index++) {
        window.postMessage({ kind: 'delta', id: 'a', text: `word ${index} ` })
        await new Promise(resolve => setTimeout(resolve))
      }
      await new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))
      return { changes, frames }
    })
    assert.ok(drawn.changes > 0 && drawn.changes <= drawn.frames, JSON.stringify(drawn))
    assert.match(await text('markdown-view'), /word 199/)
  })

  it('says a streamed message once it is complete, not token by token', async () => {
    const log = opened.page.getByRole('log')
    const message: Item = { kind: 'assistant', id: 'a', text: 'Hel', streaming: true, interrupted: false }
    await show(message)
    assert.equal(await log.getAttribute('aria-live'), 'polite')
    assert.equal(await log.getAttribute('aria-busy'), 'true')
    await opened.send({ kind: 'upsert', items: [{ ...message, text: 'Hello', streaming: false }] })
    assert.equal(await log.getAttribute('aria-busy'), 'false')
  })

  it('says that a plan or an approval waits', async () => {
    await show(walk[0] ?? assert.fail())
    await opened.send({ kind: 'upsert', items: [walk.at(-1) ?? assert.fail()] })
    assert.equal(
      await opened.page.locator('conversation-view > [role=status]').textContent(),
      'A plan is ready for review: Rate limiting for the public API',
    )
  })

  it('answers an approval once, and shows its warning and diff', async () => {
    await show(...afterApproval)
    const card = opened.page.getByRole('group', { name: 'Approval: Write .vscode/settings.json' })
    assert.match(await card.innerText(), /Files in \.vscode change how this window behaves/)
    await card.getByRole('button', { name: 'Show diff' }).click()
    await card.getByRole('button', { name: 'Allow' }).dblclick()
    assert.deepEqual(await opened.posted('showChange'), [{ kind: 'showChange', id: 'ap2' }])
    assert.deepEqual(await opened.posted('answerApproval'), [{ kind: 'answerApproval', id: 'ap2', allow: true }])
  })

  it('rejects by keyboard', async () => {
    await show(...afterApproval)
    await opened.page.getByRole('button', { name: 'Reject' }).focus()
    await opened.page.keyboard.press('Enter')
    assert.deepEqual(await opened.posted('answerApproval'), [{ kind: 'answerApproval', id: 'ap2', allow: false }])
    await opened.send({
      kind: 'upsert',
      items: [{ kind: 'approval', id: 'ap2', title: 'Write .vscode/settings.json', state: 'rejected' }],
    })
    assert.equal(await opened.page.evaluate(`document.activeElement.classList.contains('card')`), true)
  })

  it('shows plan cards with their state, and opens the waiting one', async () => {
    await show(...walk)
    const old = opened.page.locator('.card.old')
    assert.match(await old.innerText(), /revision 1 · Sent back with your feedback[\s\S]*Inject the clock, no timers\./)
    const card = opened.page.getByRole('group', { name: 'Plan · revision 2' })
    assert.match(await card.innerText(), /Waiting for your review/)
    await card.getByRole('button', { name: 'Review' }).click()
    assert.deepEqual(await opened.posted('openReview'), [{ kind: 'openReview', reviewId: 'review-2' }])
  })

  it('shows commands, separators, notices and where an answer was stopped', async () => {
    await show(...afterApproval)
    assert.match(await text('.command.success'), /\/plan off\s+Plan mode ends at the next step\./)
    assert.match(await text('.command.error'), /There is no command named plam/)
    assert.equal(await text('.separator'), 'Plan mode off')
    assert.match(await text('.notice.error'), /could not be reached/)
    assert.match(await text('transcript-entry.assistant'), /Stopped here/)
  })

  it('stays at the end while text comes, and not when the reader scrolled up', async () => {
    await show(...long(0, 40))
    assert.ok((await distanceFromEnd()) < 2)
    await opened.send({ kind: 'upsert', items: long(40, 5) })
    assert.ok((await distanceFromEnd()) < 2)
    assert.equal(await opened.page.locator('.jump').count(), 0)

    await opened.page.evaluate(`document.querySelector('.scroll').scrollTop = 100`)
    await settled(opened.page)
    await opened.send({ kind: 'upsert', items: long(45, 5) })
    assert.equal(await opened.page.evaluate(`document.querySelector('.scroll').scrollTop`), 100)
    await opened.page.getByRole('button', { name: 'Jump to latest' }).click()
    await settled(opened.page)
    assert.ok((await distanceFromEnd()) < 2)
    assert.equal(await opened.page.locator('.jump').count(), 0)
  })

  it('stays at the end when the view becomes narrower', async () => {
    await show(...walk, ...long(0, 20))
    await opened.page.setViewportSize({ width: 240, height: 500 })
    await settled(opened.page)
    await until(async () => (await distanceFromEnd()) < 2, 'the end')
    assert.equal(await opened.page.locator('.jump').count(), 0)
  })

  it('shows earlier entries without moving what is read', async () => {
    await opened.send(conversation({ earlier: 40 }), { kind: 'transcript', items: long(40, 40) })
    await opened.page.evaluate(`document.querySelector('.scroll').scrollTop = 0`)
    await settled(opened.page)
    await opened.page.getByRole('button', { name: 'Show earlier (40)' }).click()
    assert.equal((await opened.posted('loadEarlier')).length, 1)
    const top = (): Promise<number> =>
      opened.page.evaluate(() => {
        const row = [...document.querySelectorAll('[data-row]')].find(found => found.textContent?.includes('Line 40'))
        return row?.getBoundingClientRect().top ?? Number.NaN
      })
    const before = await top()
    await opened.send({ kind: 'prepend', items: long(0, 40) })
    assert.ok(Math.abs((await top()) - before) < 2)
    assert.equal(await opened.page.locator('[data-row]').count(), 80)
  })

  it('says what it does while it works', async () => {
    await opened.send(conversation({ running: true }), { kind: 'transcript', items: [...walk] })
    assert.equal((await text('.activity')).trim(), 'Working')
    await opened.send(conversation({ running: true, activity: 'Trying again in 2 s' }))
    assert.equal((await text('.activity')).trim(), 'Trying again in 2 s')
  })

  it('opens links and files through the host and never navigates', async () => {
    const message = '[web](https://example.com/a) and [file](./src/a.ts#L3) and `src/b/c.ts:12`'
    await show({ kind: 'assistant', id: 'a', text: message, streaming: false, interrupted: false })
    await opened.page.getByRole('link', { name: 'web' }).click()
    await opened.page.getByRole('link', { name: 'web' }).click({ modifiers: ['ControlOrMeta'] })
    await opened.page.getByRole('link', { name: 'file' }).click()
    await opened.page.getByRole('link', { name: 'src/b/c.ts:12' }).press('Enter')
    const link = { kind: 'openLink', href: 'https://example.com/a' }
    assert.deepEqual(await opened.posted('openLink'), [link, link])
    assert.deepEqual(await opened.posted('openFile'), [
      { kind: 'openFile', path: 'src/a.ts' },
      { kind: 'openFile', path: 'src/b/c.ts' },
    ])
    assert.equal(await opened.page.getByRole('link', { name: 'web' }).getAttribute('title'), 'https://example.com/a')
  })

  describe('a finished turn', () => {
    const forks = () => opened.page.getByRole('button', { name: 'Fork from here' })
    const opacity = (index: number): Promise<string> =>
      forks()
        .nth(index)
        .evaluate(found => getComputedStyle(found.closest('.turn-end') ?? found).opacity)

    it('offers to fork there, quietly: seen on hover and on focus', async () => {
      await show(...forkedWalk)
      assert.equal(await forks().count(), 2, 'the open turn offers nothing')
      assert.deepEqual([await opacity(0), await opacity(1)], ['0', '0'])
      await opened.page.getByText('src/config.ts').hover()
      await until(async () => (await opacity(0)) === '1', 'the button to be seen on hover')
      assert.equal(await opacity(1), '0')
      await forks().nth(1).focus()
      await until(async () => (await opacity(1)) === '1', 'the button to be seen on focus')
      assert.match((await forks().nth(1).getAttribute('title')) ?? '', /end of turn 2/)
    })

    it('is forked by a click, and by the keyboard alone', async () => {
      await show(...forkedWalk)
      await opened.page.getByText('src/config.ts').hover()
      await forks().first().click()
      await forks().first().press('Tab')
      assert.equal(
        await opened.page
          .locator('.tool .fold')
          .first()
          .evaluate(found => found === document.activeElement),
        true,
      )
      await opened.page.keyboard.press('Tab')
      assert.equal(
        await forks()
          .nth(1)
          .evaluate(found => found === document.activeElement),
        true,
      )
      await opened.page.keyboard.press('Enter')
      assert.deepEqual(await opened.posted('fork'), [
        { kind: 'fork', sessionId: 'session-1', turn: 1 },
        { kind: 'fork', sessionId: 'session-1', turn: 2 },
      ])
    })

    it('can be forked where the conversation is only read', async () => {
      await opened.send(conversation({ readOnly: 'Another window writes this conversation.' }), {
        kind: 'transcript',
        items: [...forkedWalk],
      })
      await forks().first().press('Enter')
      assert.equal((await opened.posted('fork')).length, 1)
    })

    it('ends its group of tool calls, and offers itself as soon as it has ended', async () => {
      const [one, two] = [tool('t1', 'read_file', 'Read a.ts'), tool('t2', 'read_file', 'Read b.ts')]
      await show(one)
      assert.equal(await forks().count(), 0)
      await opened.send({ kind: 'upsert', items: [{ ...one, turn: 1 }, two] })
      assert.equal(await opened.page.locator('tool-group').count(), 2)
      assert.equal(await forks().count(), 1)
    })

    it('of a parent is told apart from the fork’s own', async () => {
      await show(...forkedWalk)
      const order = await opened.page.evaluate(() =>
        [...document.querySelectorAll('.separator, .you')].map(found => found.textContent?.trim()),
      )
      assert.deepEqual(
        order.map(line => line?.includes('Forked here') ?? false),
        [false, false, true, false],
      )
      const mark = opened.page.locator('transcript-entry.fork')
      assert.equal(await mark.evaluate(found => getComputedStyle(found).opacity), '1')
    })
  })

  describe('explorers', () => {
    it('show what they do while they work, and stay in sight when they are back', async () => {
      await show(...forkedWalk)
      const group = opened.page.locator('tool-group').last()
      assert.match(await group.innerText(), /Sent out 2 explorers[\s\S]*refused[\s\S]*callers of the limiter/)
      assert.equal((await text('.explorer .dim')).trim(), 'Read src/http/middleware/limits-and-quotas.ts · 4 calls')
      const back = forkedWalk.at(-1)
      assert.ok(back?.kind === 'tool')
      const explorer = { sessionId: 'child-2', activity: null }
      await opened.send({ kind: 'upsert', items: [{ ...back, status: 'done', output: 'report', explorer }] })
      assert.equal(await opened.page.locator('.explorer .dim').count(), 0)
      assert.equal(await opened.page.getByRole('button', { name: 'Open explorer' }).count(), 2)
    })

    it('can be opened to read', async () => {
      await show(...forkedWalk)
      await opened.page.getByRole('button', { name: 'Open explorer' }).last().click()
      assert.deepEqual(await opened.posted('openExplorer'), [{ kind: 'openExplorer', sessionId: 'child-2' }])
    })
  })

  describe('with nothing said yet', () => {
    const empty = (changes = {}): Promise<void> =>
      opened.send(conversation({ mode: { active: false, pending: false }, ...changes }))
    const composer = () => opened.page.getByRole('textbox')

    it('starts a plan: turns the mode on and goes to the composer', async () => {
      await empty()
      await opened.page.getByRole('button', { name: /Plan a change/ }).click()
      assert.equal((await opened.posted('toggleMode')).length, 1)
      assert.equal(await composer().evaluate(box => box === document.activeElement), true)
    })

    it('does not turn the mode off when it is on, or about to be', async () => {
      for (const mode of [
        { active: true, pending: false },
        { active: false, pending: true },
      ]) {
        await empty({ mode })
        await opened.page.getByRole('button', { name: /Plan a change/ }).click()
      }
      assert.deepEqual(await opened.posted('toggleMode'), [])
    })

    it('puts a demo prompt into an empty composer, and leaves typed text alone', async () => {
      await empty()
      await opened.page.getByRole('button', { name: /offline demo/ }).click()
      await settled(opened.page)
      assert.match(await composer().inputValue(), /^Plan a small/)
      await composer().fill('mine')
      await opened.page.getByRole('button', { name: /offline demo/ }).click()
      await settled(opened.page)
      assert.equal(await composer().inputValue(), 'mine')
      assert.deepEqual(await opened.posted('send'), [])
    })

    it('opens a past conversation', async () => {
      await empty()
      await opened.page.getByRole('button', { name: /past conversation/ }).click()
      assert.deepEqual(await opened.posted('command'), [{ kind: 'command', command: 'planMode.openConversation' }])
    })
  })

  it('offers to open a folder where there is none', async () => {
    await opened.send(conversation({ sessionId: null, noFolder: true }))
    await opened.page.getByRole('button', { name: 'Open folder' }).click()
    assert.deepEqual(await opened.posted('command'), [{ kind: 'command', command: 'planMode.openFolder' }])
    assert.equal(await opened.page.getByRole('textbox').count(), 0)
  })

  it('says why it is read-only, and offers no composer', async () => {
    await opened.send(conversation({ readOnly: 'Another window writes this conversation.' }), {
      kind: 'transcript',
      items: [...walk],
    })
    assert.match(await text('.banner'), /Another window writes/)
    assert.equal(await opened.page.getByRole('textbox').count(), 0)
    assert.equal(await opened.page.getByRole('button', { name: 'Continue here' }).count(), 0)
  })

  it('offers to continue here what another window writes, and leaves what waits there to be answered there', async () => {
    const readOnly = 'Another window is writing this conversation.'
    const waiting = { kind: 'approval', id: 'a', title: 'Edit README.md', state: 'waiting' } as const
    await opened.send(conversation({}), { kind: 'transcript', items: [waiting] })
    await opened.page.getByRole('button', { name: 'Allow' }).waitFor()
    await opened.send(conversation({ readOnly, continueHere: true, running: true }))
    await opened.page.getByRole('button', { name: 'Allow' }).waitFor({ state: 'hidden' })
    await opened.page.getByRole('button', { name: 'Continue here' }).click()
    assert.deepEqual(await opened.posted('command'), [{ kind: 'command', command: 'planMode.continueHere' }])
  })

  it('names a problem and runs the command that mends it', async () => {
    const problem = {
      text: 'planMode.policy is blank.',
      action: { label: 'Open settings', command: 'planMode.openSettings' },
    }
    await opened.send(conversation({ problem }))
    assert.match(await opened.page.getByRole('alert').innerText(), /planMode\.policy is blank/)
    await opened.page.getByRole('button', { name: 'Open settings' }).click()
    assert.deepEqual(await opened.posted('command'), [{ kind: 'command', command: 'planMode.openSettings' }])
  })

  it('shows no button for a command that a page may not run', async () => {
    const problem = { text: 'Odd.', action: { label: 'Run', command: 'workbench.action.terminal.new' } }
    await opened.send(conversation({ problem }))
    assert.equal(await opened.page.getByRole('button', { name: 'Run' }).count(), 0)
  })

  it('does not take the focus by itself', async () => {
    await opened.send(conversation({ running: true }), { kind: 'transcript', items: [...walk, ...afterApproval] })
    assert.equal(await opened.page.evaluate('document.activeElement === document.body'), true)
  })
})
