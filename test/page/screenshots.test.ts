// Draws every state in every theme and width into out/screenshots/page, to be looked at.
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { PageStage, settled } from './support/open-page.ts'
import type { Theme } from './support/page-server.ts'
import { states } from './support/states.ts'

const folder = fileURLToPath(new URL('../../out/screenshots/page/', import.meta.url))

describe('screenshots of the pages', function () {
  this.timeout(60_000)
  let stage: PageStage
  before(async () => {
    mkdirSync(folder, { recursive: true })
    stage = await PageStage.start()
  })
  after(() => stage.close())
  afterEach(() => stage.clear())

  for (const state of states) {
    it(`${state.page}: ${state.name}`, async () => {
      for (const theme of ['dark', 'light', 'high-contrast'] satisfies Theme[]) {
        const opened = await stage.open(state.page, { theme, width: state.widths[0] ?? 380 })
        await state.show(opened)
        for (const width of state.widths) {
          await opened.page.setViewportSize({ width, height: width < 500 ? 760 : 860 })
          await settled(opened.page)
          await opened.page.screenshot({ path: `${folder}${state.page}-${state.name}-${width}-${theme}.png` })
        }
        await stage.clear()
      }
    })
  }
})
