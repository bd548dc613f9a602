import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { builtEngineFiles } from '../../../support/engine-files.ts'
import { type Attempt, attempts } from './attempts.ts'
import { TestEngine } from './engine.ts'

const repository = resolve(import.meta.dirname, '../../../..')
const canary = 'canary-5d1f'

/** Nothing of the host may be read in what comes back: no path, no file, no variable of its environment. */
function assertTellsNothing(text: string): void {
  const secrets = [repository, homedir(), tmpdir(), process.execPath, 'node_modules', 'node:', 'file:', '.wasm', canary]
  for (const secret of secrets.filter(each => each !== '/'))
    assert.ok(!text.includes(secret), `it tells ${secret}: ${text}`)
}

/** What of this process a program could spoil. */
function world(): unknown {
  return [
    Object.getOwnPropertyNames(Object.prototype),
    Object.getOwnPropertyNames(Array.prototype),
    Object.getOwnPropertyNames(globalThis),
    ({} as { polluted?: unknown }).polluted,
    process.exitCode,
    process.cwd(),
    { ...process.env },
  ]
}

describe('a program that tries to get out', () => {
  let folder: string
  let test: TestEngine

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plan-mode-program-'))
    test = new TestEngine(await builtEngineFiles(folder))
    process.env.PLAN_MODE_CANARY = canary
  })
  after(async () => {
    delete process.env.PLAN_MODE_CANARY
    await test[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  })

  for (const attempt of attempts) {
    it(attempt.name, async function () {
      this.timeout(60_000) // a thread starts for each, on whatever machine this is
      await assertHeld(test, attempt)
    })
  }

  it('is one of many', () => {
    assert.ok(attempts.length >= 40)
    assert.equal(new Set(attempts.map(({ name }) => name)).size, attempts.length)
  })
})

async function assertHeld(test: TestEngine, { code, gives, fails, bounds, calls }: Attempt): Promise<void> {
  const before = world()
  test.calls.length = 0
  const end = await test.run(code, bounds)
  assert.equal(end.kind, fails === true ? 'failed' : 'returned', JSON.stringify(end))
  const said = end.kind === 'failed' ? end.problem : end.kind === 'returned' ? (end.value ?? '') : ''
  assert.match(said, gives)
  assert.notEqual(said, 'escaped')
  assertTellsNothing(JSON.stringify(end))
  assert.deepEqual(world(), before)
  assert.equal(test.engine.running, 0, 'its thread is gone')
  for (const { args } of test.calls) assert.equal(typeof args, 'string')
  if (calls !== undefined)
    assert.deepEqual(
      test.calls.map(({ args }) => args),
      calls,
    )
}
