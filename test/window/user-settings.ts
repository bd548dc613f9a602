// The person's settings, as a window under test finds them in the files of its server.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { userFolder } from '../harness/server.ts'

export type Settings = Readonly<Record<string, unknown>>
export type ColorTheme = 'Default Dark Modern' | 'Default Light Modern' | 'Default High Contrast'

/** What every window has beside what its test asks for. */
export const quiet: Settings = {
  'workbench.startupEditor': 'none',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.tips.enabled': false,
  'extensions.ignoreRecommendations': true,
  'git.openRepositoryInParentFolders': 'never',
}

const applicationScope: ReadonlySet<string> = new Set(['planMode.shiftTabTogglesMode'])

// A running window notices changes of the machine's settings only, and a remote window takes settings of machine
// scope from nowhere else; settings of application scope count in the user's file alone. Ours are in one place, so
// that taking one back shows at once.
export async function writeSettings(state: string, settings: Settings): Promise<void> {
  const others = Object.entries(settings).filter(([key]) => !key.startsWith('planMode.') || applicationScope.has(key))
  const files = { User: Object.fromEntries(others), Machine: settings }
  for (const [scope, values] of Object.entries(files)) {
    await mkdir(join(userFolder(state), scope), { recursive: true })
    await writeFile(join(userFolder(state), scope, 'settings.json'), JSON.stringify(values, null, 2))
  }
}
