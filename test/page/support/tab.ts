// A tab of Chromium that shows one page after the other, since a new one costs much more than a new document.
import type { Browser, BrowserContext, Page } from 'playwright-core'

const blankUrl = 'about:blank'

/** Reads in the page what it had kept; each document of this tab has its own. */
export const savedState = `JSON.parse(sessionStorage.getItem('state of ' + location.href))`

/** What runs before the page's own script; its state lasts over a reload, as VS Code's does, and no longer. */
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
      getState: () => ${savedState} ?? undefined,
      setState: state => sessionStorage.setItem('state of ' + location.href, JSON.stringify(state)),
    }
  }
`

export class Tab {
  readonly page: Page
  /** Device pixels for each CSS pixel. */
  readonly scale: number
  readonly #context: BrowserContext
  readonly #origin: string
  #url = blankUrl
  #faults: string[] = []

  static async create(browser: Browser, origin: string, scale: number): Promise<Tab> {
    const context = await browser.newContext({ deviceScaleFactor: scale })
    const tab = new Tab(context, await context.newPage(), { origin, scale })
    await tab.page.addInitScript({ content: standIn })
    return tab
  }

  private constructor(context: BrowserContext, page: Page, { origin, scale }: { origin: string; scale: number }) {
    this.#context = context
    this.page = page
    this.#origin = origin
    this.scale = scale
    this.#watch()
  }

  /** Errors, dialogs, popups, and whatever was asked for or went beyond the page's own files, since `goTo`. */
  get faults(): readonly string[] {
    return this.#faults
  }

  /** Shows a page that knows nothing of the one before. */
  async goTo(url: string): Promise<void> {
    this.#faults = []
    this.#url = url
    await this.page.goto(url)
  }

  /** Ends the page. Resolves with whether another may be shown here; where anything went wrong, the tab is gone. */
  async blank(): Promise<boolean> {
    if (this.#faults.length === 0 && !this.page.isClosed() && this.#context.pages().length === 1) {
      this.#url = blankUrl
      await this.page.mouse.move(-1, -1)
      await this.page.goto(blankUrl)
      return true
    }
    await this.#context.close()
    return false
  }

  #watch(): void {
    const { page } = this
    const fault = (text: string) => this.#faults.push(text)
    // A picture that the page was handed is a blob of its own making.
    const own = new RegExp(`^${this.#origin}/(?:built|themes|conversation|review)/|^blob:${this.#origin}/`)
    page.on('request', request => own.test(request.url()) || fault(`request ${request.url()}`))
    page.on('console', message => message.type() === 'error' && fault(`console ${message.text()}`))
    page.on('pageerror', error => fault(`error ${error.message}`))
    page.on('popup', popup => fault(`popup ${popup.url()}`))
    page.on('dialog', dialog => {
      fault(`dialog ${dialog.message()}`)
      void dialog.dismiss()
    })
    page.on('framenavigated', frame => frame.url() !== this.#url && fault(`navigated to ${frame.url()}`))
  }
}
