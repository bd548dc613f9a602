// `npm test`: installs what is missing and runs the suites, or only those named: `npm test -- unit host --grep TITLE`.
import { installPackages, runOnNode24 } from './packages.mjs'

try {
  await installPackages()
  process.exitCode = await runOnNode24('run-suites.ts', process.argv.slice(2))
} catch (error) {
  console.error(error.message)
  console.log('0 passed, 1 failed, 0 skipped')
  process.exitCode = 1
}
