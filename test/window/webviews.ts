// Our own pages inside the workbench: finding one among several, and checking it with axe.
import AxeBuilder from '@axe-core/playwright'
import type { FrameLocator, Page } from 'playwright-core'
import { until } from './until.ts'

/** Which webview: by the title of its tab or view, by an element inside (a selector), or by both. */
export interface WebviewQuery {
  title?: string | RegExp
  has?: string
}

export interface Webview {
  /** Locates inside the page that the extension made. */
  readonly frame: FrameLocator
  /** The way from the workbench into that page, for axe. */
  readonly path: readonly string[]
}

/** Resolves when a webview that answers to `query` is there. Ask again after a reload: it is a new one then. */
export function findWebview(page: Page, query: WebviewQuery): Promise<Webview> {
  return until(`a webview with ${describe(query)}`, async () => {
    for (const outer of await page.locator('iframe.webview.ready').all()) {
      const name = await outer.getAttribute('name', { timeout: 1000 }).catch(() => null)
      if (name === null) continue
      const path = [`iframe.webview[name="${name}"]`, '#active-frame'] as const
      const inner = page.frameLocator(path[0]).locator(path[1])
      const frame = inner.contentFrame()
      if (query.title !== undefined) {
        const title = await inner.getAttribute('title', { timeout: 1000 }).catch(() => null)
        if (title === null || !matches(title, query.title)) continue
      }
      if (query.has !== undefined && (await frame.locator(query.has).count()) === 0) continue
      return { frame, path }
    }
    return undefined
  })
}

export interface Fault {
  id: string
  impact: string
  help: string
  /** The markup of each element at fault. */
  elements: string[]
}

/** The serious and critical faults that axe finds in our page; what the workbench around it does is left out. */
export async function serious(page: Page, webview: Webview): Promise<Fault[]> {
  const [outer = '', inner = ''] = webview.path
  const { violations } = await new AxeBuilder({ page }).include([outer, inner, 'body']).analyze()
  return violations.flatMap(({ id, impact, help, nodes }) =>
    impact === 'serious' || impact === 'critical' ? [{ id, impact, help, elements: nodes.map(node => node.html) }] : [],
  )
}

function matches(title: string, wanted: string | RegExp): boolean {
  return typeof wanted === 'string' ? title === wanted : wanted.test(title)
}

function describe({ title, has }: WebviewQuery): string {
  return [title && `the title ${title}`, has && `an element ${has}`].filter(Boolean).join(' and ') || 'anything inside'
}
