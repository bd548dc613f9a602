// Runs the suites one after the other and ends with the line that counts: N passed, N failed, N skipped.
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from './paths.ts'
import { runSuite } from './run-suite.ts'
import { type Suite, suites } from './suites.ts'

// Whatever a suite leaves in the temporary folder goes with it, also when this is interrupted.
const temporary = mkdtempSync(join(tmpdir(), 'pm-'))
// Some tests let another user look at what they made below.
chmodSync(temporary, 0o711)
process.env.TMPDIR = temporary
process.on('exit', () => rmSync(temporary, { recursive: true, force: true, maxRetries: 3 }))
for (const end of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect']) process.on(end, () => process.exit(130))

process.exit(await runSuites())

/** Resolves with the exit code. */
async function runSuites(): Promise<number> {
  const total = { passed: 0, failed: 0, skipped: 0 }
  try {
    const { values, positionals } = parseArgs({ options: { grep: { type: 'string' } }, allowPositionals: true })
    const chosen = choose(positionals)
    for (const suite of chosen) await suite.prepare?.()
    const folder = join(root, 'out', 'test')
    mkdirSync(folder, { recursive: true })
    let broken = false
    for (const suite of chosen) {
      if (broken && suite.built) {
        console.log(`${suite.name.padEnd(8)}not run: the build failed`)
        continue
      }
      const { passed, failures, skipped } = await runSuite(suite, values.grep, folder)
      broken ||= suite.counts === 'step' && failures.length > 0
      total.passed += passed
      total.failed += failures.length
      total.skipped += skipped
    }
    if (total.passed + total.failed === 0) throw new Error('No test ran.')
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    total.failed += 1
  }
  console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`)
  return total.failed === 0 ? 0 : 1
}

/** All suites when none is named; those that look at what was built bring the build. */
function choose(names: readonly string[]): readonly Suite[] {
  if (names.length === 0) return suites
  const known = suites.map(suite => suite.name)
  const unknown = names.find(name => !known.includes(name))
  if (unknown !== undefined) throw new Error(`There is no suite "${unknown}". There are: ${known.join(', ')}.`)
  const build = suites.some(suite => suite.built && names.includes(suite.name))
  return suites.filter(suite => names.includes(suite.name) || (build && suite.name === 'build'))
}
