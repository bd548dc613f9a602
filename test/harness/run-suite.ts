// One suite: its process, its time, its results.
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './paths.ts'
import { keep, lastLines } from './processes.ts'
import { type Results, readResults, readRunning, removeResults, resultsVariable } from './results.ts'
import type { Suite } from './suites.ts'

/**
 * What Node has compiled of our sources, by their content: half of what a process of the unit tests costs is its start.
 * What is built starts as it does for a person.
 */
const compileCache = join(root, 'out', 'compile-cache')

/**
 * Runs a suite to its end, or to the end of its time, and prints one line about it and each failure. A suite that
 * crashes, hangs or, without `grep`, runs no test has a failure that says so. Logs and results go into `folder`.
 */
export async function runSuite(suite: Suite, grep: string | undefined, folder: string): Promise<Results> {
  if (suite.about) console.log(`${suite.name}: ${suite.about} …`)
  const started = Date.now()
  const log = join(folder, `${suite.name}.log`)
  const file = join(folder, `${suite.name}.json`)
  removeResults(file)
  writeFileSync(log, '')
  const { code, late } = await runToItsEnd(suite, grep, { log, file })
  const results = suite.counts === 'mocha' ? mochaResults(file) : commandResults(suite, code)
  const fault = findFault(suite, results, { code, late, grep })
  if (fault) results.failures.push({ title: suite.name, error: `${fault}\n${lastLines(log)}`.trimEnd() })
  print(suite, results, Date.now() - started)
  return results
}

interface Ending {
  code: number
  /** Whether it was ended because its time was over. */
  late: boolean
}

async function runToItsEnd(
  suite: Suite,
  grep: string | undefined,
  { log, file }: { log: string; file: string },
): Promise<Ending> {
  const [command = '', ...args] = suite.command(grep)
  const env = { ...process.env, [resultsVariable]: file, ...(!suite.built && { NODE_COMPILE_CACHE: compileCache }) }
  const child = keep(command, args, { cwd: root, env, output: suite.shown ? 'inherit' : log })
  let late = false
  const bound = setTimeout(() => {
    late = true
    void child.end()
  }, suite.minutes * 60_000)
  const code = await child.ended
  clearTimeout(bound)
  return { code, late }
}

function mochaResults(file: string): Results {
  if (!existsSync(file)) return { ended: false, passed: 0, skipped: 0, failures: [] }
  const running = readRunning(file).join('; ')
  return { ...readResults(file), ...(running !== '' && { running }) }
}

function commandResults(suite: Suite, code: number): Results {
  return { ended: true, passed: suite.counts === 'command' && code === 0 ? 1 : 0, skipped: 0, failures: [] }
}

/** What is wrong with the suite as a whole, beside the tests that failed. */
function findFault(suite: Suite, results: Results, ending: Ending & { grep: string | undefined }): string | undefined {
  const { ended, passed, skipped, failures, running } = results
  const at = running === undefined ? '' : ` It was in: ${running}`
  if (ending.late) return `Ended after ${suite.minutes} minutes.${at}`
  if (!ended) return `Stopped with exit code ${ending.code} before its end.${at}`
  if (ending.code !== 0 && failures.length === 0) return `Failed with exit code ${ending.code}.`
  if (suite.counts === 'mocha' && passed + skipped + failures.length === 0 && ending.grep === undefined)
    return 'Ran no test.'
  return undefined
}

function print(suite: Suite, { passed, skipped, failures }: Results, milliseconds: number): void {
  const counts = { passed, failed: failures.length, skipped }
  const words = Object.entries(counts).flatMap(([word, count]) => (count > 0 ? [`${count} ${word}`] : []))
  console.log(`${suite.name.padEnd(8)}${(words.join(', ') || 'done').padEnd(36)}${(milliseconds / 1000).toFixed(1)} s`)
  for (const { title, error } of failures) console.log(`\n  ✗ ${title}\n${error.replace(/^/gm, '    ')}\n`)
}
