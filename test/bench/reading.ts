// Reading and revising plans: what a revision costs the model, what a page weighs, and how soon a huge plan is readable.
import { statSync } from 'node:fs'
import { Tiktoken } from 'js-tiktoken/lite'
import o200k from 'js-tiktoken/ranks/o200k_base'
import MarkdownIt from 'markdown-it'
import type { Page } from 'playwright-core'
import { launchBrowser } from '../harness/browser.ts'
import { pageUrl, startPageServer } from '../page/support/page-server.ts'
import { report } from './figure.ts'
import { median } from './rounds.ts'

/** What a page's script may weigh. */
const PAGE_BYTES = 500_000
const ROUNDS = 5

/** One line of a 300-line plan by `revise_plan`, against presenting it again; tokens of `o200k_base`. */
export async function revise(): Promise<void> {
  const encoding = new Tiktoken(o200k)
  const tokens = (value: unknown) => encoding.encode(JSON.stringify(value)).length
  const plan = planOf(300)
  const old = plan.split('\n')[150] ?? ''
  const again = tokens({ plan: plan.replace(old, `${old} It is the last one.`) })
  const edits = tokens({ edits: [{ old, new: `${old} It is the last one.` }] })
  report({
    name: 'revise/one-of-300-lines/to-whole',
    unit: 'tok',
    ours: edits,
    floor: again,
    against: again,
    goal: 0.05,
  })
}

/** Bytes of what the pages load, from `dist` as it was built last. */
export async function pages(): Promise<void> {
  for (const page of ['conversation', 'review']) {
    const { size } = statSync(new URL(`../../dist/webview/${page}.js`, import.meta.url))
    report({ name: `pages/${page}/to-budget`, unit: 'B', ours: size, against: PAGE_BYTES, goal: 1 })
  }
}

/**
 * Milliseconds from a plan of 1 MB to a first readable screen, in the page and its policy. Held against a document of
 * the whole text rendered at once, as a preview shows it, in the same browser: `floor`.
 */
export async function reading(): Promise<void> {
  const plan = planOf(9_000)
  const browser = await launchBrowser()
  const { server, origin } = await startPageServer()
  try {
    const ours: number[] = []
    const whole: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const page = await browser.newPage()
      await page.addInitScript({
        content: `window.acquireVsCodeApi = () => ({ postMessage() {}, getState() {}, setState() {} })`,
      })
      await page.goto(pageUrl(origin, 'review', 'dark'))
      ours.push(await inOurs(page, plan))
      await page.goto('about:blank')
      whole.push(await atOnce(page, plan))
      await page.close()
    }
    const [mine, theirs] = [median(ours), median(whole)]
    report({ name: 'reading/1mb/to-whole-html', unit: 'ms', ours: mine, floor: theirs, against: theirs, goal: 1 })
  } finally {
    await browser.close()
    server.close()
    server.closeAllConnections()
  }
}

async function inOurs(page: Page, markdown: string): Promise<number> {
  const review = {
    ...{ reviewId: 'r', sessionId: 's', conversation: 'c', title: 't', markdown, planHash: 'h', revision: 1 },
    ...{ revisions: 1, state: 'waiting', feedback: null, mode: { active: true, pending: false }, live: true },
    ...{ readOnly: null, continueHere: false, carriedOutWith: 'x' },
  }
  const started = performance.now()
  await page.evaluate(`window.postMessage(${JSON.stringify({ kind: 'review', review })})`)
  await page.waitForSelector('markdown-view h1', { state: 'visible' })
  await page.evaluate('new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
  return performance.now() - started
}

async function atOnce(page: Page, markdown: string): Promise<number> {
  const started = performance.now()
  await page.setContent(MarkdownIt().render(markdown))
  await page.waitForSelector('h1', { state: 'visible' })
  await page.evaluate('new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
  return performance.now() - started
}

function planOf(lines: number): string {
  const text = ['# A plan', '']
  for (let line = 2; line < lines; line++) {
    if (line % 30 === 0) text.push(`## Part ${line / 30}`)
    else if (line % 30 === 1 || line % 5 === 4) text.push('')
    else
      text.push(
        `- [ ] ${line}. Change \`src/part-${line}/file.ts\` so that **the limit** is read from the settings, then run ${'its '.repeat(7)}tests.`,
      )
  }
  return text.join('\n')
}
