// Brings the peer's packages to what package-lock.json here says; the product's own lock knows nothing of them.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { withLock } from '../harness/lock.ts'

const folder = import.meta.dirname
const lockFile = join(folder, 'package-lock.json')
/** Beside the packages: the lock file they were installed from. */
const stamp = join(folder, 'node_modules', '.installed-from.json')
const LONGEST_MS = 90_000

/** What npm says when it got no answer from a registry; everything else is a mistake of ours. */
const UNREACHABLE =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|CERT|SIGNATURE|E40[137]|E50\d|network/

/**
 * Installs the packages, quietly, unless they are there. Resolves to undefined when they are there, else to a sentence
 * that says why they cannot be had. @throws when npm refuses the lock file itself.
 */
export async function installPeer(): Promise<string | undefined> {
  const wanted = await readFile(lockFile, 'utf8')
  if ((await installedFrom()) === wanted) return undefined
  return withLock(`${folder}/.install.lock`, "installs the peer's packages", () => install(wanted))
}

async function install(wanted: string): Promise<string | undefined> {
  if ((await installedFrom()) === wanted) return undefined
  const { code, output } = await npmInstall()
  if (code === 0) {
    await writeFile(stamp, wanted)
    return undefined
  }
  if (code !== undefined && !UNREACHABLE.test(output)) throw new Error(`"npm ci" failed in test/peer:\n${output}`)
  return "The peer's packages could not be installed, because no package registry can be reached."
}

function installedFrom(): Promise<string | undefined> {
  return readFile(stamp, 'utf8').catch(() => undefined)
}

/** Whether `installPeer` has brought the packages here once. */
export function isPeerInstalled(): boolean {
  return existsSync(stamp)
}

/** Without a code when npm had to be stopped. */
function npmInstall(): Promise<{ code: number | undefined; output: string }> {
  const script = process.env.npm_execpath
  const ownNpm = script !== undefined && basename(script) === 'npm-cli.js'
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error', '--fetch-retries=1', '--fetch-timeout=30000']
  const [command, ...before] = ownNpm ? [process.execPath, script] : ['npm']
  const child = spawn(command, [...before, ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: !ownNpm && process.platform === 'win32',
    timeout: LONGEST_MS,
    // Below `npm run`, npm would otherwise take the project that runs for the one to install into.
    env: { ...process.env, npm_config_local_prefix: folder },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', text => (output += String(text)))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', code => resolve({ code: code ?? undefined, output }))
  })
}
