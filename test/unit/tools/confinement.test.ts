import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, rename, symlink } from 'node:fs/promises'
import { join, relative } from 'node:path'
import fc from 'fast-check'
import type { ApprovalOutcome } from '../../../src/agent/approvals.ts'
import { Workspace } from '../../../src/tools/files/workspace.ts'
import { confinedFixture, everyToolRefuses } from './confined.ts'
import { codeOf, type Fixture } from './fixture.ts'

describe('confinement of the workspace tools', () => {
  let fixture: Fixture

  beforeEach(async () => {
    fixture = await confinedFixture()
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
