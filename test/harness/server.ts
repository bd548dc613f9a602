// One running code-server: the workbench's origin, its settings and its end.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { codeServer } from './code-server.ts'
import { freePort } from './ports.ts'
import { keep, lastLines } from './processes.ts'

export interface ServerOptions {
  /** Everything the server writes goes in here: settings, extensions, logs, temporary files. */
  state: string
  /** Where settings and extension storage go; `user` inside `state` by default. */
  userFolder?: string
  /** `extensions` inside `state` by default. */
  extensionsFolder?: string
  /** Taken when it is free; else, and by default, the system picks one. */
  port?: number
  /** VS Code's own test mode: the page's `payload` is honoured, notification toasts are not shown. */
  testMode?: boolean
  /** Ask before a folder is trusted, as VS Code does by default. Off by default here. */
  workspaceTrust?: boolean
  /** Seconds that an extension host outlives its page; VS Code's default is three hours. */
  reconnectionGraceTime?: number
  /** Added to the environment of the server, and so of the extension host. */
  environment?: NodeJS.ProcessEnv
}

export interface Server {
  /** Without a slash at its end. */
  readonly origin: string
  /** What the server printed. */
  readonly log: string
  /** Resolves when the server has ended, on its own or by `end`. */
  readonly ended: Promise<number>
  /** Ends the server and its extension hosts; resolves when they are gone. */
  end(): Promise<void>
}

export function userFolder(state: string): string {
  return join(state, 'user')
}

export function extensionsFolder(state: string): string {
  return join(state, 'extensions')
}

/** Resolves when the server answers; throws with the end of its log when it does not come up. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const { node, entry } = await codeServer()
  const { state } = options
  const port = await freePort(options.port)
  const log = join(state, 'server.log')
  await mkdir(join(state, 'tmp'), { recursive: true })
  const server = keep(node, [entry, ...flags(options, port)], { env: environment(options), output: log })
  const origin = `http://localhost:${port}`
  if (!(await answers(`${origin}/healthz`, server.ended))) {
    await server.end()
    throw new Error(`code-server did not come up on port ${port}. Its log ${log} ends with:\n${lastLines(log)}`)
  }
  return { origin, log, ended: server.ended, end: () => server.end() }
}

// --config is always named: without it the server writes one into the home folder.
function flags(options: ServerOptions, port: number): string[] {
  const { state, reconnectionGraceTime: grace } = options
  const user = options.userFolder ?? userFolder(state)
  const extensions = options.extensionsFolder ?? extensionsFolder(state)
  return [
    ...['--config', join(state, 'config.yaml'), '--auth', 'none', '--bind-addr', `127.0.0.1:${port}`],
    ...['--user-data-dir', user, '--extensions-dir', extensions],
    ...['--disable-telemetry', '--disable-update-check', '--disable-getting-started-override', '--ignore-last-opened'],
    ...(options.workspaceTrust ? [] : ['--disable-workspace-trust']),
    ...(options.testMode ? ['--vscode-option', 'enable-smoke-test-driver'] : []),
    ...(grace === undefined ? [] : ['--reconnection-grace-time', String(grace)]),
  ]
}

// EXTENSIONS_GALLERY={} stops look-ups in a gallery that the product does not use.
function environment({ state, environment: added }: ServerOptions): NodeJS.ProcessEnv {
  return {
    ...process.env,
    HOME: state,
    XDG_CONFIG_HOME: state,
    XDG_DATA_HOME: state,
    TMPDIR: join(state, 'tmp'),
    EXTENSIONS_GALLERY: '{}',
    ...added,
  }
}

async function answers(url: string, ended: Promise<unknown>): Promise<boolean> {
  let running = true
  void ended.then(() => {
    running = false
  })
  const deadline = Date.now() + 60_000
  while (running && Date.now() < deadline) {
    const response = await fetch(url).catch(() => undefined)
    if (response?.ok) return true
    await delay(50)
  }
  return false
}
