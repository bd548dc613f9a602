// The suites of `npm test`, in the order in which they run.
import { globSync } from 'node:fs'
import { join, normalize } from 'node:path'
import { codeServer } from './code-server.ts'
import { desktopVSCode } from './desktop.ts'
import { root } from './paths.ts'
import { requireBrowser } from './system-packages.ts'

export interface Suite {
  readonly name: string
  /** Said before it begins, where it takes long. */
  readonly about?: string
  /** `command`: one test, passed with exit code 0. `mocha`: counts from its results file. `step`: no test of its own. */
  readonly counts: 'command' | 'mocha' | 'step'
  /** Whether its output is shown as it comes; it is in its log file otherwise. */
  readonly shown?: boolean
  /** A suite that is still running after this many minutes has failed. */
  readonly minutes: number
  /** Whether it looks at what was built. */
  readonly built?: boolean
  /** Brings what has to be there before any suite begins. */
  prepare?(): Promise<unknown>
  /** `grep` chooses tests by their title, where a suite knows titles. */
  command(grep: string | undefined): readonly string[]
}

const node = process.execPath

export const suites: readonly Suite[] = [
  { name: 'types', counts: 'command', minutes: 5, command: () => ['npm', 'run', '--silent', 'types'] },
  { name: 'lint', counts: 'command', minutes: 5, command: () => ['npm', 'run', '--silent', 'lint'] },
  {
    name: 'unit',
    counts: 'mocha',
    shown: true,
    minutes: 15,
    command: grep =>
      mocha(['test/unit/**/*.test.ts', 'test/contract/**/*.test.ts', 'test/peer/*.test.ts'], {
        timeout: 30_000,
        grep,
        jobs: 2,
        first: [
          'test/unit/plan/model-property.test.ts',
          'test/unit/persistence/take-over/processes.test.ts',
          'test/unit/persistence/sqlite/processes.test.ts',
          'test/unit/persistence/crash.test.ts',
          'test/unit/tools/program/escapes.test.ts',
          'test/peer/interop.test.ts',
        ],
      }),
  },
  { name: 'build', counts: 'step', minutes: 5, command: () => [node, 'esbuild.mjs'] },
  {
    name: 'host',
    about: 'mocha inside the extension host of a real VS Code',
    counts: 'mocha',
    minutes: 10,
    built: true,
    prepare: prepareHost,
    command: grep => [node, join('test', 'harness', 'run-host-suite.ts'), ...(grep === undefined ? [] : [grep])],
  },
  {
    name: 'page',
    about: 'the pages alone in a real Chromium',
    counts: 'mocha',
    shown: true,
    minutes: 20,
    built: true,
    prepare: requireBrowser,
    command: grep =>
      mocha(['test/page/**/*.test.ts'], {
        timeout: 30_000,
        grep,
        jobs: 2,
        first: [
          'test/page/conversation-states.test.ts',
          'test/page/review-states.test.ts',
          'test/page/hostile.test.ts',
        ],
      }),
  },
  {
    name: 'window',
    about: 'whole walks in a real VS Code window, some minutes',
    counts: 'mocha',
    shown: true,
    minutes: 30,
    built: true,
    prepare: prepareWindow,
    command: grep =>
      mocha(['test/window/**/*.test.ts'], { timeout: 120_000, grep, jobs: 1, require: './test/window/hooks.ts' }),
  },
]

async function prepareHost(): Promise<void> {
  if (!(await desktopVSCode())) await prepareWindow()
}

async function prepareWindow(): Promise<void> {
  await requireBrowser()
  await codeServer()
}

interface MochaOptions {
  timeout: number
  grep: string | undefined
  /** How many files run at a time, each in a process of its own. */
  jobs: number
  /** The files that take longest: one that begins last would keep one worker waiting for the other. */
  first?: readonly string[]
  require?: string
}

// --no-config: the files of .mocharc.json, which is for `npm run unit`, would be added to these.
function mocha(patterns: readonly string[], { timeout, grep, jobs, first = [], require }: MochaOptions): string[] {
  const options = [
    '--no-config',
    '--forbid-only',
    '--reporter',
    './test/harness/reporter.ts',
    '--timeout',
    `${timeout}`,
  ]
  if (jobs > 1) options.push('--parallel', '--jobs', `${jobs}`, '--require', './test/harness/worker-hooks.ts')
  if (require !== undefined) options.push('--require', require)
  if (grep !== undefined) options.push('--grep', grep)
  const found = patterns.flatMap(pattern => globSync(pattern, { cwd: root })).sort()
  const files = new Set([...first.map(normalize), ...found])
  return [node, join('node_modules', 'mocha', 'bin', 'mocha.js'), ...options, ...files]
}
