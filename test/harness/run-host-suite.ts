// The host suite: the one test entry, @vscode/test-electron, on desktop VS Code or on the shim that stands in for it.
import { cpSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runTests } from '@vscode/test-electron'
import { desktopVSCode } from './desktop.ts'
import { root, sample } from './paths.ts'

const shim = fileURLToPath(new URL('shim.ts', import.meta.url))
const settings = { 'workbench.startupEditor': 'none', 'git.openRepositoryInParentFolders': 'never' }

const state = mkdtempSync(join(tmpdir(), 'host-'))
const workspace = join(state, 'workspace', 'sample')
const user = join(state, 'user')
cpSync(sample, workspace, { recursive: true })
mkdirSync(join(user, 'User'), { recursive: true })
writeFileSync(join(user, 'User', 'settings.json'), JSON.stringify(settings))

try {
  await runTests({
    vscodeExecutablePath: (await desktopVSCode()) ?? shim,
    extensionDevelopmentPath: root,
    extensionTestsPath: join(root, 'out', 'test', 'host', 'index.cjs'),
    launchArgs: [workspace, `--user-data-dir=${user}`, `--extensions-dir=${join(state, 'extensions')}`],
    extensionTestsEnv: { PLAN_MODE_TEST_GREP: process.argv[2] },
  })
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
