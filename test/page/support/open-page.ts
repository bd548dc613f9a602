// Opens a built page in Chromium with a stand-in for VS Code's side, and watches that nothing leaves it.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Browser, Page } from 'playwright-core'
import type { ToConversation } from '../../../src/webview/messages.ts'
import type { ToReview } from '../../../src/webview/review-messages.ts'
import { launchBrowser } from '../../harness/browser.ts'
import { type PageName, pageUrl, startPageServer, type Theme } from './page-server.ts'

type Message = ToConversation | ToReview

export interface OpenOptions {
  readonly theme?: Theme
  readonly width?: number
  readonly height?: number
  readonly reducedMotion?: boolean
  /** Device pixels for each CSS pixel; 2 with half the width is what 200 % zoom does. */
  readonly scale?: number
}

/** A page under test. */
export interface Opened {
  readonly page: Page
  /** Hands the page messages of the host, and waits until they are drawn. */
  send(...messages: readonly Message[]): Promise<void>
  /** What the page has posted, of one kind. */
  posted(kind: string): Promise<readonly Record<string, unknown>[]>
  /** Waits until the page has posted `count` messages of a kind, and gives them. */
  waitForPosted(kind: string, count?: number): Promise<readonly Record<string, unknown>[]>
  /** Everything that went wrong: errors, refusals by the policy, dialogs, requests beyond the page's own files. */
  faults(): Promise<readonly string[]>
}

/** What runs before the page's own script; its state lasts over a reload, as VS Code's does. */
const standIn = `
  window.posted = []
  window.violations = []
  addEventListener('securitypolicyviolation', event => violations.push(event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sample))
  let given = false
  window.acquireVsCodeApi = () => {
    if (given) throw new Error('acquireVsCodeApi may be called once')
    given = true
    return {
      postMessage: message => { posted.push(structuredClone(message)) },
      getState: () => JSON.parse(sessionStorage.getItem('state') ?? 'null') ?? undefined,
      setState: state => sessionStorage.setItem('state', JSON.stringify(state)),
    }
  }
`

/** A browser and a server for the tests of one file; `close` ends both. */
export class PageStage {
  readonly #browser: Browser
  readonly #served: Awaited<ReturnType<typeof startPageServer>>

  private constructor(browser: Browser, served: Awaited<ReturnType<typeof startPageServer>>) {
    this.#browser = browser
    this.#served = served
  }

  static async start(): Promise<PageStage> {
    return new PageStage(await launchBrowser(), await startPageServer())
  }

  async close(): Promise<void> {
    await this.#browser.close()
    this.#served.server.close()
    this.#served.server.closeAllConnections()
    await once(this.#served.server, 'close')
  }

  /** Ends the pages that were opened, so that the next test begins alone. */
  async clear(): Promise<void> {
    await Promise.all(this.#browser.contexts().map(context => context.close()))
  }

  async open(name: PageName, options: OpenOptions = {}): Promise<Opened> {
    const { theme = 'dark', width = 380, height = 760, scale = 1 } = options
    const context = await this.#browser.newContext({
      viewport: { width, height },
      deviceScaleFactor: scale,
      reducedMotion: options.reducedMotion === false ? 'no-preference' : 'reduce',
    })
    const page = await context.newPage()
    const faults: string[] = []
    // A picture that the page was handed is a blob of its own making.
    const own = new RegExp(
      `^${this.#served.origin}/(?:built|themes|conversation|review)/|^blob:${this.#served.origin}/`,
    )
    page.on('request', request => own.test(request.url()) || faults.push(`request ${request.url()}`))
    page.on('console', message => message.type() === 'error' && faults.push(`console ${message.text()}`))
    page.on('pageerror', error => faults.push(`error ${error.message}`))
    page.on('popup', popup => faults.push(`popup ${popup.url()}`))
    page.on('dialog', dialog => {
      faults.push(`dialog ${dialog.message()}`)
      void dialog.dismiss()
    })
    const url = pageUrl(this.#served.origin, name, theme)
    page.on('framenavigated', frame => frame.url() !== url && faults.push(`navigated to ${frame.url()}`))
    await page.addInitScript({ content: standIn })
    await page.goto(url)
    const opened = handle(page, faults)
    await opened.waitForPosted('ready')
    await setTheme(page, theme)
    return opened
  }
}

function handle(page: Page, faults: readonly string[]): Opened {
  const posted = async (kind: string): Promise<readonly Record<string, unknown>[]> => {
    const all: Record<string, unknown>[] = await page.evaluate('posted')
    return all.filter(message => message.kind === kind)
  }
  return {
    page,
    posted,
    async send(...messages) {
      for (const message of messages) await page.evaluate(data => window.postMessage(data), message)
      await settled(page)
    },
    async waitForPosted(kind, count = 1) {
      await until(async () => (await posted(kind)).length >= count, `${count} times ${kind}`)
      return posted(kind)
    },
    async faults() {
      const violations: string[] = await page.evaluate('violations')
      return [...faults, ...violations.map(violation => `policy ${violation}`)]
    },
  }
}

/** Changes the theme as VS Code does: other variables, another class on the body. */
export async function setTheme(page: Page, theme: Theme): Promise<void> {
  await page.evaluate(async name => {
    const link = document.querySelector<HTMLLinkElement>('link[href*="/themes/"]')
    if (link && !link.href.endsWith(`/${name}.css`)) {
      const loaded = new Promise(resolve => link.addEventListener('load', resolve, { once: true }))
      link.href = link.href.replace(/[\w-]+\.css$/, `${name}.css`)
      await loaded
    }
    const contrast = name.startsWith('high-contrast') ? ['vscode-high-contrast'] : []
    document.body.className = [...new Set([...contrast, `vscode-${name}`])].join(' ')
  }, theme)
  await settled(page)
}

/** Two frames and a task later, all that a message changed is drawn. */
export async function settled(page: Page): Promise<void> {
  await page.evaluate(
    () => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve)))),
  )
}

/** Asks until the condition holds, up to five seconds. */
export async function until(condition: () => Promise<boolean>, what: string): Promise<void> {
  const end = Date.now() + 5000
  while (!(await condition())) {
    if (Date.now() > end) assert.fail(`Waited in vain for ${what}`)
    await new Promise(resolve => setTimeout(resolve, 15))
  }
}
