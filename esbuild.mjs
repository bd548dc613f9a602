// Builds what runs: the extension and its pages into dist/, the host tests into out/. `--watch` goes on building.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { cp, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { context } from 'esbuild'

process.chdir(fileURLToPath(new URL('.', import.meta.url)))

const shared = { bundle: true, logLevel: 'warning', metafile: true }

// The extension host brings `vscode`; mocha is loaded from node_modules, in the host tests alone.
const host = {
  ...shared,
  platform: 'node',
  format: 'cjs',
  target: 'node22',
  external: ['vscode', 'mocha'],
  outExtension: { '.js': '.cjs' },
  sourcemap: true,
}

// package.json says that a .js file here is a module.
const cli = { ...host, format: 'esm', external: [], outExtension: {}, banner: { js: '#!/usr/bin/env node' } }

// The thread that runs programs: a module of its own, beside the WebAssembly it is handed.
const worker = { ...cli, banner: {}, sourcemap: false, minify: true }

// A page's policy lets one classic script run, so a page is one file.
const page = {
  ...shared,
  platform: 'browser',
  format: 'iife',
  target: 'chrome134',
  minify: true,
  legalComments: 'none',
}

const bundles = [
  { ...host, outdir: 'dist', entryPoints: existing([{ in: 'src/extension.ts', out: 'extension' }]) },
  { ...cli, outdir: 'dist', entryPoints: existing([{ in: 'src/cli.ts', out: 'cli' }]) },
  { ...worker, outdir: 'dist', entryPoints: existing([{ in: 'src/tools/program/worker.ts', out: 'program-worker' }]) },
  { ...worker, outdir: 'dist', entryPoints: existing([{ in: 'src/diagrams/worker.ts', out: 'diagram-worker' }]) },
  { ...host, outdir: 'out/test/host', entryPoints: existing(hostTests()) },
  { ...page, outdir: 'dist/webview', entryPoints: existing(['conversation', 'review'].flatMap(pageEntries)) },
]

/** A page is a script and a style sheet, both named for it. */
function pageEntries(name) {
  const folder = `src/webview/${name}`
  return [
    { in: `${folder}/main.ts`, out: name },
    { in: `${folder}/${name}.css`, out: name },
  ]
}

/** The entry that VS Code calls, and each test file on its own, as mocha loads them. */
function hostTests() {
  const files = existsSync('test/host') ? readdirSync('test/host', { recursive: true }) : []
  const tests = files.filter(file => file.endsWith('.test.ts')).map(file => file.slice(0, -'.ts'.length))
  return ['index', ...tests].map(name => ({ in: `test/host/${name}.ts`, out: name }))
}

function existing(entries) {
  return entries.filter(entry => existsSync(entry.in))
}

/** One line for each file that was built, so that growth is seen. */
function reportSizes(result) {
  for (const [file, { bytes }] of Object.entries(result.metafile.outputs)) {
    if (!file.endsWith('.map')) console.log(`${file}  ${(bytes / 1024).toFixed(1)} kB`)
  }
}

/** The licences of what the package carries of others: every package an output of `dist` was built from. */
const carried = new Set(['@vscode/codicons'])

function noteCarried(result) {
  for (const [file, { inputs }] of Object.entries(result.metafile.outputs)) {
    if (!file.startsWith('dist/')) continue
    for (const input of Object.keys(inputs)) {
      const name = /^.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1]
      if (name !== undefined) carried.add(name)
    }
  }
}

async function writeNotices() {
  const notices = [...carried].sort().map(name => {
    const folder = `node_modules/${name}`
    const { version, license, repository } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'))
    const source = typeof repository === 'string' ? repository : (repository?.url ?? '')
    const texts = readdirSync(folder).filter(file => /^(licen[cs]e|notice)/i.test(file))
    const text = texts.map(file => readFileSync(`${folder}/${file}`, 'utf8').trim()).join('\n\n')
    return `${name} ${version} (${license})\n${source}\n\n${text}`
  })
  await writeFile('dist/THIRD-PARTY-NOTICES.txt', `${notices.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`)
}

const watch = process.argv.includes('--watch')
const sizes = {
  name: 'sizes',
  setup: build =>
    build.onEnd(result => {
      if (result.metafile === undefined) return
      reportSizes(result)
      noteCarried(result)
    }),
}

await rm('out/test/host', { recursive: true, force: true }) // a test that was removed must not run again
for (const file of ['codicon.css', 'codicon.ttf']) {
  await cp(`node_modules/@vscode/codicons/dist/${file}`, `dist/webview/${file}`)
}
await cp('node_modules/@jitl/quickjs-wasmfile-release-sync/dist/emscripten-module.wasm', 'dist/program-engine.wasm')
for (const bundle of bundles) {
  if (bundle.entryPoints.length === 0) continue
  const builder = await context({ ...bundle, plugins: [sizes] })
  if (watch) await builder.watch()
  else
    await builder
      .rebuild()
      .catch(failed)
      .finally(() => builder.dispose())
}
await writeNotices()

/** esbuild has said what is wrong; the other bundles are still built. */
function failed() {
  process.exitCode = 1
}
