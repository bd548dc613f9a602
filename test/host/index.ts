// What VS Code calls inside its extension host: mocha over every test file that was built beside this one.
import { globSync } from 'node:fs'
import { join } from 'node:path'
import Reporter from '../harness/reporter.ts'

/** Resolves when every test has passed; rejects otherwise, which VS Code turns into exit code 1. */
export async function run(): Promise<void> {
  const { default: Mocha } = await import('mocha')
  const grep = process.env.PLAN_MODE_TEST_GREP
  const mocha = new Mocha({ ui: 'bdd', timeout: 60_000, forbidOnly: true, reporter: Reporter, ...(grep && { grep }) })
  for (const file of globSync('**/*.test.cjs', { cwd: __dirname }).sort()) mocha.addFile(join(__dirname, file))
  const failures = await new Promise<number>(resolve => mocha.run(resolve))
  if (failures > 0) throw new Error(`${failures} tests failed`)
}
