import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { AttachmentStore } from '../../../src/persistence/attachments/attachment-store.ts'
import { png, pngOfSize } from '../../support/pictures.ts'
import { codeOf, Fixture } from './fixture.ts'

describe('read_file', () => {
  it('numbers lines, reads a range and says how much there is', async () => {
    await using fixture = await Fixture.create({ 'a.txt': 'one\r\ntwo\nthree\n\nfive' })
    const whole = await fixture.run('read_file', { path: 'a.txt' })
    assert.equal(whole.text, '1\tone\n2\ttwo\n3\tthree\n4\t\n5\tfive')
    const range = await fixture.run('read_file', { path: 'a.txt', start_line: 2, end_line: 3 })
    assert.equal(range.text, '2\ttwo\n3\tthree\n(lines 2 to 3 of 5)')
    assert.deepEqual(range.meta, { path: 'a.txt', startLine: 2, endLine: 3, totalLines: 5 })
    const tail = await fixture.run('read_file', { path: 'a.txt', start_line: 5, end_line: 99 })
    assert.equal(tail.text, '5\tfive\n(lines 5 to 5 of 5)')
  })

  it('fails clearly for ranges, folders, missing files and empty ones', async () => {
    await using fixture = await Fixture.create({ 'a.txt': 'one\n', 'empty.txt': '', 'src/x.ts': '' })
    assert.equal(codeOf(await fixture.run('read_file', { path: 'a.txt', start_line: 3 })), 'FS_NO_SUCH_LINE')
    assert.equal(
      codeOf(await fixture.run('read_file', { path: 'a.txt', start_line: 2, end_line: 1 })),
      'FS_NO_SUCH_LINE',
    )
    assert.equal(codeOf(await fixture.run('read_file', { path: 'src' })), 'FS_IS_FOLDER')
    assert.equal(codeOf(await fixture.run('read_file', { path: 'a.txt/b' })), 'FS_NOT_FOUND')
    const missing = await fixture.run('read_file', { path: 'gone.txt' })
    assert.equal(missing.text, 'gone.txt does not exist.')
    assert.equal((await fixture.run('read_file', { path: 'empty.txt' })).text, '(the file is empty)')
  })

  it('says that a file is binary or too large instead of showing it', async () => {
    await using fixture = await Fixture.create({
      'nul.bin': new Uint8Array([65, 0, 66]),
      'latin1.txt': new Uint8Array([0x63, 0xe9, 0x0a]),
      'large.txt': 'x'.repeat(5 * 1024 * 1024 + 1),
    })
    assert.equal(codeOf(await fixture.run('read_file', { path: 'nul.bin' })), 'FS_BINARY')
    assert.equal(codeOf(await fixture.run('read_file', { path: 'latin1.txt' })), 'FS_BINARY')
    const large = await fixture.run('read_file', { path: 'large.txt' })
    assert.equal(codeOf(large), 'FS_TOO_LARGE')
    assert.match(large.text, /5\.0 MB/)
  })

  it('shows an image as it is, whatever its name says, where images can be kept', async () => {
    const logo = png(32, 20)
    await using fixture = await Fixture.create({ 'art/logo.txt': logo, 'wide.png': pngOfSize(9000, 1) })
    assert.equal(codeOf(await fixture.run('read_file', { path: 'art/logo.txt' })), 'FS_BINARY')
    const images = new AttachmentStore(fixture.logRoot)
    const shown = await fixture.run('read_file', { path: 'art/logo.txt' }, { images })
    assert.equal(shown.text, `art/logo.txt is an image: image/png, 32 x 20 pixels, ${logo.length} bytes.`)
    const [block] = shown.kind === 'success' ? (shown.images ?? []) : []
    assert.equal(block?.attachment.name, 'logo.txt')
    assert.deepEqual(block && (await images.read(block.attachment)), logo)
    await assert.rejects(fixture.run('read_file', { path: 'wide.png' }, { images }), { code: 'IMAGE_TOO_LARGE' })
  })

  it('does not hang on a pipe', async function () {
    if (process.platform === 'win32') this.skip()
    await using fixture = await Fixture.create()
    execFileSync('mkfifo', [join(fixture.root, 'pipe')])
    assert.equal(codeOf(await fixture.run('read_file', { path: 'pipe' })), 'FS_NOT_A_FILE')
  })

  it('bounds lines, characters and the length of one line, and says where to go on', async () => {
    await using fixture = await Fixture.create({
      'many.txt': 'x\n'.repeat(2500),
      'wide.txt': `${'y'.repeat(1990)}\n`.repeat(100),
      'long.txt': `${'z'.repeat(1999)}😀${'z'.repeat(5000)}\n`,
    })
    assert.match((await fixture.run('read_file', { path: 'many.txt' })).text, /\n\(lines 1 to 2000 of 2500\)$/)
    assert.match((await fixture.run('read_file', { path: 'wide.txt' })).text, /\n\(lines 1 to 30 of 100\)$/)
    const long = await fixture.run('read_file', { path: 'long.txt' })
    assert.equal(long.text, `1\t${'z'.repeat(1999)} (line cut)`)
  })
})

describe('list_files', () => {
  it('lists one folder with everything in it, folders and links marked', async () => {
    await using fixture = await Fixture.create({ 'b.txt': '', 'a/inner.txt': '', '.env': '', 'node_modules/x.js': '' })
    await symlink('b.txt', join(fixture.root, 'c'))
    const outcome = await fixture.run('list_files', {})
    assert.equal(outcome.text, '.env\n.plan-mode/\na/\nb.txt\nc@\nnode_modules/')
    assert.equal((await fixture.run('list_files', { path: 'a' })).text, 'a/inner.txt')
  })

  it('lists recursively without .git, node_modules and ignored files, and does not follow links', async () => {
    await using fixture = await Fixture.create({
      '.gitignore': 'dist/\n*.log\n!keep.log\n',
      'src/.gitignore': 'generated\n',
      'src/a.ts': '',
      'src/generated/x.ts': '',
      'src/debug.log': '',
      'src/keep.log': '',
      'dist/out.js': '',
      '.git/config': '',
      'packages/p/node_modules/q/index.js': '',
    })
    await symlink('..', join(fixture.root, 'src', 'loop'))
    const outcome = await fixture.run('list_files', { recursive: true })
    assert.deepEqual(outcome.text.split('\n'), [
      '.gitignore',
      '.plan-mode/',
      'packages/',
      'packages/p/',
      'src/',
      'src/.gitignore',
      'src/a.ts',
      'src/keep.log',
      'src/loop@',
    ])
    const inner = await fixture.run('list_files', { path: 'src', recursive: true })
    assert.deepEqual(inner.text.split('\n'), ['src/.gitignore', 'src/a.ts', 'src/keep.log', 'src/loop@'])
    const ignored = await fixture.run('list_files', { path: 'dist', recursive: true })
    assert.equal(ignored.text, 'dist/out.js')
  })

  it('leaves out exactly what git leaves out, whatever the nested .gitignore files say', async function () {
    if (spawnSync('git', ['--version']).status !== 0) this.skip()
    await using fixture = await Fixture.create({
      '.gitignore':
        'dist/\n/only-root\n**/cache/**\n!cache/keep\n\\#odd\n*.[oa]\n{x,y}\nspace\\ \n# note\n.plan-mode\n',
      'dist/out.js': '',
      'only-root': '',
      'cache/keep': '',
      'cache/drop': '',
      '#odd': '',
      'lib.o': '',
      x: '',
      '{x,y}': '',
      'space ': '',
      'p[1]/.gitignore': '!dist/\n/a/*\nb/c \nd/\n\n \n/\n!\n**/e\n!*.o\n',
      'p[1]/dist/out.js': '',
      'p[1]/a/x/y': '',
      'p[1]/q/a/x': '',
      'p[1]/b/c': '',
      'p[1]/q/b/c': '',
      'p[1]/q/d/x': '',
      'p[1]/d2/e/f': '',
      'p[1]/lib.o': '',
      'p1/e': '',
    })
    execFileSync('git', ['init', '--quiet', fixture.root])
    const args = ['-C', fixture.root, '-c', 'core.excludesFile=', 'ls-files', '--others', '--exclude-standard', '-z']
    const expected = execFileSync('git', args, { encoding: 'utf8' }).split('\0').filter(Boolean)
    const { text } = await fixture.run('list_files', { recursive: true })
    const listed = text.split('\n').filter(line => !line.endsWith('/'))
    assert.deepEqual(listed, expected.sort())
  })

  it('is bounded, and shows upper levels first', async () => {
    await using fixture = await Fixture.create({ 'zz/deep/file.txt': '' })
    for (let i = 0; i < 600; i++) await fixture.put(`aa/f${i}.txt`, '')
    const outcome = await fixture.run('list_files', { recursive: true })
    const lines = outcome.text.split('\n')
    assert.equal(lines.length, 501)
    assert.ok(lines.includes('zz/'))
    assert.match(lines.at(-1) ?? '', /only the first 500 entries/)
  })

  it('fails for a file, says when a folder is empty or missing', async () => {
    await using fixture = await Fixture.create({ 'a.txt': '' })
    await mkdir(join(fixture.root, 'empty'))
    assert.equal(codeOf(await fixture.run('list_files', { path: 'a.txt' })), 'FS_NOT_A_FOLDER')
    assert.equal(codeOf(await fixture.run('list_files', { path: 'a.txt', recursive: true })), 'FS_NOT_A_FOLDER')
    assert.equal(codeOf(await fixture.run('list_files', { path: 'gone' })), 'FS_NOT_FOUND')
    assert.equal((await fixture.run('list_files', { path: 'empty' })).text, '(the folder is empty)')
  })
})
