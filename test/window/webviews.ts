// Our own pages inside the workbench: finding one among several, and checking it with axe.
import type { FrameLocator, Page } from 'playwright-core'
import { type Fault, seriousFaults } from '../support/axe.ts'
import { until } from './until.ts'

/** Which webview: by the title of its tab or view, by an element inside (a selector), or by both. */
export interface WebviewQuery {
  title?: string | RegExp
  has?: string
}

export interface Webview {
  /** Locates inside the page that the extension made. */
  readonly frame: FrameLocator
}

/** Resolves when a webview that answers to `query` is there. Ask again after a reload: it is a new one then. */
export function findWebview(page: Page, query: WebviewQuery): Promise<Webview> {
  return until(`a webview with ${describe(query)}`, async () => {
    for (const outer of await page.locator('iframe.webview.ready').all()) {
      const name = await outer.getAttribute('name', { timeout: 1000 }).catch(() => null)
      if (name === null) continue
      const inner = page.frameLocator(`iframe.webview[name="${name}"]`).locator('#active-frame')
      const frame = inner.contentFrame()
      if (query.title !== undefined) {
        const title = await inner.getAttribute('title', { timeout: 1000 }).catch(() => null)
        if (title === null || !matches(title, query.title)) continue
      }
      if (query.has !== undefined && (await frame.locator(query.has).count()) === 0) continue
      return { frame }
    }
    return undefined
  })
}

/** The serious and critical faults that axe finds in our page; what the workbench around it does is left out. */
export async function serious({ frame }: Webview): Promise<Fault[]> {
  const body = await frame.locator('body').elementHandle()
  const page = await body?.ownerFrame()
  if (!page) throw new Error('The webview is gone')
  return seriousFaults(page)
}

function matches(title: string, wanted: string | RegExp): boolean {
  return typeof wanted === 'string' ? title === wanted : wanted.test(title)
}

function describe({ title, has }: WebviewQuery): string {
  return [title && `the title ${title}`, has && `an element ${has}`].filter(Boolean).join(' and ') || 'anything inside'
}
