// Judges a page by axe, inside the page itself: what is around it, and in frames in it, is left out.
import axe from 'axe-core'
import type { Frame, Page } from 'playwright-core'

export interface Fault {
  id: string
  impact: string
  help: string
  /** The markup of each element at fault, and what is wrong with it. */
  elements: string[]
}

/** The serious and critical faults of what a page shows now. */
export async function seriousFaults(page: Page | Frame): Promise<Fault[]> {
  // The script is half a megabyte: a page takes it once.
  if (await page.evaluate('typeof axe === "undefined"')) await page.evaluate(axe.source)
  const { violations }: axe.AxeResults = await page.evaluate('axe.run(document, { preload: false })')
  return violations.flatMap(({ id, impact, help, nodes }) =>
    impact === 'serious' || impact === 'critical'
      ? [{ id, impact, help, elements: nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`) }]
      : [],
  )
}
