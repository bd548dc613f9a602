// Root hooks of the window tests: a picture of every open window when a test fails, and nothing left running.
import { closeAll, openWindows } from './driver.ts'
import { isShared, tested } from './shared.ts'

export const mochaHooks: Mocha.RootHookObject = {
  async afterEach(this: Mocha.Context) {
    tested(this.currentTest?.state === 'passed')
    if (this.currentTest?.state !== 'failed') return
    const name = this.currentTest
      .fullTitle()
      .replace(/[^\w]+/g, '-')
      .slice(0, 100)
    for (const [index, window] of openWindows().entries()) {
      await window.screenshot(`failed-${name}-${index + 1}`).catch(() => undefined)
    }
  },
  // A worker of mocha comes here after each of its files; what it keeps dies with it.
  async afterAll() {
    if (process.env.MOCHA_WORKER_ID === undefined) await closeAll()
    else await Promise.all(openWindows().map(window => (isShared(window) ? undefined : window.close())))
  },
}
