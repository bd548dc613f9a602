import assert from 'node:assert/strict'
import { link, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import fc from 'fast-check'
import type { ApprovalOutcome } from '../../../src/agent/approvals.ts'
import { Workspace } from '../../../src/tools/files/workspace.ts'
import { codeOf, Fixture } from './fixture.ts'

const secret = 'TOP-SECRET-LINE'

/** Every tool on one path; a path-less search is covered by its own tests. */
const attempts = (path: string): [string, object][] => [
  ['read_file', { path }],
  ['list_files', { path }],
  ['write_file', { path, content: 'x' }],
  ['edit_file', { path, old_text: secret, new_text: 'x' }],
]

async function everyToolRefuses(fixture: Fixture, path: string, code: string): Promise<void> {
  for (const [name, args] of attempts(path)) {
    const outcome = await fixture.run(name, args)
    assert.equal(codeOf(outcome), code, `${name} ${path}: ${outcome.text}`)
    assert.doesNotMatch(outcome.text, new RegExp(secret))
  }
  assert.equal(fixture.asked.length, 0)
}

describe('confinement of the workspace tools', () => {
  let fixture: Fixture

  beforeEach(async () => {
    fixture = await Fixture.create({
      'src/a.ts': 'const a = 1\n',
      '.plan-mode/sessions/one/session.jsonl': `${secret}\n`,
    })
    await writeFile(join(fixture.folder, 'outside.txt'), `${secret}\n`)
    await mkdir(join(fixture.folder, 'elsewhere'))
    await writeFile(join(fixture.folder, 'elsewhere', 'inner.txt'), `${secret}\n`)
  })

  afterEach(async () => {
    await fixture[Symbol.asyncDispose]()
  })

  describe('outside the workspace', () => {
    it('refuses parents, absolute paths and look-alike siblings', async () => {
      await mkdir(`${fixture.root}-sibling`)
      for (const path of [
        '..',
        '../outside.txt',
        'src/../../outside.txt',
        './/src/..//../outside.txt',
        '/etc/passwd',
        '/',
        join(fixture.folder, 'outside.txt'),
        `${fixture.root}-sibling`,
        '../workspace-sibling/new.txt',
        '../does-not-exist/deep/new.txt',
      ]) {
        await everyToolRefuses(fixture, path, 'FS_OUTSIDE_WORKSPACE')
      }
    })

    it('refuses symbolic links that leave: to a file, to a folder, relative, chained, dangling', async () => {
      await symlink(join(fixture.folder, 'outside.txt'), join(fixture.root, 'file-link'))
      await symlink('../elsewhere', join(fixture.root, 'folder-link'))
      await symlink('file-link', join(fixture.root, 'chain'))
      await symlink(join(fixture.folder, 'not-there-yet.txt'), join(fixture.root, 'dangling'))
      await symlink('../not-there-yet', join(fixture.root, 'src', 'up'))
      await symlink('src/up/../../not-there-either', join(fixture.root, 'roundabout'))
      for (const path of [
        'file-link',
        'folder-link',
        'folder-link/inner.txt',
        'folder-link/new/deep.txt',
        'chain',
        'dangling',
        'dangling/child.txt',
      ]) {
        await everyToolRefuses(fixture, path, 'FS_OUTSIDE_WORKSPACE')
      }
      await fixture.run('write_file', { path: 'src/up', content: 'x' })
      await fixture.run('write_file', { path: 'roundabout', content: 'x' })
      assert.deepEqual((await readdir(fixture.folder)).sort(), ['elsewhere', 'outside.txt', 'workspace'])
    })

    it('refuses a loop of links', async () => {
      await symlink('loop-b', join(fixture.root, 'loop-a'))
      await symlink('loop-a', join(fixture.root, 'loop-b'))
      await everyToolRefuses(fixture, 'loop-a', 'FS_BAD_PATH')
    })

    it('refuses a path that is empty or holds a NUL', async () => {
      await everyToolRefuses(fixture, ' ', 'FS_BAD_PATH')
      await everyToolRefuses(fixture, 'src/a.ts\0.txt', 'FS_BAD_PATH')
    })
  })

  describe('inside the workspace', () => {
    it('accepts absolute paths, dots and links that stay inside, and answers with relative paths', async () => {
      await symlink('src', join(fixture.root, 'source'))
      for (const path of [join(fixture.root, 'src/a.ts'), './src/../src/a.ts', 'source/a.ts', 'src//a.ts']) {
        const outcome = await fixture.run('read_file', { path })
        assert.equal(outcome.text, '1\tconst a = 1')
        assert.deepEqual(outcome.meta, { path: 'src/a.ts', startLine: 1, endLine: 1, totalLines: 1 })
      }
    })

    it('accepts a workspace folder that is itself reached through a link', async () => {
      await symlink(fixture.root, join(fixture.folder, 'alias'))
      const root = join(fixture.folder, 'alias')
      const forbidden = [join(root, '.plan-mode', 'sessions')]
      const read = await fixture.run('read_file', { path: join(root, 'src/a.ts') }, { root, forbidden })
      assert.equal(read.kind, 'success')
      const log = await fixture.run('read_file', { path: '.plan-mode/sessions/one/session.jsonl' }, { root, forbidden })
      assert.equal(codeOf(log), 'FS_FORBIDDEN')
    })

    it('writes through a dangling link to where it leads', async () => {
      await symlink('src/later.ts', join(fixture.root, 'shortcut'))
      const outcome = await fixture.run('write_file', { path: 'shortcut', content: 'x\n' })
      assert.equal(outcome.kind, 'success')
      assert.equal(fixture.asked[0]?.change?.path, 'src/later.ts')
      assert.equal(await readFile(join(fixture.root, 'src/later.ts'), 'utf8'), 'x\n')
    })
  })

  describe('the log root', () => {
    it('is refused under every spelling', async () => {
      await symlink('.plan-mode', join(fixture.root, 'innocent'))
      await symlink(join(fixture.logRoot, 'one', 'session.jsonl'), join(fixture.root, 'notes.txt'))
      for (const path of [
        '.plan-mode/sessions',
        '.plan-mode/sessions/one/session.jsonl',
        '.plan-mode/sessions/not/yet.jsonl',
        'src/../.plan-mode/./sessions/one',
        fixture.logRoot,
        '.PLAN-MODE/Sessions/one/session.jsonl',
        '.plan-mode/session\u017F/x',
        '.plan\u200B-mode/sessions/x',
        '\uFF0Eplan-mode/sessions/x',
        '.plan-mode./sessions /x',
        '.plan-mode/sessions::$INDEX_ALLOCATION/x',
        'innocent/sessions/one/session.jsonl',
        'innocent/sessions/new.jsonl',
        'notes.txt',
      ]) {
        await everyToolRefuses(fixture, path, 'FS_FORBIDDEN')
      }
    })

    it('is refused before it exists, also through a link to it', async () => {
      await rm(join(fixture.root, '.plan-mode'), { recursive: true })
      await symlink('.plan-mode/sessions/forged.jsonl', join(fixture.root, 'forged'))
      await everyToolRefuses(fixture, '.plan-mode/sessions/forged.jsonl', 'FS_FORBIDDEN')
      await everyToolRefuses(fixture, 'forged', 'FS_FORBIDDEN')
      await assert.rejects(readdir(join(fixture.root, '.plan-mode')), { code: 'ENOENT' })
    })

    it('is refused when it is a link to another folder of the workspace', async () => {
      await rename(fixture.logRoot, join(fixture.root, 'logs'))
      await symlink('../logs', fixture.logRoot)
      await everyToolRefuses(fixture, 'logs/one/session.jsonl', 'FS_FORBIDDEN')
      const list = await fixture.run('list_files', { recursive: true })
      assert.doesNotMatch(list.text, /logs\//)
    })

    it('is known by identity when the file system offers another name for it', async () => {
      // A hard link stands in for the second spellings that other file systems have.
      await link(join(fixture.root, 'src/a.ts'), join(fixture.root, 'twin.ts'))
      const workspace = new Workspace(fixture.root, [join(fixture.root, 'src/a.ts')])
      await assert.rejects(workspace.locate('twin.ts'), { code: 'FS_FORBIDDEN' })
      assert.equal((await workspace.locate('src')).path, 'src')
    })

    it('is left out of lists and searches', async () => {
      for (const args of [{}, { recursive: true }, { path: '.plan-mode' }, { path: '.plan-mode', recursive: true }]) {
        const outcome = await fixture.run('list_files', args)
        assert.equal(outcome.kind, 'success')
        assert.doesNotMatch(outcome.text, /sessions/)
      }
      const search = await fixture.run('search_text', { pattern: secret })
      assert.equal(search.text, 'No matches.')
      const byGlob = await fixture.run('search_text', { pattern: secret, glob: '.plan-mode/**' })
      assert.equal(byGlob.text, 'No matches.')
    })
  })

  describe('.git and .plan-mode', () => {
    it('cannot be edited, in any spelling, at any depth', async () => {
      await mkdir(join(fixture.root, 'gitdata', 'hooks'), { recursive: true })
      await symlink('gitdata', join(fixture.root, '.git'))
      for (const path of [
        '.git/config',
        '.GIT/hooks/pre-commit',
        '.git./config',
        '.g\u200Cit/config',
        'packages/x/.git/config',
        'src/.git',
        '.plan-mode/.gitignore',
        '.Plan-Mode/settings.json',
      ]) {
        const outcome = await fixture.run('write_file', { path, content: 'x' })
        assert.equal(codeOf(outcome), 'FS_FORBIDDEN', path)
      }
      assert.deepEqual(await readdir(join(fixture.root, 'gitdata')), ['hooks'])
      assert.equal(fixture.asked.length, 0)
    })

    it('does not take .gitignore or .github for .git', async () => {
      assert.equal((await fixture.run('write_file', { path: '.gitignore', content: 'x\n' })).kind, 'success')
      assert.equal((await fixture.run('write_file', { path: '.github/x.yml', content: 'x\n' })).kind, 'success')
    })
  })

  it('resolves again after the approval: a folder swapped for a link meanwhile is refused', async () => {
    fixture.answer = async (): Promise<ApprovalOutcome> => {
      await rename(join(fixture.root, 'src'), join(fixture.root, 'moved'))
      await symlink(join(fixture.folder, 'elsewhere'), join(fixture.root, 'src'))
      return 'allowed-once'
    }
    const outcome = await fixture.run('write_file', { path: 'src/new.txt', content: 'x' })
    assert.equal(codeOf(outcome), 'FS_OUTSIDE_WORKSPACE')
    assert.deepEqual(await readdir(join(fixture.folder, 'elsewhere')), ['inner.txt'])
  })

  it('never lets a made-up path escape', async () => {
    await symlink('..', join(fixture.root, 'up'))
    await symlink(fixture.folder, join(fixture.root, 'src', 'far'))
    await symlink('../.plan-mode', join(fixture.root, 'src', 'log'))
    const workspace = new Workspace(fixture.root, [fixture.logRoot])
    const segment = fc.oneof(
      fc.constantFrom(
        '..',
        '.',
        '',
        'src',
        'up',
        'far',
        'log',
        'sessions',
        '.plan-mode',
        'workspace',
        'elsewhere',
        'a.ts',
      ),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 4 }),
    )
    const path = fc
      .tuple(fc.boolean(), fc.array(segment, { minLength: 1, maxLength: 8 }))
      .map(([absolute, segments]) => {
        return (absolute ? `${fixture.root}/` : '') + segments.join('/')
      })
    await fc.assert(
      fc.asyncProperty(path, async path => {
        const place = await workspace.locate(path).catch(error => {
          assert.match(error.code, /^FS_/)
          return undefined
        })
        if (place === undefined) return
        const inside = relative(fixture.root, place.real)
        assert.ok(inside === '' || (!inside.startsWith('../') && inside !== '..'), place.real)
        assert.ok(!place.real.startsWith(fixture.logRoot), place.real)
      }),
      { numRuns: 500 },
    )
  })
})
