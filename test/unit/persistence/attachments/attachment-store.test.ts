import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AttachmentStore, imageBounds } from '../../../../src/persistence/attachments/attachment-store.ts'
import { convertInPlace } from '../../../../src/persistence/convert.ts'
import { rootEncoding } from '../../../../src/persistence/jsonl/root-encoding.ts'
import { persistenceOf, type RootForm } from '../../../../src/persistence/root-form.ts'
import { SessionStore } from '../../../../src/persistence/store.ts'
import { newUserMessage } from '../../../../src/session/messages.ts'
import { imageLimits } from '../../../../src/webview/image-messages.ts'
import { gif, jpeg, png, pngOfSize, webp } from '../../../support/pictures.ts'
import { run } from '../../cli/root.ts'
import { FaultyFileSystem } from '../faulty-file-system.ts'
import { useFolder } from '../scratch.ts'

const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const picture = png(320, 200)

describe('The attachment store', () => {
  const folder = useFolder()
  const root = () => join(folder(), '.plan-mode', 'sessions')
  const kept = () => join(root(), '.attachments')

  it('keeps a picture under the hash of its bytes, for its owner only, in a folder that ignores itself', async () => {
    const store = new AttachmentStore(root())
    const attachment = await store.put(picture, 'board.png')
    assert.deepEqual(attachment, {
      attachmentId: hash(picture),
      mediaType: 'image/png',
      bytes: picture.length,
      width: 320,
      height: 200,
      name: 'board.png',
    })
    assert.deepEqual(await readdir(kept()), [`${hash(picture)}.png`])
    assert.equal(store.locate(attachment), join(kept(), `${hash(picture)}.png`))
    assert.deepEqual(await readFile(store.locate(attachment)), Buffer.from(picture))
    assert.equal((await stat(store.locate(attachment))).mode & 0o777, 0o600)
    assert.equal((await stat(kept())).mode & 0o777, 0o700)
    assert.equal(await readFile(join(folder(), '.plan-mode', '.gitignore'), 'utf8'), '*\n')
    assert.deepEqual(await store.read(attachment), picture)
  })

  it('keeps the same bytes once, whatever their name, also when two windows put them at one time', async () => {
    const stores = [new AttachmentStore(root()), new AttachmentStore(root())]
    const put = await Promise.all(stores.flatMap(store => [store.put(picture, 'a.png'), store.put(picture, 'b.gif')]))
    assert.equal(new Set(put.map(({ attachmentId }) => attachmentId)).size, 1)
    assert.deepEqual(await readdir(kept()), [`${hash(picture)}.png`])
  })

  it('judges by the bytes, never by the name', async () => {
    const store = new AttachmentStore(root())
    const kinds = await Promise.all(
      [png(2, 3), gif(2, 3), jpeg(2, 3), webp('VP8L', 2, 3)].map(bytes => store.put(bytes, 'x.txt')),
    )
    assert.deepEqual(
      kinds.map(({ mediaType, width, height }) => [mediaType, width, height]),
      ['image/png', 'image/gif', 'image/jpeg', 'image/webp'].map(mediaType => [mediaType, 2, 3]),
    )
    await assert.rejects(store.put(Buffer.from('<svg/>'), 'real.png'), {
      code: 'BAD_IMAGE',
      message: '"real.png" is no PNG, JPEG, WebP or GIF image, whatever its name says. Save it as one of these first.',
    })
  })

  it('refuses what is too large, in bytes or in pixels, and keeps nothing of it', async () => {
    const store = new AttachmentStore(root())
    const large = new Uint8Array(imageBounds.bytes + 1)
    large.set(picture)
    await assert.rejects(store.put(large, 'big.png'), { code: 'IMAGE_TOO_LARGE', message: /at most 5 MB can be sent/ })
    await assert.rejects(store.put(pngOfSize(8001, 10)), {
      code: 'IMAGE_TOO_LARGE',
      message: /is 8001 x 10; at most 8000 pixels a side/,
    })
    assert.ok(!existsSync(kept()))
    assert.equal(imageLimits.bytes, imageBounds.bytes)
  })

  it('makes a name one plain line', async () => {
    const store = new AttachmentStore(root())
    assert.equal((await store.put(picture, ' a\n\u202eb\u0000.png ')).name, 'a b .png')
    assert.equal('name' in (await store.put(picture, '\n')), false)
    assert.equal((await store.put(picture, 'x'.repeat(500))).name?.length, 120)
  })

  it('gives nothing for bytes that are missing or damaged, and mends them when they are put again', async () => {
    const store = new AttachmentStore(root())
    const attachment = await store.put(picture)
    await writeFile(store.locate(attachment), 'damaged')
    assert.equal(await store.read(attachment), undefined)
    await store.put(picture)
    assert.deepEqual(await store.read(attachment), picture)
    await rm(kept(), { recursive: true })
    assert.equal(await store.read(attachment), undefined)
    assert.deepEqual(await store.put(picture), attachment)
  })

  it("takes no other program's id for a path", async () => {
    const store = new AttachmentStore(root())
    await store.put(picture)
    await writeFile(join(folder(), 'secret.png'), picture)
    for (const attachmentId of ['../../../secret', 'a'.repeat(64), `${hash(picture)}.png`, '', '/etc/passwd']) {
      assert.equal(await store.read({ attachmentId }), undefined, attachmentId)
    }
  })

  it('fails with the file named, leaves no half of it, and a later try goes well', async () => {
    const faulty = new FaultyFileSystem()
    const counting = new AttachmentStore(join(folder(), 'count'), faulty.fileSystem)
    await counting.put(picture)
    const calls = [...faulty.calls]
    for (const [index, call] of calls.entries()) {
      if (call === 'remove' || call === 'read') continue
      const at = join(folder(), `fail-${index}`)
      const faults = new FaultyFileSystem()
      const store = new AttachmentStore(at, faults.fileSystem)
      faults.failWhen((_, each) => (each === index ? 'ENOSPC' : undefined))
      await assert.rejects(store.put(picture), { code: 'STORAGE', message: /the disk is full/ }, `${index} ${call}`)
      const whole = await new AttachmentStore(at).find(hash(picture))
      if (whole !== undefined) assert.deepEqual(new Uint8Array(whole.bytes), picture)
      faults.heal()
      await store.put(picture)
      assert.deepEqual(await store.read({ attachmentId: hash(picture) }), picture)
    }
  })

  it('holds every byte durably before it resolves', async () => {
    const faulty = new FaultyFileSystem()
    faulty.writeInHalves()
    await new AttachmentStore(root(), faulty.fileSystem).put(picture)
    const [synced, linked] = [faulty.calls.lastIndexOf('sync'), faulty.calls.lastIndexOf('link')]
    assert.ok(faulty.calls.lastIndexOf('write') < synced && synced < linked)
    assert.ok(linked < faulty.calls.lastIndexOf('syncDirectory'))
  })

  it('is no session to any reader of the root', async () => {
    await new AttachmentStore(root()).put(picture)
    for (const form of [
      { backend: 'jsonl', compression: 'none' },
      { backend: 'jsonl', compression: 'zstd' },
      { backend: 'sqlite', compression: 'none' },
    ] satisfies RootForm[]) {
      const persistence = persistenceOf(root(), form)
      assert.deepEqual(await persistence.list(), { sessions: [], problems: [] })
      await persistence.dispose()
    }
    assert.equal(await rootEncoding(root()), undefined)
  })
})

describe('The pictures of a root', () => {
  const folder = useFolder()

  /** A session whose user sent a picture; the picture is put first, as always. */
  async function withPicture(root: string, form: RootForm) {
    const attachment = await new AttachmentStore(root).put(picture, 'board.png')
    const store = new SessionStore({ root, cwd: folder(), persistence: persistenceOf(root, form) })
    const open = await store.create({ id: 'one' })
    open.session.append(
      'user/message',
      newUserMessage('Like this', { kind: 'user' }, [{ type: 'image', attachment }]),
      {
        surfaceOp: 'append',
      },
    )
    await open.flush()
    return { attachment, store, open }
  }

  const forms: readonly [string, RootForm, RootForm][] = [
    ['raw lines to SQLite', { backend: 'jsonl', compression: 'none' }, { backend: 'sqlite', compression: 'none' }],
    ['SQLite to zstd frames', { backend: 'sqlite', compression: 'none' }, { backend: 'jsonl', compression: 'zstd' }],
  ]
  for (const [name, from, to] of forms) {
    it(`go along from ${name}, in place`, async () => {
      const root = join(folder(), 'sessions')
      const { attachment, store } = await withPicture(root, from)
      await store.dispose()
      const { left, backup } = await convertInPlace(root, { from, to }, 'now')
      assert.deepEqual(left, [])
      assert.deepEqual(await new AttachmentStore(root).read(attachment), picture)
      assert.deepEqual(await new AttachmentStore(backup ?? '').read(attachment), picture)
    })
  }

  it('go along into a copy, but for what is damaged or no picture of the store', async () => {
    const [from, to] = [join(folder(), 'from'), join(folder(), 'to')]
    const { attachment, store } = await withPicture(from, { backend: 'jsonl', compression: 'none' })
    await store.dispose()
    await writeFile(join(from, '.attachments', `${'b'.repeat(64)}.png`), 'damaged')
    await writeFile(join(from, '.attachments', 'notes.txt'), 'mine')
    assert.equal((await run('log', 'convert', from, to, '--to-backend', 'sqlite')).code, 0)
    assert.deepEqual(await readdir(join(to, '.attachments')), [`${attachment.attachmentId}.png`])
    assert.equal((await run('log', 'verify', to)).code, 0)
  })

  it('are shared with a fork', async () => {
    const root = join(folder(), 'sessions')
    const { attachment, store, open } = await withPicture(root, { backend: 'jsonl', compression: 'none' })
    const child = await store.fork(open.session)
    const [message] = [...child.session.from()]
    assert.deepEqual(message?.type === 'user/message' && message.data.content[0], { type: 'image', attachment })
    assert.equal((await readdir(join(root, '.attachments'))).length, 1)
    await store.dispose()
  })

  it('are named by the command line', async () => {
    const root = join(folder(), 'sessions')
    const { attachment, store } = await withPicture(root, { backend: 'jsonl', compression: 'none' })
    await store.dispose()
    const shown = await run('log', 'show', root, 'one')
    assert.match(shown.out, /User: \[image board\.png, image\/png, 320 x 200, [0-9a-f]{12}\]\nLike this/)
    const exported = await run('log', 'export', root, 'one')
    assert.ok(exported.out.includes(`- board.png (image/png, 320 x 200, \`${attachment.attachmentId}\`)`))
    assert.deepEqual(JSON.parse((await run('log', 'export', root, 'one', '--json')).out).images, [attachment])
  })

  it('left by a crash between the picture and its event disturb nothing', async () => {
    const root = join(folder(), 'sessions')
    await new AttachmentStore(root).put(picture)
    await mkdir(join(root, '.attachments'), { recursive: true })
    await writeFile(join(root, '.attachments', `${hash(picture)}.png.12345678.tmp`), 'half')
    await symlink('/nowhere', join(root, '.attachments', 'loop')).catch(() => undefined)
    const store = new SessionStore({ root, cwd: folder() })
    assert.deepEqual(await store.list(), { sessions: [], problems: [] })
    const open = await store.create()
    open.session.append('plan/mode', { active: true })
    await open.flush()
    assert.equal((await store.list()).sessions.length, 1)
    await store.dispose()
  })
})
