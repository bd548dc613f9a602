// Builds what runs: the extension and its pages into dist/, the host tests into out/. `--watch` goes on building.
import { existsSync, readdirSync } from 'node:fs'
import { cp, rm } from 'node:fs/promises'
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

const watch = process.argv.includes('--watch')
const sizes = {
  name: 'sizes',
  setup: build => build.onEnd(result => result.metafile && reportSizes(result)),
}

await rm('out/test/host', { recursive: true, force: true }) // a test that was removed must not run again
for (const file of ['codicon.css', 'codicon.ttf']) {
  await cp(`node_modules/@vscode/codicons/dist/${file}`, `dist/webview/${file}`)
}
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

/** esbuild has said what is wrong; the other bundles are still built. */
function failed() {
  process.exitCode = 1
}
