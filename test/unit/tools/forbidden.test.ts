import assert from 'node:assert/strict'
import { link, mkdir, readdir, rename, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { Workspace } from '../../../src/tools/files/workspace.ts'
import { confinedFixture, everyToolRefuses, secret } from './confined.ts'
import { codeOf, type Fixture } from './fixture.ts'

describe('the folders that the workspace tools must not touch', () => {
  let fixture: Fixture

  beforeEach(async () => {
    fixture = await confinedFixture()
  })

  afterEach(async () => {
    await fixture[Symbol.asyncDispose]()
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
        'packages/x/.plan-mode/sessions/one/session.jsonl',
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
})
