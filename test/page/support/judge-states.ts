// Judges the states of a page in every theme: axe finds no serious fault, and a picture goes to out/screenshots/page.
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { seriousFaults } from '../../support/axe.ts'
import { PageStage, setTheme, settled, until } from './open-page.ts'
import type { Theme } from './page-server.ts'
import type { PageState } from './page-states.ts'

const folder = fileURLToPath(new URL('../../../out/screenshots/page/', import.meta.url))
const themes: readonly Theme[] = ['dark', 'light', 'high-contrast', 'high-contrast-light']

/** Two tests for each state, inside the `describe` that calls this. */
export function judgeStates(states: readonly PageState[]): void {
  let stage: PageStage
  before(async () => {
    mkdirSync(folder, { recursive: true })
    stage = await PageStage.start()
  })
  after(() => stage.close())
  afterEach(() => stage.clear())

  for (const state of states) {
    it(state.name, async () => {
      const opened = await stage.open(state.page, { width: state.widths[0] ?? 380 })
      const { page } = opened
      await state.show(opened)
      for (const theme of themes) {
        await setTheme(page, theme)
        const widths = theme.startsWith('high-contrast') ? state.widths.slice(0, 1) : state.widths
        for (const width of widths) {
          await page.setViewportSize({ width, height: width < 500 ? 760 : 860 })
          await settled(page)
          await page.screenshot({ path: `${folder}${state.page}-${state.name}-${width}-${theme}.png` })
          assert.deepEqual(await cutOff(page), [], `${theme}, ${width} px`)
        }
        await until(() => page.evaluate(`!document.querySelector('[aria-busy=true]:not([role=log])')`), 'drawing')
        assert.deepEqual(await seriousFaults(page), [], theme)
      }
      assert.deepEqual(await opened.faults(), [])
    })
  }

  for (const state of states) {
    it(`${state.name}, not cut at 200 % zoom`, async () => {
      const opened = await stage.open(state.page, { width: state.page === 'review' ? 680 : 190, height: 430, scale: 2 })
      await state.show(opened)
      await opened.page.screenshot({ path: `${folder}${state.page}-${state.name}-zoom.png` })
      assert.deepEqual(await cutOff(opened.page), [])
    })
  }
}

/** Controls and words that reach over the side of the page, where nothing scrolls to them. */
function cutOff(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('button, vscode-button, textarea, .title, .revision, .model, .with, p')]
      .filter(element => !element.closest('.hidden') && getComputedStyle(element).position !== 'absolute')
      .filter(element => {
        const { left, right, width } = element.getBoundingClientRect()
        return width > 0 && (left < -1 || right > innerWidth + 1)
      })
      .map(element => element.outerHTML.slice(0, 120)),
  )
}
