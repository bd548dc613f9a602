// The notification centre: toasts are not shown in VS Code's test mode, the centre always has them all.
import type { Page } from 'playwright-core'

export interface Notification {
  message: string
  severity: 'info' | 'warning' | 'error'
  /** Labels, left to right. */
  buttons: string[]
  /** Presses a button of the notification. */
  press(button: string): Promise<void>
}

/** What the notification centre holds, newest first. Opens the centre and leaves it open. */
export async function readNotifications(page: Page): Promise<Notification[]> {
  const centre = page.locator('.notifications-center.visible')
  if (!(await centre.isVisible())) await page.locator('#status\\.notifications').click()
  await page.mouse.move(0, 0) // the bell's hover would lie over the buttons of the centre
  await centre.waitFor()
  const items = await centre.locator('.notification-list-item').all()
  return Promise.all(
    items.map(async item => {
      const message = (await item.locator('.notification-list-item-message').textContent()) ?? ''
      const icon = (await item.locator('.notification-list-item-icon').getAttribute('class')) ?? ''
      const severity = /codicon-(info|warning|error)/.exec(icon)?.[1]
      const buttons = item.locator(
        '.notification-list-item-buttons-container .monaco-button:not(.monaco-dropdown-button)',
      )
      return {
        message,
        severity: severity === 'error' || severity === 'warning' ? severity : 'info',
        buttons: await buttons.allTextContents(),
        press: label => buttons.getByText(label, { exact: true }).click(),
      }
    }),
  )
}
