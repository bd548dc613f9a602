// The Chromium that page tests, window tests and the shim look through.
import { type Browser, chromium } from 'playwright-core'
import { browserPackages, chromiumPath, requireSystemPackages } from './system-packages.ts'

/** A headless Chromium; it ends with this process at the latest. Chromium refuses its own sandbox as root. */
export async function launchBrowser(): Promise<Browser> {
  await requireSystemPackages(browserPackages)
  const executablePath = chromiumPath()
  if (!executablePath) throw new Error('No Chromium was found. Name one in PLAN_MODE_CHROMIUM.')
  return chromium.launch({ executablePath, chromiumSandbox: process.getuid?.() !== 0 })
}
