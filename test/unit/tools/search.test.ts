import assert from 'node:assert/strict'
import { existsSync, globSync } from 'node:fs'
import { symlink } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { cacheFolder } from '../../harness/cache.ts'
import { codeOf, Fixture } from './fixture.ts'

const tree: Record<string, string | Uint8Array> = {
  '.gitignore':
    '# built\ndist/\n*.log\n!keep.log\n/only-root.txt\nbuild-[0-9]\nsub/*/skip.ts\n**/cache/**\nodd\\ name \n',
  '.ignore': 'src\n',
  'README.md': '# Alpha\n\nThe alpha project. Über-Größe.\n',
  'src/a.ts': 'const alpha = 1\nconst beta = alpha + 1\r\n// ALPHA\n',
  'src/b.tsx': 'export const alphabet = "alpha|beta"\n',
  'src/only-root.txt': 'alpha here too\n',
  'only-root.txt': 'alpha\n',
  'src/sub/one/skip.ts': 'alpha\n',
  'sub/one/skip.ts': 'alpha\n',
  'sub/one/two/skip.ts': 'alpha\n',
  'dist/out.js': 'alpha\n',
  'dist/sub/in.js': 'alpha\n',
  'packages/dist/out.js': 'alpha\n',
  'packages/.gitignore': '!dist/\n*.md\n',
  'packages/notes.md': 'alpha\n',
  'packages/keep.log': 'alpha\n',
  'debug.log': 'alpha\n',
  'build-7/x.txt': 'alpha\n',
  'build-x/x.txt': 'alpha\n',
  'deep/cache/x/y.txt': 'alpha\n',
  'odd name': 'alpha\n',
  'foreign/.git/HEAD': 'alpha\n',
  'foreign/debug.log': 'alpha\n',
  '.git/config': 'alpha\n',
  '.hidden/x.txt': 'alpha\n',
  'node_modules/x/index.js': 'alpha\n',
  'nested/node_modules/y.js': 'alpha\n',
  '.plan-mode/sessions/s/session.jsonl': 'alpha\n',
  'binary.bin': new Uint8Array([...Buffer.from('alpha\n'.repeat(20_000)), 0, 1]),
  'latin1.txt': new Uint8Array([...Buffer.from('alpha '), 0xe9, 0x0a]),
  'utf16.txt': new Uint8Array([0xff, 0xfe, ...Buffer.from('alpha in utf-16\n', 'utf16le')]),
  'bom.txt': '\uFEFFalpha after a mark\n',
  'long.txt': `${'x'.repeat(3000)}😀alpha${'y'.repeat(3000)}\n`,
  'separator.txt': 'alpha\u2028still the same line\n',
  'large.txt': 'alpha\n'.repeat(400_000),
  'a{b}[c]/x.txt': 'alpha\n',
  'app/(group)/page.tsx': 'alpha\n',
  'tail.txt': 'no newline alpha',
  'empty.txt': '',
}

const queries: object[] = [
  { pattern: 'alpha' },
  { pattern: 'ALPHA' },
  { pattern: 'alpha', ignore_case: true },
  { pattern: 'über', ignore_case: true },
  { pattern: '^const \\w+ = ' },
  { pattern: '1$' },
  { pattern: 'alpha|beta', literal: true },
  { pattern: 'alpha|beta' },
  { pattern: '(?<=const )alpha' },
  { pattern: 'x{3,}' },
  { pattern: '^$' },
  { pattern: 'ö.e' },
  { pattern: 'alpha', glob: '*.ts' },
  { pattern: 'alpha', glob: '*.{ts,tsx}' },
  { pattern: 'alpha', glob: 'src/**' },
  { pattern: 'alpha', glob: 'src/*' },
  { pattern: 'alpha', glob: '**/one/**/*.ts' },
  { pattern: 'alpha', glob: '*.log' },
  { pattern: 'alpha', glob: '/*.txt' },
  { pattern: 'alpha', glob: '!*.txt' },
  { pattern: 'alpha', glob: 'src' },
  { pattern: 'alpha', glob: 'dist/' },
  { pattern: 'alpha', glob: 'node_modules/**' },
  { pattern: 'alpha', glob: '.plan-mode/**' },
  { pattern: 'alpha', glob: 'build-[!0-9]/*' },
  { pattern: 'alpha', glob: 'a\\{b\\}\\[c\\]/x.txt' },
  { pattern: 'alpha', glob: 'app/(group)/**' },
  { pattern: 'alpha', glob: '{dist,*.js}' },
  { pattern: 'alpha', glob: '!{src,*.{txt,tsx}}' },
  { pattern: 'alpha', glob: '{src/*,tail.txt,deep/cache}' },
  { pattern: 'alpha', glob: 'tail{,.txt}' },
  { pattern: 'nothing-like-this' },
  { pattern: '--help' },
]

/** A ripgrep on this machine: named, on the PATH, or inside the code-server that the tests fetch. */
function findRipgrep(): string | undefined {
  const name = process.platform === 'win32' ? 'rg.exe' : 'rg'
  const onPath = (process.env.PATH ?? '').split(delimiter).map(folder => join(folder, name))
  const packages = join('node_modules', '@vscode', 'ripgrep*', 'bin')
  const platform = `${process.platform}-${process.arch}`
  const shipped = [join(packages, platform, name), join(packages, name)]
  const server = join(cacheFolder(), 'code-server-*', 'node_modules', 'code-server', 'lib', 'vscode')
  const candidates = [
    ...onPath,
    ...[...shipped, ...shipped.map(path => join(server, path))].flatMap(path => globSync(path)),
  ]
  return [process.env.PLAN_MODE_RIPGREP ?? '', ...candidates].find(path => path !== '' && existsSync(path))
}

describe('search_text', () => {
  describe('in plain Node', () => {
    it('respects .gitignore, skips what is no text, and shows path, line and text', async () => {
      await using fixture = await Fixture.create(tree)
      await symlink('../src', join(fixture.root, 'sub', 'link'))
      const outcome = await fixture.run('search_text', { pattern: 'alpha' })
      assert.equal(outcome.kind, 'success')
      const files = outcome.text.split('\n').map(line => line.replace(/:\d+: .*/s, ''))
      assert.deepEqual(files, [
        '.hidden/x.txt',
        'README.md',
        'app/(group)/page.tsx',
        'a{b}[c]/x.txt',
        'bom.txt',
        'build-x/x.txt',
        'latin1.txt',
        'long.txt',
        'packages/dist/out.js',
        'packages/keep.log',
        'separator.txt',
        'src/a.ts',
        'src/a.ts',
        'src/b.tsx',
        'src/only-root.txt',
        'src/sub/one/skip.ts',
        'sub/one/two/skip.ts',
        'tail.txt',
        'utf16.txt',
      ])
      assert.match(outcome.text, /^src\/a\.ts:2: const beta = alpha \+ 1$/m)
      assert.match(outcome.text, /^long\.txt:1: …x{58}😀alphay+…$/m)
    })

    it('is bounded', async () => {
      await using fixture = await Fixture.create({ 'a.txt': 'alpha\n'.repeat(150), 'b.txt': 'alpha\n'.repeat(150) })
      const outcome = await fixture.run('search_text', { pattern: 'alpha' })
      assert.equal(outcome.text.split('\n').length, 201)
      assert.match(outcome.text, /only the first 200 matches/)
      assert.deepEqual(outcome.meta, { matches: 200 })
    })

    it('refuses bad patterns and globs by name', async () => {
      await using fixture = await Fixture.create({ 'a.txt': 'x\n' })
      assert.equal(codeOf(await fixture.run('search_text', { pattern: '(' })), 'SEARCH_BAD_PATTERN')
      assert.equal(codeOf(await fixture.run('search_text', { pattern: 'a\\nb' })), 'SEARCH_BAD_PATTERN')
      assert.equal(codeOf(await fixture.run('search_text', { pattern: 'a\nb', literal: true })), 'SEARCH_BAD_PATTERN')
      for (const glob of ['a[', '{a', 'a}', 'a\\', '{a,b}'.repeat(20), 'a'.repeat(2000)]) {
        assert.equal(codeOf(await fixture.run('search_text', { pattern: 'x', glob })), 'SEARCH_BAD_GLOB', glob)
      }
      assert.equal((await fixture.run('search_text', { pattern: 'a\\\\nb' })).kind, 'success')
    })

    it('interrupts a runaway pattern instead of freezing', async () => {
      await using fixture = await Fixture.create({ 'a.txt': `${'a'.repeat(60)}!\n` })
      assert.equal(codeOf(await fixture.run('search_text', { pattern: '^(a+)+$' })), 'SEARCH_TOO_SLOW')
    })

    it('stops when the call is aborted', async () => {
      await using fixture = await Fixture.create({ 'a.txt': 'alpha\n' })
      fixture.abort.abort()
      await assert.rejects(fixture.run('search_text', { pattern: 'alpha' }), { name: 'AbortError' })
    })

    it('is what runs when the ripgrep path leads nowhere', async () => {
      await using fixture = await Fixture.create({ 'a.txt': 'alpha\n' })
      const outcome = await fixture.run('search_text', { pattern: 'alpha' }, { ripgrep: '/nowhere/rg' })
      assert.equal(outcome.text, 'a.txt:1: alpha')
    })
  })

  describe('with ripgrep', () => {
    const ripgrep = findRipgrep() ?? ''

    before(function () {
      // Skipped visibly: no ripgrep was found on this machine.
      if (ripgrep === '') this.skip()
    })

    it('gives the same as plain Node on the same tree', async () => {
      await using fixture = await Fixture.create(tree)
      await symlink('../src', join(fixture.root, 'sub', 'link'))
      await symlink('/etc', join(fixture.root, 'etc'))
      let matched = 0
      for (const query of queries) {
        const plain = await fixture.run('search_text', query)
        const fast = await fixture.run('search_text', query, { ripgrep })
        assert.deepEqual(fast, plain, JSON.stringify(query))
        if (plain.text !== 'No matches.') matched += 1
      }
      assert.ok(matched > 15)
    })

    it('bounds the same, and leaves no process behind when it stops early', async () => {
      await using fixture = await Fixture.create({ 'a.txt': 'alpha\n'.repeat(150), 'b.txt': 'alpha\n'.repeat(150) })
      const plain = await fixture.run('search_text', { pattern: 'alpha' })
      assert.deepEqual(await fixture.run('search_text', { pattern: 'alpha' }, { ripgrep }), plain)
    })

    it('refuses a bad pattern', async () => {
      await using fixture = await Fixture.create({ 'a.txt': 'x\n' })
      const outcome = await fixture.run('search_text', { pattern: '(' }, { ripgrep })
      assert.equal(codeOf(outcome), 'SEARCH_BAD_PATTERN')
    })

    it('stops when the call is aborted', async () => {
      await using fixture = await Fixture.create({ 'a.txt': 'alpha\n' })
      fixture.abort.abort()
      await assert.rejects(fixture.run('search_text', { pattern: 'alpha' }, { ripgrep }), { name: 'AbortError' })
    })

    it('shows nothing of the log root even when the log root is a linked folder', async () => {
      await using fixture = await Fixture.create({ 'logs/session.jsonl': 'alpha\n', 'a.txt': 'alpha\n' })
      await symlink('logs', join(fixture.root, 'linked'))
      const forbidden = [join(fixture.root, 'linked')]
      const outcome = await fixture.run('search_text', { pattern: 'alpha' }, { ripgrep, forbidden })
      assert.equal(outcome.text, 'a.txt:1: alpha')
    })
  })
})
