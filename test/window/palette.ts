// The command palette and every other quick pick.
import { errors, type Locator, type Page } from 'playwright-core'
import { until } from './until.ts'

/** Runs a command by its exact title, "Plan: Toggle"; resolves when the palette has let go of it. */
export async function runCommand(page: Page, title: string): Promise<void> {
  await until(`the command palette to run "${title}"`, async () => {
    try {
      await chooseCommand(page, title)
      return true
    } catch (error) {
      if (error instanceof errors.TimeoutError) return undefined
      throw error
    }
  })
}

// A key pressed while the window is still starting goes nowhere, and a page that takes the focus closes the palette;
// so each act has little time and all of them are tried again.
async function chooseCommand(page: Page, title: string): Promise<void> {
  const timeout = 3000
  const input = quickInput(page)
  if (!(await input.isVisible())) await page.keyboard.press('F1')
  await input.fill(`>${title}`, { timeout })
  const row = entry(page, title)
  await row.click({ timeout })
  await row.waitFor({ state: 'hidden' })
}

/** Chooses an entry of the quick pick that is open, by its whole label or by a part that matches. */
export async function pick(page: Page, label: string | RegExp): Promise<void> {
  const row = entry(page, label)
  await row.click()
  await row.waitFor({ state: 'hidden' })
}

function entry(page: Page, label: string | RegExp): Locator {
  const rows = page.locator('.quick-input-widget .monaco-list-row')
  return rows.filter({ has: page.getByText(label, { exact: true }) }).first()
}

/** The text field of the quick input that is open. */
export function quickInput(page: Page): Locator {
  return page.locator('.quick-input-widget:visible .quick-input-filter input:visible')
}
