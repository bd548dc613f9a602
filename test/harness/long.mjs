// `npm run test:long`: the crash, two-process and property tests for hours instead of minutes. Each number can be given
// in the environment; the seed of the properties is printed, and SEED repeats a run.
import { installPackages, runOnNode24 } from './packages.mjs'

const defaults = {
  CRASH_ROUNDS: 500,
  TAKE_OVER_MS: 60_000,
  FREEZES: 50,
  AGENT_RUNS: 20_000,
  PROPERTY_RUNS: 2000,
  DRAFT_KILLS: 500,
  REVIEW_KILLS: 200,
  PROPERTY_MINUTES: 60,
}

try {
  await installPackages()
  for (const [name, value] of Object.entries(defaults)) process.env[name] ??= String(value)
  process.env.SEED ??= String(Date.now() % 2 ** 31)
  const names = [...Object.keys(defaults), 'SEED']
  console.log(names.map(name => `${name}=${process.env[name]}`).join(' '))
  process.exitCode = await runOnNode24('run-long.ts', process.argv.slice(2))
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
