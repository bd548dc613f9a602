#!/usr/bin/env node
// An executable that takes the flags of desktop VS Code and runs an extension's tests in code-server and a headless
// Chromium instead. It exits with the code that the tests exit with.
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { launchBrowser } from './browser.ts'
import { type Server, startServer } from './server.ts'

/** Kinds of console output in which the workbench talks to itself. */
const idle = ['info', 'debug', 'trace']

const options = {
  extensionDevelopmentPath: { type: 'string' },
  extensionTestsPath: { type: 'string' },
  'user-data-dir': { type: 'string' },
  'extensions-dir': { type: 'string' },
} as const

// Not strict: the flags of a desktop program that mean nothing here are passed over.
const { values, positionals } = parseArgs({ options, strict: false, allowPositionals: true })

const server = await startServer({
  state: mkdtempSync(join(tmpdir(), 'shim-')),
  testMode: true,
  userFolder: path('user-data-dir'),
  extensionsFolder: path('extensions-dir'),
})
process.exit(await runTests(server).finally(() => server.end()))

async function runTests({ origin }: Server): Promise<number> {
  const browser = await launchBrowser()
  const page = await browser.newPage()
  const exit = Promise.withResolvers<number>()
  await page.exposeFunction('codeAutomationExit', exit.resolve)
  await page.exposeFunction('codeAutomationLog', (type: string, args: unknown[]) => {
    if (!idle.includes(type)) console.log(`[${type}]`, ...args)
  })
  page.on('crash', () => exit.reject(new Error('The page crashed')))
  await page.goto(`${origin}/?${query(origin)}`)
  const code = await exit.promise
  await browser.close()
  return code
}

/** The page's payload names places by the authority that the page itself is opened with. */
function query(origin: string): string {
  const remote = (file: string) => `vscode-remote://${new URL(origin).host}${file}`
  const payload = [
    ['extensionDevelopmentPath', remote(path('extensionDevelopmentPath'))],
    ['extensionTestsPath', remote(path('extensionTestsPath'))],
    ['skipWelcome', 'true'],
  ]
  const [workspace] = positionals
  const opened = workspace === undefined ? { ew: 'true' } : { folder: resolve(workspace) }
  return new URLSearchParams({ ...opened, payload: JSON.stringify(payload) }).toString()
}

function path(flag: keyof typeof options): string {
  const value = values[flag]
  if (typeof value !== 'string') throw new Error(`--${flag}=PATH is missing`)
  return resolve(value)
}
