// A real VS Code from npm where no desktop one can be had: code-server, installed once into the user's cache.
import { existsSync } from 'node:fs'
import { glob, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { cacheFolder } from './cache.ts'
import { withLock } from './lock.ts'
import { runQuietly } from './processes.ts'
import { buildPackages, requireSystemPackages } from './system-packages.ts'

const version = '4.139.1'

export interface CodeServer {
  /** The Node that its native modules were built for. */
  node: string
  /** The script that Node runs. */
  entry: string
}

/** The installed code-server; installs it first (about two minutes) when the cache does not have it. */
export async function codeServer(): Promise<CodeServer> {
  const folder = join(cacheFolder(), `code-server-${version}-${process.versions.node.split('.')[0]}`)
  if (!existsSync(folder)) {
    await withLock(`${folder}.lock`, 'installs code-server', async () => {
      if (!existsSync(folder)) await install(folder)
    })
  }
  return {
    node: join(folder, 'node_modules', nodePackage(), 'bin', 'node'),
    entry: join(folder, 'node_modules', 'code-server', 'out', 'node', 'entry.js'),
  }
}

// Everything is built in a folder beside `folder` and moved there in one step, so no half install is ever seen; what
// an interrupted one left is removed. Only the holder of the lock comes here.
async function install(folder: string): Promise<void> {
  await requireSystemPackages(buildPackages)
  console.log(`Installing code-server ${version} into ${folder} (once, about two minutes) …`)
  const started = Date.now()
  for await (const unfinished of glob(`${folder}.??????`)) await rm(unfinished, { recursive: true, force: true })
  const temporary = await mkdtemp(`${folder}.`)
  try {
    const dependencies = { [nodePackage()]: process.versions.node, 'code-server': version }
    const allowScripts = { 'code-server': true }
    await writeFile(join(temporary, 'package.json'), JSON.stringify({ private: true, dependencies, allowScripts }))
    await runQuietly('npm', ['install', '--no-audit', '--no-fund'], {
      cwd: temporary,
      env: buildEnvironment(temporary),
    })
    await rename(temporary, folder)
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
  console.log(`code-server is installed (${Math.round((Date.now() - started) / 1000)} s).`)
}

// code-server's install script accepts one Node alone, first on PATH, and learns its version from npm's user agent,
// which an npm that runs us leaves in the environment. node-gyp downloads headers unless it is told where they lie:
// the node package that is installed beside code-server ships them.
function buildEnvironment(folder: string): NodeJS.ProcessEnv {
  const { npm_config_user_agent: _, ...environment } = process.env
  return {
    ...environment,
    PATH: dirname(process.execPath) + delimiter + (environment.PATH ?? ''),
    npm_config_nodedir: join(folder, 'node_modules', nodePackage()),
  }
}

/** The npm package that ships this platform's Node with its headers. */
function nodePackage(): string {
  const prefix = process.platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node'
  return `${prefix}-${process.platform}-${process.arch}`
}
