// The mocha reporter of every suite: keeps the results file true after each test, and says what takes long.
import { inspect, stripVTControlCharacters } from 'node:util'
import Mocha from 'mocha'
import { type Results, resultsVariable, writeResults } from './results.ts'

/** A pass that took longer than this many milliseconds gets a line, so that slow suites show that they move. */
const slow = 1000

export default class Reporter extends Mocha.reporters.Base {
  readonly #file = process.env[resultsVariable]
  #results: Results = { ended: false, passed: 0, skipped: 0, failures: [] }

  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options)
    runner.on('test', test => this.#update({ running: test.fullTitle() }))
    runner.on('pass', test => {
      this.#update({ passed: this.#results.passed + 1 })
      const duration = test.duration ?? 0
      if (duration > slow) console.log(`  ✓ ${test.fullTitle()} (${(duration / 1000).toFixed(1)} s)`)
    })
    runner.on('pending', () => this.#update({ skipped: this.#results.skipped + 1 }))
    runner.on('fail', (test, error: unknown) => {
      const failure = { title: test.fullTitle(), error: errorText(error) }
      this.#update({ failures: [...this.#results.failures, failure] })
      console.log(`  ✗ ${failure.title}`)
    })
    runner.on('end', () => this.#update({ ended: true }))
  }

  #update(change: Partial<Results>): void {
    this.#results = { ...this.#results, ...change }
    if (this.#file) writeResults(this.#file, this.#results)
  }
}

function errorText(error: unknown): string {
  return stripVTControlCharacters(error instanceof Error ? (error.stack ?? error.message) : inspect(error))
}
