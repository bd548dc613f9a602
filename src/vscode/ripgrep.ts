import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** The search binary that VS Code ships below `appRoot`; undefined where there is none (the tools then search in Node). */
export function findRipgrep(
  appRoot: string,
  platform: string = process.platform,
  arch: string = process.arch,
): string | undefined {
  const binary = platform === 'win32' ? 'rg.exe' : 'rg'
  const places = ['node_modules', 'node_modules.asar.unpacked'].flatMap(modules => [
    join(appRoot, modules, '@vscode', 'ripgrep', 'bin', binary),
    join(appRoot, modules, '@vscode', 'ripgrep-universal', 'bin', `${platform}-${arch}`, binary),
  ])
  return places.find(place => existsSync(place))
}
