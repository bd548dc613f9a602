// A VS Code window for one test: its own server, workspace copy and browser context, all gone with close().
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import { launchBrowser } from '../harness/browser.ts'
import { installExtension } from '../harness/extension.ts'
import { root, sample } from '../harness/paths.ts'
import { extensionsFolder, type Server, startServer, userFolder } from '../harness/server.ts'
import type { Fault } from '../support/axe.ts'
import { type Notification, readNotifications } from './notifications.ts'
import { pick, runCommand } from './palette.ts'
import { findWebview, serious, type Webview, type WebviewQuery } from './webviews.ts'

export type Settings = Readonly<Record<string, unknown>>
export type ColorTheme = 'Default Dark Modern' | 'Default Light Modern' | 'Default High Contrast'

export interface LaunchOptions {
  /** User settings beside the driver's own. */
  settings?: Settings
  colorTheme?: ColorTheme
  viewport?: { width: number; height: number }
  /** The person's own keyboard shortcuts, as keybindings.json holds them. */
  keybindings?: readonly Readonly<Record<string, unknown>>[]
  /** Written into the first workspace folder before it is opened: path to text. */
  files?: Readonly<Record<string, string>>
  /**
   * Names of the folders of the workspace, each a copy of the sample. One by default; none opens an empty
   * window, several a multi-root workspace.
   */
  folders?: readonly string[]
  /** Seconds that an extension host outlives its page. 5 by default; VS Code's own default is three hours. */
  reconnectionGraceTime?: number
  /** Show notifications as toasts, as a person sees them. Without, only the notification centre has them. */
  toasts?: boolean
  /** Ask before the folder is trusted. */
  workspaceTrust?: boolean
  /** Added to the environment of the extension host. */
  environment?: NodeJS.ProcessEnv
  /** The folder of the extension under test; this clone by default. */
  extension?: string
}

const quiet: Settings = {
  'workbench.startupEditor': 'none',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.tips.enabled': false,
  'extensions.ignoreRecommendations': true,
  'git.openRepositoryInParentFolders': 'never',
}

let browser: Promise<Browser> | undefined
const open = new Set<Window>()

/** Resolves when the workbench is there; the extension may still be starting, so wait for what it shows. */
export async function launch(options: LaunchOptions = {}): Promise<Window> {
  const { folders = ['sample'], colorTheme, settings } = options
  const state = await mkdtemp(join(tmpdir(), 'window-'))
  const workspace = join(state, 'workspace')
  await makeWorkspace(workspace, folders, options.files ?? {})
  await installExtension(extensionsFolder(state), options.extension)
  const user = { ...quiet, ...(colorTheme && { 'workbench.colorTheme': colorTheme }), ...settings }
  await writeSettings(state, user)
  await writeFile(join(userFolder(state), 'User', 'keybindings.json'), JSON.stringify(options.keybindings ?? []))
  const server = await startServer({
    state,
    testMode: !options.toasts,
    workspaceTrust: options.workspaceTrust ?? false,
    reconnectionGraceTime: options.reconnectionGraceTime ?? 5,
    environment: options.environment ?? {},
  })
  const setup = { state, server, workspace, folders, settings: user, viewport: options.viewport }
  return Window.open({ ...setup, owner: true })
}

interface Setup {
  /** Where a page of its own profile opens; a new profile by default. */
  context?: BrowserContext
  state: string
  server: Server
  /** The folder that holds the workspace's folders. */
  workspace: string
  folders: readonly string[]
  settings: Settings
  viewport: LaunchOptions['viewport']
  /** Ends the server and removes the state with its window. */
  owner: boolean
}

export class Window {
  readonly page: Page
  readonly #context: BrowserContext
  readonly #setup: Setup
  #settings: Settings

  static async open(setup: Setup): Promise<Window> {
    browser ??= launchBrowser()
    const viewport = setup.viewport ?? { width: 1280, height: 800 }
    const context = setup.context ?? (await (await browser).newContext({ viewport }))
    const page = await context.newPage()
    page.setDefaultTimeout(20_000)
    page.on('dialog', dialog => void dialog.accept().catch(() => undefined))
    const window = new Window(page, context, setup)
    open.add(window)
    await page.goto(`${setup.server.origin}/?${query(setup)}`)
    await page.locator(ready).first().waitFor({ timeout: 60_000 })
    return window
  }

  private constructor(page: Page, context: BrowserContext, setup: Setup) {
    this.page = page
    this.#context = context
    this.#setup = setup
    this.#settings = setup.settings
  }

  /** The first workspace folder, or the folder beside which none was opened. */
  get workspace(): string {
    return join(this.#setup.workspace, this.#setup.folders[0] ?? '')
  }

  /** The folder of the person's own data, which the server's extension hosts write. */
  get data(): string {
    return userFolder(this.#setup.state)
  }

  /** A second window of the same server on the same workspace. Its close() leaves the first one alone. */
  another(): Promise<Window> {
    return Window.open({ ...this.#setup, settings: this.#settings, owner: false })
  }

  /**
   * The page goes without a word, as when a browser crashes, and the same person opens the workspace again: resolves
   * with the window that takes this one's place. The old extension host lives on for the grace time.
   */
  async crash(): Promise<Window> {
    open.delete(this)
    await this.page.close()
    return Window.open({ ...this.#setup, context: this.#context, settings: this.#settings })
  }

  /** The folder that holds all that the server writes: settings, storage, the workspace. */
  get state(): string {
    return this.#setup.state
  }

  /** Runs a command from the palette by its exact title, "Plan: Toggle". */
  command(title: string): Promise<void> {
    return runCommand(this.page, title)
  }

  /** Chooses an entry of the quick pick that is open. */
  pick(label: string | RegExp): Promise<void> {
    return pick(this.page, label)
  }

  /** The status bar items whose text holds or matches `text`. */
  statusBar(text: string | RegExp): Locator {
    return this.page.locator('.statusbar-item:visible', { hasText: text })
  }

  webview(query: WebviewQuery): Promise<Webview> {
    return findWebview(this.page, query)
  }

  notifications(): Promise<Notification[]> {
    return readNotifications(this.page)
  }

  /** The serious and critical faults that axe finds inside a webview. */
  axe(webview: Webview): Promise<Fault[]> {
    return serious(webview)
  }

  /** Changes user settings while the window runs; `undefined` takes one back to its default. */
  async configure(settings: Settings): Promise<void> {
    this.#settings = { ...this.#settings, ...settings }
    await writeSettings(this.#setup.state, this.#settings)
  }

  /** "Developer: Reload Window"; resolves when the workbench is back. Webviews have to be found anew. */
  async reload(): Promise<void> {
    await this.page.evaluate('globalThis.beforeReload = true')
    await Promise.all([
      this.page.waitForFunction(`!globalThis.beforeReload && document.querySelector('${ready}')`, undefined, {
        timeout: 60_000,
      }),
      this.command('Developer: Reload Window'),
    ])
  }

  /** Writes out/screenshots/NAME.png and resolves with its path. */
  async screenshot(name: string): Promise<string> {
    const path = join(root, 'out', 'screenshots', `${name}.png`)
    await this.page.screenshot({ path })
    return path
  }

  /** Closes the page; with the window that launch() made, the server ends too and its state is removed. */
  async close(): Promise<void> {
    if (!open.delete(this)) return
    const { server, state, owner } = this.#setup
    await Promise.all([this.#context.close(), owner ? server.end() : undefined])
    if (owner) await rm(state, { recursive: true, force: true, maxRetries: 3 })
  }
}

const ready = '.monaco-workbench .part.statusbar .statusbar-item'

/** The windows that are open now. */
export function openWindows(): readonly Window[] {
  return [...open]
}

/** Closes every window that is still open, and the browser. */
export async function closeAll(): Promise<void> {
  await Promise.all(openWindows().map(window => window.close()))
  await (await browser)?.close()
  browser = undefined
}

async function makeWorkspace(folder: string, names: readonly string[], files: Record<string, string>): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const name of names) await cp(sample, join(folder, name), { recursive: true })
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, names[0] ?? '', path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
  }
  if (names.length > 1) {
    const workspace = { folders: names.map(name => ({ path: name })) }
    await writeFile(join(folder, 'all.code-workspace'), JSON.stringify(workspace))
  }
}

function query({ workspace, folders }: Setup): string {
  const [first] = folders
  if (first === undefined) return 'ew=true'
  const [key, name] = folders.length > 1 ? ['workspace', 'all.code-workspace'] : ['folder', first]
  return new URLSearchParams({ [key]: join(workspace, name) }).toString()
}

const applicationScope: ReadonlySet<string> = new Set(['planMode.shiftTabTogglesMode'])

// A running window notices changes of the machine's settings only, and a remote window takes settings of machine
// scope from nowhere else; settings of application scope count in the user's file alone. Ours are in one place, so
// that taking one back shows at once.
async function writeSettings(state: string, settings: Settings): Promise<void> {
  const others = Object.entries(settings).filter(([key]) => !key.startsWith('planMode.') || applicationScope.has(key))
  const files = { User: Object.fromEntries(others), Machine: settings }
  for (const [scope, values] of Object.entries(files)) {
    await mkdir(join(userFolder(state), scope), { recursive: true })
    await writeFile(join(userFolder(state), scope, 'settings.json'), JSON.stringify(values, null, 2))
  }
}
