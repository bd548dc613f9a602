// Plain JavaScript that the machine's own Node (20 or later) runs before anything is installed: brings node_modules
// to what package-lock.json says, and hands over to the Node 24 that is among them.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { basename, delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const node24 = join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node')

/** Runs `npm ci` when node_modules is missing or is not what package-lock.json names; says so first. */
export async function installPackages() {
  if (isInstalled()) return
  console.log('Installing npm packages (about a minute) …')
  const started = Date.now()
  const [npm, ...args] = npmCommand()
  const code = await run(npm, [...args, 'ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: 'inherit',
  })
  if (code !== 0) throw new Error(`"npm ci" failed with exit code ${code}.`)
  console.log(`npm packages are installed (${Math.round((Date.now() - started) / 1000)} s).`)
}

/** Runs a file of this folder on Node 24 with this process's terminal; resolves with its exit code. */
export function runOnNode24(file, args) {
  const PATH = join(root, 'node_modules', '.bin') + delimiter + process.env.PATH
  const script = fileURLToPath(new URL(file, import.meta.url))
  return run(node24, [script, ...args], {
    cwd: root,
    env: { ...process.env, PATH },
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  })
}

/** npm, as the process that started this one was; else as PATH has it. */
function npmCommand() {
  const script = process.env.npm_execpath
  return script && basename(script) === 'npm-cli.js' ? [process.execPath, script] : ['npm']
}

// npm keeps, inside node_modules, the lock file of what it installed there.
function isInstalled() {
  const installed = packagesOf(join(root, 'node_modules', '.package-lock.json'))
  if (!installed || !existsSync(node24)) return false
  return Object.entries(packagesOf(join(root, 'package-lock.json'))).every(([path, wanted]) => {
    if (path === '' || (wanted.optional && !installed[path])) return true // for another platform
    return installed[path]?.version === wanted.version && installed[path].integrity === wanted.integrity
  })
}

function packagesOf(lockFile) {
  return existsSync(lockFile) ? JSON.parse(readFileSync(lockFile, 'utf8')).packages : undefined
}

// On Ctrl+C the terminal tells the child too, and we wait for it. What only we get is passed on; so is the end of our
// parent, which tells nobody: npm and its shell do not pass SIGTERM on.
function run(command, args, options) {
  const child = spawn(command, args, options)
  const parent = process.ppid
  const watch = setInterval(() => process.ppid !== parent && child.kill('SIGTERM'), 500)
  process.on('SIGINT', () => {})
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', code => resolve(code ?? 1))
  }).finally(() => clearInterval(watch))
}
