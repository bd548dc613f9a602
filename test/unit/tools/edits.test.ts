import assert from 'node:assert/strict'
import { chmod, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ApprovalOutcome } from '../../../src/agent/approvals.ts'
import { countLines } from '../../../src/tools/files/line-counts.ts'
import { codeOf, Fixture } from './fixture.ts'

describe('write_file', () => {
  it('shows the change, writes on a yes, creates folders and leaves nothing else behind', async () => {
    await using fixture = await Fixture.create({ 'a.txt': 'one\ntwo\nthree\n' })
    const created = await fixture.run('write_file', { path: 'new/deep/b.txt', content: 'x\ny\n' })
    assert.deepEqual(created, {
      kind: 'success',
      text: 'Created new/deep/b.txt (2 lines added, 0 removed).',
      meta: { path: 'new/deep/b.txt', added: 2, removed: 0, diff: '@@ -0,0 +1,2 @@\n+x\n+y' },
    })
    const changed = await fixture.run('write_file', { path: 'a.txt', content: 'one\nTWO\nthree\nfour\n' })
    const diff = '@@ -1,3 +1,4 @@\n one\n-two\n+TWO\n three\n+four'
    assert.deepEqual(changed.meta, { path: 'a.txt', added: 2, removed: 1, diff })
    assert.equal(await readFile(join(fixture.root, 'a.txt'), 'utf8'), 'one\nTWO\nthree\nfour\n')
    const [first, second] = fixture.asked
    assert.equal(first?.toolName, 'write_file')
    assert.equal(first?.call.callId, 'call-1')
    assert.equal(first?.reason, 'The agent wants to create new/deep/b.txt (2 lines added, 0 removed).')
    assert.deepEqual(first?.change, { path: 'new/deep/b.txt', before: undefined, after: 'x\ny\n' })
    assert.equal(second?.change?.before, 'one\ntwo\nthree\n')
    assert.equal(first !== undefined && 'warning' in first, false)
    assert.deepEqual(await readdir(join(fixture.root, 'new/deep')), ['b.txt'])
  })

  it('writes nothing and says why for every other answer', async () => {
    await using fixture = await Fixture.create({ 'a.txt': 'old\n' })
    const cases = [
      ['rejected', 'APPROVAL_REJECTED', /The user refused this edit/],
      ['cancelled', 'ABORTED', /was cancelled/],
      ['unavailable', 'APPROVAL_UNAVAILABLE', /Nobody could be asked/],
    ] as const
    for (const [answer, code, words] of cases) {
      fixture.answer = () => answer
      const outcome = await fixture.run('write_file', { path: 'a.txt', content: 'new\n' })
      assert.equal(codeOf(outcome), code)
      assert.match(outcome.text, words)
    }
    assert.equal(await readFile(join(fixture.root, 'a.txt'), 'utf8'), 'old\n')
  })

  it('tells the model that the policy refuses every write', async () => {
    await using fixture = await Fixture.create({ 'a.txt': 'old\n' })
    fixture.policy = 'never'
    const outcome = await fixture.run('write_file', { path: 'a.txt', content: 'new\n' })
    assert.match(outcome.text, /the approval policy is "never"/)
    assert.equal(await readFile(join(fixture.root, 'a.txt'), 'utf8'), 'old\n')
  })

  it('writes nothing when the call is aborted while it waits, even after a yes', async () => {
    await using fixture = await Fixture.create({ 'a.txt': 'old\n' })
    fixture.answer = () => {
      fixture.abort.abort()
      return 'allowed-once'
    }
    await assert.rejects(fixture.run('write_file', { path: 'a.txt', content: 'new\n' }), { name: 'AbortError' })
    assert.equal(await readFile(join(fixture.root, 'a.txt'), 'utf8'), 'old\n')
  })

  it('writes nothing when the file changed, appeared or went away while it waited', async () => {
    await using fixture = await Fixture.create({ 'a.txt': 'old\n', 'b.txt': 'old\n' })
    fixture.answer = async (): Promise<ApprovalOutcome> => {
      await writeFile(join(fixture.root, 'a.txt'), 'someone else\n')
      await writeFile(join(fixture.root, 'c.txt'), 'someone else\n')
      await rm(join(fixture.root, 'b.txt'), { force: true })
      return 'allowed-once'
    }
    for (const path of ['a.txt', 'c.txt', 'b.txt']) {
      await fixture.put('b.txt', 'old\n')
      await rm(join(fixture.root, 'c.txt'), { force: true })
      const outcome = await fixture.run('write_file', { path, content: 'new\n' })
      assert.equal(codeOf(outcome), 'FS_CHANGED', path)
    }
    assert.equal(await readFile(join(fixture.root, 'a.txt'), 'utf8'), 'someone else\n')
    assert.equal(await readFile(join(fixture.root, 'c.txt'), 'utf8'), 'someone else\n')
    await assert.rejects(stat(join(fixture.root, 'b.txt')), { code: 'ENOENT' })
  })

  it('keeps permission bits and line ends, and writes through an inner link', async function () {
    if (process.platform === 'win32') this.skip()
    await using fixture = await Fixture.create({ 'run.sh': 'echo\n', 'dos.txt': 'one\r\ntwo\r\n' })
    await chmod(join(fixture.root, 'run.sh'), 0o750)
    await symlink('run.sh', join(fixture.root, 'link'))
    await fixture.run('write_file', { path: 'link', content: 'echo hi\n' })
    assert.equal((await stat(join(fixture.root, 'run.sh'))).mode & 0o777, 0o750)
    assert.equal(await readFile(join(fixture.root, 'run.sh'), 'utf8'), 'echo hi\n')
    await fixture.run('write_file', { path: 'dos.txt', content: 'one\nTWO\n' })
    assert.equal(await readFile(join(fixture.root, 'dos.txt'), 'utf8'), 'one\r\nTWO\r\n')
  })

  it('asks nobody when nothing would change, or when the file is open with unsaved changes', async () => {
    await using fixture = await Fixture.create({ 'a.txt': 'same\n' })
    const same = await fixture.run('write_file', { path: 'a.txt', content: 'same\n' })
    assert.equal(same.kind, 'success')
    const openDocuments = { isDirty: (path: string) => path === join(fixture.root, 'a.txt') }
    const unsaved = await fixture.run('write_file', { path: 'a.txt', content: 'new\n' }, { openDocuments })
    assert.equal(codeOf(unsaved), 'FS_UNSAVED')
    assert.equal(fixture.asked.length, 0)
  })

  it('warns of files that can run things, also through a link', async () => {
    await using fixture = await Fixture.create({ '.vscode/tasks.json': '{}\n' })
    await symlink('.vscode', join(fixture.root, 'config'))
    const paths = [
      '.vscode/settings.json',
      '.VSCODE/x.json',
      'config/tasks.json',
      'sub/.devcontainer/x',
      'a.code-workspace',
    ]
    for (const path of paths) await fixture.run('write_file', { path, content: 'x\n' })
    assert.equal(fixture.asked.length, paths.length)
    for (const request of fixture.asked) assert.match(request.warning ?? '', /can make VS Code run programs/)
  })

  it('refuses a folder, a binary file and a file as a folder', async () => {
    await using fixture = await Fixture.create({ 'src/a.ts': '', 'x.bin': new Uint8Array([0, 1]), 'a.txt': 'x\n' })
    assert.equal(codeOf(await fixture.run('write_file', { path: 'src', content: '' })), 'FS_IS_FOLDER')
    assert.equal(codeOf(await fixture.run('write_file', { path: 'x.bin', content: '' })), 'FS_BINARY')
    const below = await fixture.run('write_file', { path: 'a.txt/b.txt', content: 'x' })
    assert.equal(below.kind, 'failure')
    assert.equal(await readFile(join(fixture.root, 'a.txt'), 'utf8'), 'x\n')
  })
})

describe('edit_file', () => {
  it('replaces exact text that occurs once, whatever characters it holds', async () => {
    await using fixture = await Fixture.create({ 'a.txt': 'price: $1 (old)\nrest\n' })
    const outcome = await fixture.run('edit_file', { path: 'a.txt', old_text: '$1 (old)', new_text: "$& $' $1" })
    const diff = "@@ -1,2 +1,2 @@\n-price: $1 (old)\n+price: $& $' $1\n rest"
    assert.deepEqual(outcome.meta, { path: 'a.txt', added: 1, removed: 1, diff })
    assert.equal(await readFile(join(fixture.root, 'a.txt'), 'utf8'), "price: $& $' $1\nrest\n")
    assert.equal(fixture.asked[0]?.toolName, 'edit_file')
  })

  it('says how often the text occurs unless it is once, and replaces all on request', async () => {
    await using fixture = await Fixture.create({ 'a.txt': 'x y x y x\n' })
    const many = await fixture.run('edit_file', { path: 'a.txt', old_text: 'x', new_text: 'z' })
    assert.equal(codeOf(many), 'FS_TEXT_AMBIGUOUS')
    assert.match(many.text, /occurs 3 times in a\.txt/)
    const none = await fixture.run('edit_file', { path: 'a.txt', old_text: 'q', new_text: 'z' })
    assert.equal(codeOf(none), 'FS_TEXT_NOT_FOUND')
    assert.equal(fixture.asked.length, 0)
    await fixture.run('edit_file', { path: 'a.txt', old_text: 'x', new_text: 'z', replace_all: true })
    assert.equal(await readFile(join(fixture.root, 'a.txt'), 'utf8'), 'z y z y z\n')
  })

  it('edits a file with Windows line ends by text that read_file showed', async () => {
    await using fixture = await Fixture.create({ 'a.txt': '\uFEFFone\r\ntwo\r\nthree\r\n' })
    await fixture.run('edit_file', { path: 'a.txt', old_text: 'one\ntwo', new_text: 'one\n1.5\ntwo' })
    assert.equal(await readFile(join(fixture.root, 'a.txt'), 'utf8'), '\uFEFFone\r\n1.5\r\ntwo\r\nthree\r\n')
  })

  it('refuses a missing file and an edit that changes nothing', async () => {
    await using fixture = await Fixture.create({ 'a.txt': 'x\n' })
    assert.equal(
      codeOf(await fixture.run('edit_file', { path: 'b.txt', old_text: 'x', new_text: 'y' })),
      'FS_NOT_FOUND',
    )
    const same = await fixture.run('edit_file', { path: 'a.txt', old_text: 'x', new_text: 'x' })
    assert.equal(codeOf(same), 'FS_TEXT_NOT_FOUND')
  })
})

describe('countLines', () => {
  it('counts as a diff shows', () => {
    assert.deepEqual(countLines(undefined, ''), { added: 0, removed: 0 })
    assert.deepEqual(countLines(undefined, 'a\nb'), { added: 2, removed: 0 })
    assert.deepEqual(countLines('a\nb\nc\n', 'a\nc\n'), { added: 0, removed: 1 })
    assert.deepEqual(countLines('a\nb\nc\nd\n', 'x\nb\ny\nd\n'), { added: 2, removed: 2 })
    assert.deepEqual(countLines('a\na\n', 'a\na\na\n'), { added: 1, removed: 0 })
  })

  it('is exact for one large insertion, and bounded for many scattered changes', () => {
    const lines = (count: number, text: string) => `${text}\n`.repeat(count)
    assert.deepEqual(countLines('a\nz\n', `a\n${lines(100_000, 'x')}z\n`), { added: 100_000, removed: 0 })
    const before = `a\n${lines(20_000, 'x\nsame')}z\n`
    const after = before.replaceAll('x', 'y')
    assert.deepEqual(countLines(before, after), { added: 39_999, removed: 39_999 })
  })
})
