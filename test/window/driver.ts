// A VS Code window for the tests: its server, its copy of the sample and its browser context, all gone with close().
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import { launchBrowser } from '../harness/browser.ts'
import { installExtension } from '../harness/extension.ts'
import { root } from '../harness/paths.ts'
import { extensionsFolder, type Server, startServer, userFolder } from '../harness/server.ts'
import type { Fault } from '../support/axe.ts'
import { type Notification, readNotifications } from './notifications.ts'
import { pick, runCommand } from './palette.ts'
import { type ColorTheme, quiet, type Settings, writeSettings } from './user-settings.ts'
import { findWebview, serious, type Webview, type WebviewQuery } from './webviews.ts'
import { type Files, makeWorkspace, queryOf, type Workspace } from './workspaces.ts'

export interface LaunchOptions {
  /** User settings beside the driver's own. */
  settings?: Settings
  colorTheme?: ColorTheme
  viewport?: Viewport
  /** The person's own keyboard shortcuts, as keybindings.json holds them. */
  keybindings?: readonly Readonly<Record<string, unknown>>[]
  /** Written into the first workspace folder before it is opened: path to text. */
  files?: Files
  /**
   * Names of the folders of the workspace, each a copy of the sample. One by default; none opens an empty
   * window, several a multi-root workspace.
   */
  folders?: readonly string[]
  /** Seconds that an extension host outlives its page. 1 by default; VS Code's own default is three hours. */
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

export interface Viewport {
  width: number
  height: number
}

let browser: Promise<Browser> | undefined
/** How often settings were changed while a window ran. */
let changes = 0
const open = new Set<Window>()

/** Resolves when the workbench is there; the extension may still be starting, so wait for what it shows. */
export async function launch(options: LaunchOptions = {}): Promise<Window> {
  const { folders: names = ['sample'], colorTheme, settings } = options
  const state = await mkdtemp(join(tmpdir(), 'window-'))
  const workspace = { folder: join(state, 'workspace'), names }
  await makeWorkspace(workspace, options.files ?? {})
  await installExtension(extensionsFolder(state), options.extension)
  const user = { ...quiet, ...(colorTheme && { 'workbench.colorTheme': colorTheme }), ...settings }
  await writeSettings(state, user)
  await writeFile(join(userFolder(state), 'User', 'keybindings.json'), JSON.stringify(options.keybindings ?? []))
  const server = await startServer({
    state,
    testMode: !options.toasts,
    workspaceTrust: options.workspaceTrust ?? false,
    reconnectionGraceTime: options.reconnectionGraceTime ?? 1,
    environment: options.environment ?? {},
  })
  return Window.open({ state, server, workspace, settings: user, viewport: options.viewport, owner: true })
}

interface Setup {
  state: string
  server: Server
  workspace: Workspace
  settings: Settings
  viewport: Viewport | undefined
  /** Ends the server and removes the state with its window. */
  owner: boolean
}

export class Window {
  readonly #context: BrowserContext
  readonly #setup: Setup
  #page: Page
  #settings: Settings

  static async open(setup: Setup): Promise<Window> {
    browser ??= launchBrowser()
    const viewport = setup.viewport ?? usualViewport
    const context = await (await browser).newContext({ viewport })
    const window = new Window(context, await context.newPage(), setup)
    open.add(window)
    await window.#goTo()
    return window
  }

  private constructor(context: BrowserContext, page: Page, setup: Setup) {
    this.#context = context
    this.#page = page
    this.#setup = setup
    this.#settings = setup.settings
  }

  async #goTo(): Promise<void> {
    const { server, workspace } = this.#setup
    this.page.setDefaultTimeout(20_000)
    this.page.on('dialog', dialog => void dialog.accept().catch(() => undefined))
    await this.page.goto(`${server.origin}/?${queryOf(workspace)}`, { waitUntil: 'commit' })
    await this.page.locator(ready).first().waitFor({ timeout: 60_000 })
  }

  get page(): Page {
    return this.#page
  }

  /** The first workspace folder, or the folder beside which none was opened. */
  get workspace(): string {
    const { folder, names } = this.#setup.workspace
    return join(folder, names[0] ?? '')
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
   * The page goes without a word, as when a browser crashes, and the same person opens the workspace again. The old
   * extension host lives on for the grace time.
   */
  async crash(): Promise<void> {
    await this.page.close()
    this.#page = await this.#context.newPage()
    await this.#goTo()
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

  /**
   * Changes user settings while the window runs; `undefined` takes one back to its default. Resolves when the window
   * knows them, and so the extension before the next command.
   */
  configure(settings: Settings): Promise<void> {
    return this.configureAll({ ...this.#settings, ...settings })
  }

  /** The same, and takes every other setting back to its default. */
  async configureAll(settings: Settings): Promise<void> {
    changes += 1
    const title = `settings ${changes}`
    this.#settings = { ...quiet, ...settings, 'window.title': title }
    await writeSettings(this.#setup.state, this.#settings)
    await this.page.waitForFunction(`document.title.includes(${JSON.stringify(title)})`, undefined, { timeout: 60_000 })
  }

  /** Reloads, by "Developer: Reload Window" unless told how; resolves when the workbench is back. Webviews have to be found anew. */
  async reload(act = () => this.command('Developer: Reload Window')): Promise<void> {
    await this.page.evaluate('globalThis.beforeReload = true')
    await Promise.all([
      this.page.waitForFunction(`!globalThis.beforeReload && document.querySelector('${ready}')`, undefined, {
        timeout: 60_000,
      }),
      act(),
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

export const usualViewport: Viewport = { width: 1280, height: 800 }
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
