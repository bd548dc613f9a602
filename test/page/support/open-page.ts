// Opens a built page in Chromium with a stand-in for VS Code's side, and watches that nothing leaves it.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Browser, Page } from 'playwright-core'
import type { ToConversation } from '../../../src/webview/messages.ts'
import type { ToReview } from '../../../src/webview/review-messages.ts'
import { launchBrowser } from '../../harness/browser.ts'
import { type PageName, pageUrl, startPageServer, type Theme } from './page-server.ts'
import { savedState, Tab } from './tab.ts'

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
  /** What the page has VS Code keep for it. */
  savedState(): Promise<unknown>
  /** Everything that went wrong: errors, refusals by the policy, dialogs, requests beyond the page's own files. */
  faults(): Promise<readonly string[]>
}

/** A browser and a server for the tests of one file; `close` ends both. */
export class PageStage {
  readonly #browser: Browser
  readonly #served: Awaited<ReturnType<typeof startPageServer>>
  readonly #shown = new Set<Tab>()
  readonly #blank = new Set<Tab>()
  #opened = 0

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
    for (const tab of this.#shown) if (await tab.blank()) this.#blank.add(tab)
    this.#shown.clear()
  }

  async open(name: PageName, options: OpenOptions = {}): Promise<Opened> {
    const { theme = 'dark', width = 380, height = 760, scale = 1 } = options
    const tab = this.#takeBlank(scale) ?? (await Tab.create(this.#browser, this.#served.origin, scale))
    this.#shown.add(tab)
    const { page } = tab
    await page.setViewportSize({ width, height })
    await page.emulateMedia({ reducedMotion: options.reducedMotion === false ? 'no-preference' : 'reduce' })
    this.#opened += 1
    await tab.goTo(`${pageUrl(this.#served.origin, name, theme)}?${this.#opened}`)
    const opened = handle(tab)
    await opened.waitForPosted('ready')
    await setTheme(page, theme)
    return opened
  }

  #takeBlank(scale: number): Tab | undefined {
    for (const tab of this.#blank) {
      if (tab.scale !== scale) continue
      this.#blank.delete(tab)
      return tab
    }
    return undefined
  }
}

function handle(tab: Tab): Opened {
  const { page, faults } = tab
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
    savedState: () => page.evaluate(savedState),
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

/** Asks until the condition holds, up to fifteen seconds: it may share two cores with the other half of the suite. */
export async function until(condition: () => Promise<boolean>, what: string): Promise<void> {
  const end = Date.now() + 15_000
  while (!(await condition())) {
    if (Date.now() > end) assert.fail(`Waited in vain for ${what}`)
    await new Promise(resolve => setTimeout(resolve, 15))
  }
}
