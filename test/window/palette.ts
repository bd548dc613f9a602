// The command palette and every other quick pick.
import type { Locator, Page } from 'playwright-core'
import { until } from './until.ts'

/** Runs a command by its exact title, "Plan: Toggle"; resolves when the palette has let go of it. */
export async function runCommand(page: Page, title: string): Promise<void> {
  await openPalette(page)
  await quickInput(page).fill(`>${title}`)
  await pick(page, title)
}

/** Chooses an entry of the quick pick that is open, by its whole label or by a part that matches. */
export async function pick(page: Page, label: string | RegExp): Promise<void> {
  const rows = page.locator('.quick-input-widget .monaco-list-row')
  const row = rows.filter({ has: page.getByText(label, { exact: true }) }).first()
  await row.click()
  await row.waitFor({ state: 'hidden' })
}

/** The text field of the quick input that is open. */
export function quickInput(page: Page): Locator {
  return page.locator('.quick-input-widget:visible .quick-input-filter input:visible')
}

// A key pressed while the window is still starting, or while a page is loading, may go nowhere.
async function openPalette(page: Page): Promise<void> {
  await until('the command palette', async () => {
    await page.keyboard.press('F1')
    return quickInput(page)
      .waitFor({ timeout: 2000 })
      .then(() => true)
      .catch(() => undefined)
  })
}
