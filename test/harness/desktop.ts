// Desktop VS Code, where one can be had.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { downloadAndUnzipVSCode } from '@vscode/test-electron'
import { cacheFolder } from './cache.ts'

const releases = 'https://update.code.visualstudio.com/api/releases/stable'

/**
 * The executable that `PLAN_MODE_VSCODE` names; else the stable release, downloaded once into the cache, when there
 * is a display and the download server answers within seconds; else undefined.
 */
export async function desktopVSCode(): Promise<string | undefined> {
  const named = process.env.PLAN_MODE_VSCODE
  if (named) {
    if (!existsSync(named)) throw new Error(`PLAN_MODE_VSCODE names "${named}", and there is no such file.`)
    return named
  }
  if (!hasDisplay() || !(await answers(releases))) return undefined
  try {
    return await downloadAndUnzipVSCode({ version: 'stable', cachePath: join(cacheFolder(), 'vscode') })
  } catch (error) {
    console.log(`Desktop VS Code cannot be downloaded (${String(error)}); code-server is used instead.`)
    return undefined
  }
}

function hasDisplay(): boolean {
  return process.platform !== 'linux' || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY)
}

async function answers(url: string): Promise<boolean> {
  const response = await fetch(url, { signal: AbortSignal.timeout(3000) }).catch(() => undefined)
  return response?.ok ?? false
}
