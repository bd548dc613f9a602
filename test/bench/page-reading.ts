// A huge plan in the built page, in its own policy: how soon it is readable, how it scrolls, how it types with remarks.
import MarkdownIt from 'markdown-it'
import type { Browser, Page } from 'playwright-core'
import type { RemarkView } from '../../src/webview/review-messages.ts'
import { launchBrowser } from '../harness/browser.ts'
import { pageUrl, startPageServer } from '../page/support/page-server.ts'
import { remark, remarks, review } from '../page/support/samples.ts'
import { report } from './figure.ts'
import { bigPlan, planOf } from './plans.ts'
import { median } from './rounds.ts'

const ROUNDS = 5
const REMARKS = 500
const KEYS = 40
/** What a frame may take at most while a plan scrolls, in ms: three of a screen's. */
const FRAME_MS = 50

const standIn = `window.acquireVsCodeApi = () => ({ postMessage() {}, getState() {}, setState() {} })`
const painted = 'new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))'

/** Milliseconds to a first readable screen of 1 MB, against a document of the whole text rendered at once: `floor`. */
export async function reading(): Promise<void> {
  const plan = bigPlan()
  const ours: number[] = []
  const whole: number[] = []
  await withPages(async open => {
    for (let round = 0; round < ROUNDS; round++) {
      const page = await open()
      ours.push(await timed(page, () => show(page, plan), 'markdown-view h1'))
      await page.goto('about:blank')
      whole.push(await timed(page, () => page.setContent(MarkdownIt().render(plan)), 'h1'))
      await page.close()
    }
  })
  const [mine, theirs] = [median(ours), median(whole)]
  report({ name: 'reading/1mb/to-whole-html', unit: 'ms', ours: mine, floor: theirs, against: theirs, goal: 1 })
}

/** The longest frame on the way through 1 MB to its end, and the same of the whole text rendered at once: `floor`. */
export async function scrolling(): Promise<void> {
  const plan = bigPlan()
  const ours: number[][] = []
  const whole: number[][] = []
  await withPages(async open => {
    for (let round = 0; round < ROUNDS; round++) {
      const page = await open()
      await show(page, plan)
      await page.waitForSelector('markdown-view:not([aria-busy])')
      ours.push(await framesWhileScrolling(page, 'main'))
      await page.goto('about:blank')
      await page.setContent(MarkdownIt().render(plan))
      whole.push(await framesWhileScrolling(page, 'html'))
      await page.close()
    }
  })
  const longest = (rounds: readonly number[][]) => median(rounds.map(frames => Math.max(...frames)))
  const dropped = (rounds: readonly number[][]) => median(rounds.map(frames => frames.filter(ms => ms > 25).length))
  const note = `frames over 25 ms: ${dropped(ours)} of ${ours[0]?.length}; whole ${dropped(whole)} of ${whole[0]?.length}`
  const figure = { unit: 'ms', ours: longest(ours), floor: longest(whole), against: FRAME_MS, goal: 1, note }
  report({ name: 'scrolling/1mb/longest-frame', ...figure })
}

/** From a key to the paint that shows it, with 500 remarks beside a 300-line plan and with one: `floor`. */
export async function typing(): Promise<void> {
  const few: number[] = []
  const many: number[] = []
  const fewNotes: number[] = []
  const manyNotes: number[] = []
  const news: number[] = []
  await withPages(async open => {
    for (let round = 0; round < ROUNDS; round++) {
      for (const count of [1, REMARKS]) {
        const page = await open()
        const plan = planOf(300)
        await show(page, plan)
        const all = remarksOn(plan, count)
        await send(page, remarks(...all))
        await page.locator(`#remark-C${count}`).waitFor()
        ;(count === 1 ? few : many).push(...(await keysIn(page, '#remark-C1 textarea')))
        ;(count === 1 ? fewNotes : manyNotes).push(...(await keysIn(page, 'footer textarea')))
        if (count === REMARKS) news.push(await newsOf(page, all))
        await page.close()
      }
    }
  })
  const figure = (name: string, ours: readonly number[], floor: readonly number[]) => {
    const [mine, theirs] = [median(ours), median(floor)]
    report({ name, unit: 'ms', ours: mine, floor: theirs, against: theirs, goal: 1.5 })
  }
  figure('typing/500-remarks/in-one/to-none', many, few)
  figure('typing/500-remarks/in-notes/to-none', manyNotes, fewNotes)
  report({ name: 'typing/500-remarks/news-to-paint', unit: 'ms', ours: median(news), against: 100, goal: 1 })
}

/** Remarks on words all over a plan. */
function remarksOn(plan: string, count: number): RemarkView[] {
  const places = [...plan.matchAll(/the limit/g)].map(({ index }) => ({
    start: index,
    end: index + 'the limit'.length,
  }))
  return Array.from({ length: count }, (_, index) =>
    remark(`C${index + 1}`, { quote: 'the limit', range: places[index % places.length] ?? null }),
  )
}

/** Milliseconds from each key to the paint after it. */
async function keysIn(page: Page, box: string): Promise<number[]> {
  await page.locator(box).focus()
  await page.evaluate(`
    window.latencies = []
    window.onKey ??= addEventListener('keydown', () => {
      const pressed = performance.now()
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel()
        port1.onmessage = () => latencies.push(performance.now() - pressed)
        port2.postMessage(null)
      })
    }, { capture: true }) ?? true`)
  for (let key = 0; key < KEYS; key++) {
    await page.keyboard.press('a')
    await page.evaluate(`new Promise(resolve => {
      const look = () => (latencies.length > ${key} ? resolve() : requestAnimationFrame(look))
      look()
    })`)
  }
  return await page.evaluate('latencies')
}

/** Milliseconds that a message with every remark, one of them changed, takes to be painted. */
async function newsOf(page: Page, all: readonly RemarkView[]): Promise<number> {
  const changed = all.map((each, index) => (index === 0 ? { ...each, text: 'Otherwise.' } : each))
  const started = performance.now()
  await send(page, remarks(...changed))
  await page.evaluate(painted)
  return performance.now() - started
}

/** Milliseconds of each frame while an area is scrolled to its end, about two screens in three frames. */
function framesWhileScrolling(page: Page, area: string): Promise<number[]> {
  return page.evaluate(`new Promise(resolve => {
    const element = document.querySelector('${area}')
    const frames = []
    let before = performance.now()
    const step = () => {
      const now = performance.now()
      frames.push(now - before)
      before = now
      const at = element.scrollTop
      element.scrollTop = at + 400
      if (element.scrollTop === at) resolve(frames.slice(1))
      else requestAnimationFrame(step)
    }
    requestAnimationFrame(step)
  })`)
}

async function show(page: Page, markdown: string): Promise<void> {
  const hash = 'a'.repeat(64)
  await send(page, review({ markdown, planHash: hash, revision: 1, revisions: 1 }))
}

function send(page: Page, message: object): Promise<void> {
  return page.evaluate(`window.postMessage(${JSON.stringify(message)})`)
}

async function timed(page: Page, act: () => Promise<void>, heading: string): Promise<number> {
  const started = performance.now()
  await act()
  await page.waitForSelector(heading, { state: 'visible' })
  await page.evaluate(painted)
  return performance.now() - started
}

/** Runs with a function that opens the review page, in a window as wide as an editor. */
async function withPages(run: (open: () => Promise<Page>) => Promise<void>): Promise<void> {
  const browser: Browser = await launchBrowser()
  const { server, origin } = await startPageServer()
  try {
    await run(async () => {
      const page = await browser.newPage({ viewport: { width: 1360, height: 860 } })
      await page.addInitScript({ content: standIn })
      await page.goto(pageUrl(origin, 'review', 'dark'))
      return page
    })
  } finally {
    await browser.close()
    server.close()
    server.closeAllConnections()
  }
}
