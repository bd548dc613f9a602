import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator } from 'playwright-core'
import type { Window } from './driver.ts'
import { sharedWindow } from './shared.ts'
import { until } from './until.ts'
import { askForPlan } from './walks.ts'

/** Every unsent review of a window, as the extension has it on disk. */
async function drafts({ state }: Window): Promise<string> {
  const names = await readdir(state, { recursive: true })
  const files = names.filter(name => /reviews[\\/][0-9a-f]{32}\.json$/.test(name))
  // A draft with nothing left in it is removed, maybe between the list and the read.
  const texts = files.map(name => readFile(join(state, name), 'utf8').catch(() => ''))
  return (await Promise.all(texts)).join('\n')
}

describe('the source of a plan in a native editor', () => {
  let window: Window

  before(async () => {
    window = await sharedWindow()
  })

  it('takes a remark from its gutter, keeps it on disk, and shows it again after a reload', async () => {
    await askForPlan(window)
    await window.command('Plan: Open Plan Source')
    const { page } = window
    const editor = page.locator('.editor-instance .monaco-editor[data-uri^="plan-mode-plan:"]')
    const title = editor.locator('.view-line').first()
    await title.waitFor()
    await title.hover()
    // The sign that a line can be remarked on stands beside each; the one of the title is at its height.
    const placeOf = (what: string, element: Locator) =>
      until(what, async () => (await element.boundingBox()) ?? undefined)
    const sign = await placeOf('the sign', editor.locator('.comment-range-glyph').first())
    const line = await placeOf('the title', title)
    await page.mouse.click(sign.x + sign.width / 2, line.y + line.height / 2)
    const box = page.locator('.review-widget .monaco-editor')
    await box.waitFor()
    await box.click()
    await page.keyboard.type('A clearer title, please.')
    await page.locator('.review-widget .monaco-text-button', { hasText: /^Remark$/ }).click()

    const thread = page.locator('.review-widget', { hasText: 'A clearer title, please.' })
    await thread.getByText('C1 · Remark · not sent yet').waitFor()
    await window.screenshot('native-review')
    const kept = await until('the remark on disk', async () => {
      const text = await drafts(window)
      return text.includes('A clearer title, please.') ? text : undefined
    })
    assert.match(kept, /"id":"C1","kind":"remark","anchor":\{"quote":"# Plan a small change to the README"/)

    await window.reload()
    await title.waitFor()
    await editor
      .locator('.comment-range-glyph.comment-thread-unresolved, .comment-range-glyph.comment-thread')
      .first()
      .click()
    await thread.getByText('C1 · Remark · not sent yet').waitFor()
    await thread.hover()
    await thread.getByLabel('Delete Remark').first().click()
    await until('the remark to be gone', async () => ((await drafts(window)).includes('clearer') ? undefined : true))
  })
})
