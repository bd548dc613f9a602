import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'

const src = resolve(import.meta.dirname, '../../../src')

/** Who may import whom (README, "The map"). A room may always import itself. */
const ARROWS: Record<string, readonly string[]> = {
  session: [],
  persistence: ['session'],
  agent: ['session'],
  plan: ['session', 'agent'],
  review: ['session', 'agent', 'plan'],
  models: ['session', 'agent'],
  tools: ['session', 'agent'],
  diagrams: [],
  webview: [],
  vscode: [
    ...['session', 'persistence', 'agent', 'plan', 'review', 'models', 'tools', 'diagrams'],
    ...[
      'webview/messages.ts',
      'webview/review-messages.ts',
      'webview/image-messages.ts',
      'webview/transcript-messages.ts',
    ],
  ],
  'extension.ts': ['vscode'],
  cli: ['session', 'persistence', 'agent', 'plan', 'review', 'models', 'tools'],
  'cli.ts': ['cli'],
}

/** Packages and node: modules a pure room may use beside its neighbours. */
const PACKAGES: Record<string, RegExp> = {
  session: /^zod$/,
  agent: /^(zod|@ai-sdk\/provider)$/,
  plan: /^(zod|node:crypto|diff|markdown-it)$/,
  review: /^(zod|diff|markdown-it|node:(crypto|fs\/promises|path))$/,
  persistence: /^(zod|node:.+)$/,
  models: /^(zod|@ai-sdk\/.+|node:.+)$/,
  tools: /^(zod|node:.+|ignore|diff|sucrase|quickjs-emscripten-core|@jitl\/quickjs-.+)$/,
  diagrams: /^(beautiful-mermaid|node:(events|worker_threads))$/,
  webview: /^(zod|lit(\/.+)?|@vscode-elements\/.+|markdown-it(-.+)?|dompurify|highlight\.js(\/.+)?)$/,
  vscode: /^(zod|vscode|node:.+)$/,
  'extension.ts': /^vscode$/,
  cli: /^(zod|node:.+)$/,
  'cli.ts': /^$/,
}

describe('the rooms', () => {
  const files = sourceFiles(src)

  it('are the ones that are drawn', () => {
    const rooms = new Set(files.map(roomOf))
    assert.deepEqual([...rooms].sort(), Object.keys(ARROWS).sort())
  })

  for (const file of files) {
    it(`${relative(src, file)} imports along the arrows`, () => {
      const room = roomOf(file)
      for (const specifier of importsOf(file)) {
        const wrong = specifier.startsWith('.')
          ? !allowed(
              room,
              relative(src, resolve(dirname(file), specifier))
                .split(sep)
                .join('/'),
            )
          : !(PACKAGES[room]?.test(specifier) ?? false)
        assert.ok(!wrong, `${room} must not import ${specifier}`)
      }
    })
  }
})

function allowed(room: string, target: string): boolean {
  if (target.startsWith('..')) return false
  const [targetRoom = ''] = target.split('/')
  return targetRoom === room || (ARROWS[room] ?? []).some(arrow => arrow === targetRoom || arrow === target)
}

function roomOf(file: string): string {
  return relative(src, file).split(sep)[0] ?? ''
}

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .map(name => join(folder, name))
}

/** Every static and dynamic import, types included: a type is an arrow too. */
function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8')
  const statements = text.matchAll(
    /^\s*(?:import|export)\b[^'"`;]*?\bfrom\s+['"]([^'"]+)['"]|^\s*import\s+['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/gm,
  )
  return [...statements].map(match => match[1] ?? match[2] ?? match[3] ?? '')
}
