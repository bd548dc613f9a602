// The programs and libraries that npm cannot bring: found, installed where that is allowed, else named.
import { execFile } from 'node:child_process'
import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { runQuietly } from './processes.ts'

const execute = promisify(execFile)
/** Another apt-get may be at work; this many seconds are given to it. */
const waiting = ['-o', 'DPkg::Lock::Timeout=300']

export type SystemPackage =
  | 'chromium'
  | 'chromium-headless-shell'
  | 'fonts-dejavu-core'
  | 'libkrb5-dev'
  | 'python3'
  | 'make'
  | 'g++'

/** What the native modules of code-server are built with. */
export const buildPackages: readonly SystemPackage[] = ['libkrb5-dev', 'python3', 'make', 'g++']
/** What page and window tests look through. */
export const browserPackages: readonly SystemPackage[] = ['chromium', 'fonts-dejavu-core']

const chromiumNames = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
]
const macChromium = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'

/** The browser that tests drive: `PLAN_MODE_CHROMIUM`, else the first Chromium found on the machine. */
export function chromiumPath(): string | undefined {
  const named = process.env.PLAN_MODE_CHROMIUM
  if (named) return named
  for (const name of chromiumNames) {
    const found = which(name)
    if (found) return found
  }
  return existsSync(macChromium) ? macChromium : undefined
}

/**
 * Resolves when there is a browser to look through. As root on Debian that is the headless shell, also beside a
 * Chromium: a page opens there with a third of the work. Where it cannot be had, any Chromium does.
 */
export async function requireBrowser(): Promise<void> {
  const shell: SystemPackage = 'chromium-headless-shell'
  if (canInstall() && !(await isThere(shell))) {
    await install([shell]).catch(() => console.log(`${shell} could not be installed; tests with pages take longer.`))
  }
  await requireSystemPackages(browserPackages)
}

/**
 * Resolves when all of `wanted` are there. As root on Debian, missing ones are installed by apt-get;
 * anywhere else it throws one sentence that names them and the command.
 */
export async function requireSystemPackages(wanted: readonly SystemPackage[]): Promise<void> {
  const missing = await missingPackages(wanted)
  if (missing.length === 0) return
  const names = missing.join(' ')
  if (!isDebian())
    throw new Error(`Missing on this machine: ${names} (Debian's names). Install them and run this again.`)
  if (!canInstall()) {
    throw new Error(`Missing on this machine: ${names}. Run "sudo apt-get install ${names}", then this again.`)
  }
  await install(missing)
}

function isDebian(): boolean {
  return which('apt-get') !== undefined && existsSync('/etc/debian_version')
}

function canInstall(): boolean {
  return isDebian() && process.getuid?.() === 0
}

async function install(packages: readonly SystemPackage[]): Promise<void> {
  console.log(`Installing system packages with apt-get: ${packages.join(' ')} (up to a few minutes) …`)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  await runQuietly('apt-get', ['update', '-q'], { env })
  await runQuietly('apt-get', ['install', '-y', '-q', '--no-install-recommends', ...waiting, ...packages], { env })
}

async function missingPackages(wanted: readonly SystemPackage[]): Promise<SystemPackage[]> {
  const found = await Promise.all(wanted.map(isThere))
  return wanted.filter((_, index) => !found[index])
}

async function isThere(name: SystemPackage): Promise<boolean> {
  switch (name) {
    case 'chromium':
      return chromiumPath() !== undefined
    case 'chromium-headless-shell':
      return Boolean(process.env.PLAN_MODE_CHROMIUM) || which(name) !== undefined
    case 'fonts-dejavu-core':
      return which('dpkg-query') === undefined || isInstalledByDpkg(name)
    case 'libkrb5-dev':
      return process.platform !== 'linux' || existsSync('/usr/include/gssapi/gssapi.h')
    case 'python3':
    case 'make':
    case 'g++':
      return which(name) !== undefined
  }
}

async function isInstalledByDpkg(name: string): Promise<boolean> {
  try {
    const { stdout } = await execute('dpkg-query', ['--status', name])
    return stdout.includes('Status: install ok installed')
  } catch {
    return false // dpkg-query exits 1 for a package it has never heard of
  }
}

/** The full path of a program on PATH, or undefined. */
export function which(program: string): string | undefined {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const file = join(folder, program)
    try {
      accessSync(file, constants.X_OK)
      return file
    } catch {} // not in this folder
  }
  return undefined
}
