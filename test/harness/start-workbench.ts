// Builds the extension and opens a real VS Code with it: desktop where one can be had, else code-server.
import { existsSync } from 'node:fs'
import { cp, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cacheFolder } from './cache.ts'
import { desktopVSCode } from './desktop.ts'
import { installExtension } from './extension.ts'
import { root, sample } from './paths.ts'
import { type KeptProcess, keep, runQuietly } from './processes.ts'
import { extensionsFolder, startServer, userFolder } from './server.ts'

const port = 8421
const firstSettings = { 'workbench.startupEditor': 'none', 'workbench.secondarySideBar.defaultVisibility': 'hidden' }

// Kept between starts, so that the next one finds the conversations again.
const state = join(cacheFolder(), 'start')
const workspace = join(state, 'workspace', 'parcel-tracker')

for (const end of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect']) process.on(end, () => process.exit(130))

try {
  await runQuietly(process.execPath, ['esbuild.mjs'], { cwd: root })
  await prepareState()
  const executable = await desktopVSCode()
  const { ended } = executable ? openDesktop(executable) : await openServer()
  process.exit(await ended)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}

async function prepareState(): Promise<void> {
  if (!existsSync(workspace)) await cp(sample, workspace, { recursive: true })
  const settings = join(userFolder(state), 'User', 'settings.json')
  if (existsSync(settings)) return
  await mkdir(join(userFolder(state), 'User'), { recursive: true })
  await writeFile(settings, JSON.stringify(firstSettings, null, 2))
}

function openDesktop(executable: string): KeptProcess {
  const flags = [
    ...['--new-window', '--wait', '--disable-workspace-trust', '--skip-welcome', '--skip-release-notes'],
    ...[`--user-data-dir=${userFolder(state)}`, `--extensions-dir=${extensionsFolder(state)}`],
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    `--extensionDevelopmentPath=${root}`,
  ]
  console.log(`Plan Mode runs in ${executable}, on the sample workspace ${workspace}.`)
  console.log('Close the window or press Ctrl+C to end it.')
  return keep(executable, [...flags, workspace], { env: process.env, output: join(state, 'desktop.log') })
}

// Installed as a user has it, not as an extension under development: that would need VS Code's test mode, which
// shows no notification toasts.
async function openServer(): Promise<KeptProcess> {
  await rm(extensionsFolder(state), { recursive: true, force: true })
  await installExtension(extensionsFolder(state))
  const server = await startServer({ state, port })
  console.log('Plan Mode runs in code-server, a real VS Code for the browser. Open')
  console.log(`\n    ${server.origin}/?folder=${encodeURI(workspace)}\n`)
  console.log(`The sample workspace is ${workspace}. Press Ctrl+C to end it.`)
  return server
}
