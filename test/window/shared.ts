// One window for all tests that can do with a usual one: a new one takes half a minute of both cores.
import { launch, usualViewport, type Viewport, type Window } from './driver.ts'
import type { ColorTheme, Settings } from './user-settings.ts'
import { modeIs, modeItem, newConversation } from './walks.ts'
import { type Files, restoreFolder } from './workspaces.ts'

export interface SharedOptions {
  settings?: Settings
  colorTheme?: ColorTheme
  viewport?: Viewport
  /** In the workspace folder, beside the sample: path to text. */
  files?: Files
}

// VS Code sees a change of the workspace's settings only where there were some when it began.
const files: Files = { '.vscode/settings.json': '{}' }

// Each key opens a search for what the context key says; the rule that comes later wins where it holds.
const search = (key: string, args: string, when?: string) => ({
  key,
  command: 'workbench.action.quickOpen',
  args,
  ...(when === undefined ? {} : { when }),
})
const keybindings = [
  ...[search('f7', 'not active'), search('f7', 'active', 'planMode.active')],
  ...[search('f8', 'not pending'), search('f8', 'pending', 'planMode.pending')],
  ...[search('f9', 'no review'), search('f9', 'review waiting', 'planMode.reviewWaiting')],
]

let kept: Window | undefined
/** What the tests say of the window that is kept; it is used again only when the last word is a pass. */
let state: 'handed out' | 'passed' | 'failed' = 'passed'

/**
 * The window that this process keeps, with nothing of the tests before: usual settings beside those named, the sample
 * as it was, no editor open, no notification, a new conversation. After a test that failed it is another one. Nobody
 * closes it but `closeAll`. Conversations of other tests stay in its list.
 */
export async function sharedWindow(options: SharedOptions = {}): Promise<Window> {
  if (state !== 'passed') await kept?.close()
  if (kept === undefined || state !== 'passed') kept = await begin()
  state = 'handed out'
  await makeFresh(kept, options)
  return kept
}

/** Says how a test ended, so that a failure does not spoil the tests that come. */
export function tested(passed: boolean): void {
  if (state !== 'failed') state = passed ? 'passed' : 'failed'
}

export function isShared(window: Window): boolean {
  return window === kept
}

// A change of settings that comes before the window watches them would be lost.
async function begin(): Promise<Window> {
  const window = await launch({ files, keybindings })
  await modeItem(window, 'off').waitFor({ timeout: 90_000 })
  return window
}

async function makeFresh(window: Window, options: SharedOptions): Promise<void> {
  await restoreFolder(window.workspace, { ...files, ...options.files })
  await window.page.setViewportSize(options.viewport ?? usualViewport)
  const theme = options.colorTheme ?? 'Default Dark Modern'
  await window.configureAll({ 'workbench.colorTheme': theme, ...options.settings })
  await window.statusBar('Plan: ').waitFor()
  await window.command('View: Close All Editors')
  await newConversation(window)
  await window.command('Notifications: Clear All Notifications')
  await modeIs(window, 'off')
}
