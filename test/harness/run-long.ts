// The long profile: only the tests that a number in the environment makes longer, with no limit on their time.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { root } from './paths.ts'

const files = [
  'test/unit/**/*property*.test.ts',
  'test/unit/**/crash.test.ts',
  'test/unit/**/processes.test.ts',
  'test/unit/**/differential.test.ts',
  'test/unit/session/*.test.ts',
  'test/unit/review/draft-store.test.ts',
  'test/unit/review/kill-points.test.ts',
]
const mocha = join(root, 'node_modules', 'mocha', 'bin', 'mocha.js')
const setup = join(root, 'test', 'harness', 'long-setup.ts')
const args = [mocha, '--reporter', 'spec', '--timeout', '0', '--require', setup, ...process.argv.slice(2), ...files]
const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' })
const [code] = await once(child, 'exit')
process.exitCode = typeof code === 'number' ? code : 1
