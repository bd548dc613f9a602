// What a mocha suite reports to the harness, in a file: exact counts, also from inside an extension host.
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { z } from 'zod'

const results = z.strictObject({
  /** Whether the suite came to its own end. */
  ended: z.boolean(),
  passed: z.number(),
  skipped: z.number(),
  failures: z.array(z.strictObject({ title: z.string(), error: z.string() })),
  /** The test that was running when this was written. */
  running: z.string().optional(),
})

export type Results = z.infer<typeof results>

/** The environment variable that names the file. */
export const resultsVariable = 'PLAN_MODE_TEST_RESULTS'

/** Throws when the file is not there or is not what a suite writes. */
export function readResults(file: string): Results {
  return results.parse(JSON.parse(readFileSync(file, 'utf8')))
}

export function writeResults(file: string, value: Results): void {
  writeFileSync(file, JSON.stringify(value))
}

/**
 * Says which test a worker of mocha begins: what the reporter hears of a worker comes when a whole file is done, too
 * late for a suite that hangs.
 */
export function sayRunning(file: string, worker: string, title: string): void {
  writeFileSync(`${file}.${worker}`, title)
}

/** The tests that the workers began last. */
export function readRunning(file: string): string[] {
  return runningFiles(file).map(each => readFileSync(each, 'utf8'))
}

/** Forgets what earlier runs have written. */
export function removeResults(file: string): void {
  for (const each of [file, ...runningFiles(file)]) rmSync(each, { force: true })
}

function runningFiles(file: string): string[] {
  return globSync(`${file}.*`)
}
