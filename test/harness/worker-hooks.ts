// Root hooks of a suite that runs in workers of mocha.
import { flushCompileCache } from 'node:module'
import { resultsVariable, sayRunning } from './results.ts'

export const mochaHooks: Mocha.RootHookObject = {
  beforeEach(this: Mocha.Context) {
    const { [resultsVariable]: file, MOCHA_WORKER_ID: worker } = process.env
    if (file !== undefined && worker !== undefined) sayRunning(file, worker, this.currentTest?.fullTitle() ?? '')
  },
  // The processes that tests start have it now, not only once this one has ended.
  afterAll() {
    flushCompileCache()
  },
}
