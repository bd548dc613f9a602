// Root hooks of the window tests: a picture of every open window when a test fails, and nothing left running.
import { closeAll, openWindows } from './driver.ts'

export const mochaHooks: Mocha.RootHookObject = {
  async afterEach(this: Mocha.Context) {
    if (this.currentTest?.state !== 'failed') return
    const name = this.currentTest
      .fullTitle()
      .replace(/[^\w]+/g, '-')
      .slice(0, 100)
    for (const [index, window] of openWindows().entries()) {
      await window.screenshot(`failed-${name}-${index + 1}`).catch(() => undefined)
    }
  },
  afterAll: closeAll,
}
