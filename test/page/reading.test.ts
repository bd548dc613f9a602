// biome-ignore-all lint/performance/useDomNodeTextContent: Playwright's innerText is what a reader sees.
// Reading a plan: outline, search, what is there in the workspace, what changed, and a plan that is being written.
import assert from 'node:assert/strict'
import { renderMermaidSVG } from 'beautiful-mermaid'
import type { Locator } from 'playwright-core'
import { fromReview } from '../../src/webview/review-messages.ts'
import { type Opened, PageStage, until } from './support/open-page.ts'
import { changes, plan, reach, remark, remarks, review } from './support/samples.ts'

describe('reading a plan', function () {
  this.timeout(20_000)
  let stage: PageStage
  let opened: Opened
  before(async () => {
    stage = await PageStage.start()
  })
  after(() => stage.close())
  beforeEach(async () => {
    opened = await stage.open('review', { width: 1200, height: 500 })
    await opened.send(review())
  })
  afterEach(async () => {
    for (const message of await opened.page.evaluate<unknown[]>('posted')) fromReview.parse(message)
    assert.deepEqual(await opened.faults(), [])
    await stage.clear()
  })

  const press = (key: string): Promise<void> => opened.page.keyboard.press(key)
  const sections = (): Promise<string[]> => opened.page.locator('[role=treeitem] .name').allInnerTexts()
  const current = (): Promise<string> => opened.page.locator('[aria-current=true] .name').innerText()
  const focused = (): Promise<string> => opened.page.evaluate('document.activeElement.textContent.trim()')
  const status = (): Locator => opened.page.locator('plan-search [role=status]')
  const planText = (): Promise<string | null> => opened.page.locator('markdown-view').textContent()
  const highlighted = (name: string): Promise<string[]> =>
    opened.page.evaluate(key => [...(CSS.highlights.get(key) ?? [])].map(range => `${range}`), name)

  describe('outline', () => {
    const nested =
      '# Title\n\n## One\n\n### One A\n\ntext\n\n### One B\n\n## Two\n\n```\n# no heading\n```\n\n## `Three` *x*\n'

    it('lists the sections without the title, and opens them by keys', async () => {
      assert.deepEqual(await sections(), ['Steps', 'Limits', 'Rollout', 'Risks'])
      await opened.page.locator('[role=treeitem]').first().focus()
      await press('ArrowDown')
      await press('ArrowDown')
      await press('Enter')
      assert.equal(await focused(), 'Rollout')
      await until(async () => (await current()) === 'Rollout', 'the current section')
    })

    it('marks the section in view while scrolling', async () => {
      await opened.send(
        review({ markdown: plan.replace('## Rollout', `${'filler\n\n'.repeat(80)}## Rollout`), planHash: 'b' }),
      )
      await opened.page.evaluate(`document.querySelector('main').scrollTop = 1500`)
      await until(async () => (await current()) === 'Limits', 'Limits')
      await opened.page.evaluate(`document.querySelector('main').scrollTop = 1e6`)
      await until(async () => /Rollout|Risks/.test(await current()), 'the end')
    })

    it('folds and unfolds by keys and mouse, and shows the parent of a folded place', async () => {
      await opened.send(review({ markdown: nested, planHash: 'n' }))
      assert.deepEqual(await sections(), ['One', 'One A', 'One B', 'Two', 'Three x'])
      await opened.page.locator('[role=treeitem]').first().focus()
      await press('ArrowLeft')
      assert.deepEqual(await sections(), ['One', 'Two', 'Three x'])
      assert.equal(await opened.page.locator('[role=treeitem]').first().getAttribute('aria-expanded'), 'false')
      await press('ArrowRight')
      await press('ArrowRight')
      assert.equal(await focused(), 'One A')
      await press('ArrowLeft')
      assert.equal(await focused(), 'One')
      await opened.page.locator('.twist').first().click()
      assert.deepEqual(await sections(), ['One', 'Two', 'Three x'])
    })

    it('tells how many remarks lie in a section', async () => {
      await opened.send(review({ markdown: nested, planHash: 'n' }))
      const at = (words: string) => ({ start: nested.indexOf(words), end: nested.indexOf(words) + words.length })
      await opened.send(
        remarks(
          remark('C1', { range: at('text') }),
          remark('C2', { range: at('text'), state: 'open', fate: 'unchanged' }),
          remark('C3', { range: at('Two') }),
          remark('C4', { range: at('One B'), state: 'resolved' }),
          remark('C5', { range: null, fate: 'gone' }),
        ),
      )
      for (const name of ['One', 'One A 2 remarks', 'One B', 'Two 1 remark', 'Three x']) {
        assert.equal(await opened.page.getByRole('treeitem', { name, exact: true }).count(), 1, name)
      }
    })

    it('is a menu in a narrow window, which a choice and Escape close', async () => {
      await opened.page.setViewportSize({ width: 400, height: 600 })
      const aside = opened.page.locator('plan-reading > aside')
      assert.equal(await aside.isVisible(), false)
      await opened.page.getByRole('button', { name: 'Show the outline' }).click()
      assert.equal(await aside.isVisible(), true)
      await press('Escape')
      assert.equal(await aside.isVisible(), false)
      await opened.page.getByRole('button', { name: 'Show the outline' }).click()
      await opened.page.getByRole('treeitem', { name: 'Risks' }).click()
      assert.equal(await aside.isVisible(), false)
      assert.equal(await focused(), 'Risks')
    })

    it('draws ten thousand sections in parts', async () => {
      const markdown = Array.from({ length: 10_000 }, (_, index) => `## S ${index}`).join('\n\n')
      await opened.send(review({ markdown, planHash: 'm' }))
      await until(async () => (await sections()).length === 400, 'the first sections')
      await opened.page.getByRole('button', { name: 'Show 9600 more sections' }).click()
      assert.equal((await sections()).length, 800)
    })
  })

  describe('search', () => {
    it('counts, steps and highlights across elements, and leaves the text as it is', async () => {
      const before = await planText()
      await press('Control+f')
      await opened.page.keyboard.type('BUCKET per')
      await until(async () => (await status().innerText()) === '1 of 2', 'two matches')
      assert.deepEqual(await highlighted('plan-search'), ['bucket per', 'bucket per'])
      await press('Enter')
      assert.equal(await status().innerText(), '2 of 2')
      await press('Enter')
      await press('Shift+Enter')
      assert.equal(await status().innerText(), '2 of 2')
      await opened.page.locator('plan-search input').fill('count only, for')
      await until(
        async () => (await highlighted('plan-search-current'))[0] === 'count only, for',
        'bold and plain words',
      )
      assert.equal(await planText(), before)
      await press('Escape')
      assert.deepEqual(await highlighted('plan-search'), [])
      assert.equal(await opened.page.locator('plan-search input').count(), 0)
    })

    it('says when nothing is found, takes any characters, and joins no two cells or items', async () => {
      await opened.page.getByRole('button', { name: 'Search the plan' }).click()
      for (const words of ['nowhere', '.*', '\\', '[', '(?<x>', 'free10', 'CountCompare', '<b>']) {
        await opened.page.locator('plan-search input').fill(words)
        await until(async () => (await status().innerText()) === 'Nothing found', words)
      }
    })

    it('brings a match of a long plan into view', async () => {
      await opened.send(review({ markdown: `${'words\n\n'.repeat(3000)}the needle\n`, planHash: 'l' }))
      await press('Control+f')
      await opened.page.keyboard.type('needle')
      await until(async () => (await status().innerText()) === '1 of 1', 'the needle')
      await until(
        () =>
          opened.page.evaluate(
            `[...CSS.highlights.get('plan-search-current')].some(range => { const { top } = range.getBoundingClientRect(); return top > 0 && top < innerHeight })`,
          ),
        'the needle in view',
      )
    })
  })

  describe('reach', () => {
    beforeEach(() => opened.send({ kind: 'reach', reviewId: 'review-2', reach }))

    it('sums up what is there, and marks what is not with words', async () => {
      const text = await opened.page.locator('.reach').innerText()
      assert.match(text, /5 files named, 4 exist\s+1 is a test\s+3 in version control, 1 changed\s+1 not found/i)
      const missing = opened.page.locator('markdown-view .missing')
      assert.equal(await missing.innerText(), 'test/http/limiter.test.ts')
      assert.match(await missing.evaluate(one => getComputedStyle(one, '::after').content), /not found/)
      assert.match((await missing.getAttribute('title')) ?? '', /was not found in the workspace/)
      assert.equal(await missing.getAttribute('role'), null)
    })

    it('opens files and symbols that are there', async () => {
      await opened.page.getByRole('link', { name: 'src/metrics.ts' }).click()
      await opened.page.getByRole('link', { name: 'limits.enforce' }).press('Enter')
      assert.deepEqual(await opened.posted('openFile'), [{ kind: 'openFile', path: 'src/metrics.ts' }])
      assert.deepEqual(await opened.posted('openSymbol'), [{ kind: 'openSymbol', name: 'enforce' }])
    })

    it('shows the first lines of a file that is pointed at or focused', async () => {
      await opened.page.getByRole('link', { name: 'src/metrics.ts' }).focus()
      const preview = opened.page.locator('file-preview')
      await until(() => preview.isVisible(), 'the preview')
      assert.match(
        await preview.innerText(),
        /src\/metrics\.ts changed, not committed\s+export const <b>counted<\/b> = 1/,
      )
      await press('Escape')
      await until(async () => !(await preview.isVisible()), 'no preview')
    })

    it('takes a mark back when the file is there', async () => {
      const files = reach.files.map(file => ({ ...file, exists: true }))
      await opened.send({ kind: 'reach', reviewId: 'review-2', reach: { ...reach, files } })
      assert.equal(await opened.page.locator('markdown-view .missing').count(), 0)
      assert.equal(await opened.page.getByRole('link', { name: 'test/http/limiter.test.ts' }).count(), 1)
    })
  })

  describe('changes', () => {
    beforeEach(() => opened.send({ kind: 'changes', reviewId: 'review-2', changes }))

    it('marks the parts that changed, in words too, and unfolds what was removed', async () => {
      const before = await planText()
      assert.equal(
        await opened.page.locator('li.is-changed').innerText(),
        await opened.page.locator('main li').nth(1).innerText(),
      )
      assert.match(await opened.page.locator('.is-added').first().innerText(), /^Count refused|^3\. Count|Count/)
      assert.match(await opened.page.locator('.badge').innerText(), /\+2\s+−3\s+since your remarks/)
      const marks = opened.page.locator('change-mark')
      assert.equal(await marks.count(), 3)
      assert.match(await marks.first().evaluate(one => one.shadowRoot?.textContent ?? ''), /Changed since revision 1/)
      await marks.first().getByRole('button', { name: 'Show what was here: 1 line removed' }).click()
      assert.equal(await marks.first().locator('pre').innerText(), '- [ ] 2. Wire it in <img src=x>.')
      assert.equal(await planText(), before)
    })

    it('goes from change to change by the badge', async () => {
      await opened.page.locator('.badge').click()
      await opened.page.locator('.badge').click()
      await opened.page.locator('.badge').click()
      const place = await opened.page.locator('change-mark').last().boundingBox()
      assert.ok(place && place.y > 0 && place.y < 500, JSON.stringify(place))
    })

    it('are held against any older revision that is chosen', async () => {
      await opened.send(review({ reviewId: 'review-3', revision: 3, revisions: 3, planHash: 'r' }), {
        kind: 'changes',
        reviewId: 'review-3',
        changes: { ...changes, base: 2 },
      })
      const menu = opened.page.getByRole('combobox', { name: 'Changes since' })
      assert.equal(await menu.inputValue(), 'review-2')
      await menu.selectOption('review-1')
      assert.deepEqual(await opened.posted('compareWith'), [{ kind: 'compareWith', base: 'review-1' }])
    })

    it('goes with the text it was made for', async () => {
      await opened.send(review({ markdown: '# Other', planHash: 'o', reviewId: 'review-3' }))
      assert.equal(await opened.page.locator('change-mark').count(), 0)
      assert.equal(await opened.page.locator('.badge').count(), 0)
    })
  })

  describe('a plan that is being written', () => {
    it('is read, not decided, and gives way to the plan that is presented', async () => {
      await opened.send(review({ state: 'kept', revising: true }), { kind: 'writing', text: '# New\n\nHalf a sen' })
      assert.match((await planText()) ?? '', /Rollout/, 'the plan that is read stays until the reader wants the other')
      await opened.page.getByRole('button', { name: 'Watch' }).click()
      assert.match(await opened.page.locator('markdown-view').innerText(), /Half a sen/)
      assert.match(await opened.page.locator('.banners').innerText(), /is writing this plan/)
      assert.equal(await opened.page.locator('footer').count(), 0)
      await press('Alt+Enter')
      assert.deepEqual(await opened.posted('decide'), [])
      await opened.send({ kind: 'writing', text: '# New\n\nHalf a sentence, and one more' })
      assert.match(await opened.page.locator('markdown-view').innerText(), /and one more/)
      await opened.send(review({ reviewId: 'review-3', planHash: 'w', markdown: '# New' }), {
        kind: 'writing',
        text: null,
      })
      assert.equal(await opened.page.locator('#approve').count(), 1)
    })

    it('is watched at once where no plan is yet, or on command, and left for the one that is here', async () => {
      await opened.send({ kind: 'empty', text: 'No plan yet.' }, { kind: 'writing', text: '# First\n\nHalf' })
      assert.match((await planText()) ?? '', /First/)
      assert.equal(await opened.page.getByRole('button', { name: 'Back to the review' }).count(), 0)
      await opened.send(review({ state: 'dismissed' }), { kind: 'act', act: 'watch' })
      assert.match((await planText()) ?? '', /First/)
      await opened.page.getByRole('button', { name: 'Back to the review' }).click()
      assert.match((await planText()) ?? '', /Rollout/)
    })

    it('never hides a plan that waits', async () => {
      await opened.send({ kind: 'act', act: 'watch' }, { kind: 'writing', text: '# Another' })
      assert.match((await planText()) ?? '', /Rollout/)
      assert.equal(await opened.page.getByRole('button', { name: 'Watch' }).count(), 0)
    })
  })

  describe('footnotes', () => {
    it('are numbered, drawn where they stand, and reached from their reference', async () => {
      await opened.send(
        review({
          markdown: '# P\n\nOne[^a] two[^b] three[^none].\n\n[^a]: First *note*.\n[^b]: Second.\n',
          planHash: 'f',
        }),
      )
      assert.match((await planText()) ?? '', /One1 two2 three\[\^none\]\./)
      await opened.page.getByRole('link', { name: 'Footnote 2' }).click()
      assert.match(await focused(), /^2 b\s+Second\.$/)
    })

    it('leave the words around them where they stand in the source', async () => {
      const markdown = '# P\n\nOne[^a] two 1 three.\n\n[^a]: First 1 *note*.\n'
      await opened.send(review({ markdown, planHash: 'g' }))
      for (const words of ['two', 'note']) {
        await opened.page.evaluate(wanted => {
          const walker = document.createTreeWalker(document.querySelector('markdown-view') as Element, 4)
          while (walker.nextNode()) {
            const node = walker.currentNode as Text
            const start = node.data.indexOf(wanted)
            if (start < 0) continue
            getSelection()?.setBaseAndExtent(node, start, node, start + wanted.length)
            return
          }
        }, words)
        await opened.page.getByRole('toolbar').waitFor()
        await opened.page.getByRole('toolbar').getByRole('button', { name: 'Looks good' }).click()
        const start = markdown.indexOf(words)
        const said = await opened.posted('addRemark')
        assert.deepEqual(said.at(-1)?.range, { start, end: start + words.length })
      }
    })
  })

  describe('diagrams', () => {
    const graph = 'graph TD\n  A[Limiter] --> B{Full?}\n  B -->|no| C[Router]'
    const withGraph = `# P\n\n## One\n\n\`\`\`mermaid\n${graph}\n\`\`\`\n\nThe end.\n`
    const picture = () => opened.page.locator('.diagram svg')

    it('ask for nothing while a plan has none', async () => {
      assert.deepEqual(await opened.posted('drawDiagram'), [])
      const loaded: string[] = await opened.page.evaluate(
        `performance.getEntriesByType('resource').map(({ name }) => name)`,
      )
      assert.deepEqual(
        loaded.filter(name => /\.js$/.test(name)).map(name => name.replace(/.*\//, '')),
        ['review.js'],
      )
    })

    it('are drawn above their text, which unfolds, in the colours of the theme', async () => {
      await opened.send(review({ markdown: withGraph, planHash: 'd' }))
      const [asked] = await opened.waitForPosted('drawDiagram')
      assert.equal(asked?.text, `${graph}\n`)
      assert.match(await opened.page.locator('.diagram').innerText(), /Limiter/)
      await opened.send({ kind: 'diagram', text: `${graph}\n`, picture: renderMermaidSVG(graph) })
      assert.deepEqual(await picture().locator('text').allTextContents(), ['no', 'Limiter', 'Full?', 'Router'])
      assert.equal(await opened.page.getByRole('img', { name: 'Diagram' }).count(), 1)
      const fills = await picture()
        .locator('g.node rect, rect')
        .evaluateAll(all => all.map(one => getComputedStyle(one).fill))
      assert.ok(fills.length > 1 && !fills.includes('rgb(0, 0, 0)'), `${fills}`)
      const code = opened.page.locator('.diagram code')
      assert.equal(await code.isVisible(), false)
      await opened.page.getByText('Its text').click()
      assert.equal(await code.isVisible(), true)
      assert.equal(await planText(), await opened.page.locator('markdown-view').textContent())
    })

    it('that cannot be drawn stay text and say so', async () => {
      await opened.send(review({ markdown: withGraph, planHash: 'd' }), {
        kind: 'diagram',
        text: `${graph}\n`,
        picture: null,
      })
      assert.equal(await opened.page.locator('.diagram code').isVisible(), true)
      assert.match(
        await opened.page.locator('.diagram').evaluate(one => one.shadowRoot?.textContent ?? ''),
        /cannot be drawn here/,
      )
    })

    it('unfold for a match of the search', async () => {
      await opened.send(review({ markdown: withGraph, planHash: 'd' }), {
        kind: 'diagram',
        text: `${graph}\n`,
        picture: renderMermaidSVG(graph),
      })
      await press('Control+f')
      await opened.page.keyboard.type('Router')
      await press('Enter')
      await until(() => opened.page.locator('.diagram code').isVisible(), 'its text')
    })
  })
})
