import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { chmod, chown, copyFile, mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { loadSqlite } from '../../../../src/persistence/sqlite/load-sqlite.ts'
import { refusal } from '../../../contract/log-cases.ts'
import { header, modes, useFolder } from '../scratch.ts'
import { endOf, startChild, textOf } from './child-output.ts'
import { backendAt, fileIn, store } from './database-file.ts'

describe('a database that the system refuses', () => {
  const root = useFolder()

  it('is asked for only when it is needed, and says what to do without SQLite', async () => {
    const missing = () => loadSqlite(() => Promise.reject(new Error('No such built-in module: node:sqlite')))
    const backend = backendAt(join(root(), 'new'), { load: missing })
    await assert.rejects(
      backend.createWriter(header()),
      /Node 22\.13 or later, or set planMode\.log\.backend to "jsonl"/,
    )
    assert.equal(await refusal(() => backend.createWriter(header())), 'SQLITE_MISSING')
    assert.equal(await refusal(() => backend.list()), 'SQLITE_MISSING')
  })

  it('while another program locks it: waits without blocking, then says so, and goes on afterwards', async () => {
    await store(root())
    const backend = backendAt(root())
    const { writer } = await backend.openWriter('s')
    const other = new DatabaseSync(fileIn(root()))
    other.exec('BEGIN IMMEDIATE')
    let ticks = 0
    const ticking = setInterval(() => ticks++, 5)
    const waiting = writer.append(modes(5, 6))
    await assert.rejects(waiting, { code: 'STORAGE', message: /sessions\.db could not be written: another program/ })
    clearInterval(ticking)
    assert.ok(ticks > 20, `the thread was free ${ticks} times`)
    assert.deepEqual((await backend.read('s')).events, modes(0, 5), 'reading goes on')
    const patient = writer.append(modes(5, 7))
    setTimeout(() => other.exec('COMMIT'), 120)
    await patient
    other.close()
    assert.deepEqual((await backend.read('s')).events, modes(0, 7))
    await writer.release()
    await backend.dispose()
  }).timeout(30_000)

  it('because it is gone: acknowledges nothing more, and goes on when it is back', async () => {
    const backend = backendAt(root())
    const writer = await backend.createWriter(header())
    await writer.append(modes(0, 3))
    const away = `${root()}-away`
    await rename(root(), away)
    await assert.rejects(writer.append(modes(3, 4)), { code: 'LOG_GONE', message: /it is not there any more/ })
    assert.equal(await refusal(() => backend.read('s')), 'NOT_FOUND')
    await rename(away, root())
    await writer.append(modes(3, 4))
    assert.deepEqual((await backend.read('s')).events, modes(0, 4))
    await writer.release()
    await backend.dispose()
  })

  it('because another took its place: never writes into the one that is gone', async () => {
    const backend = backendAt(root())
    const writer = await backend.createWriter(header())
    await writer.append(modes(0, 3))
    const reader = backendAt(root())
    await reader.read('s')
    await copyFile(fileIn(root()), join(root(), 'copy'))
    for (const suffix of ['', '-wal', '-shm']) await rm(`${fileIn(root())}${suffix}`)
    assert.equal(await refusal(() => writer.append(modes(3, 4))), 'LOG_GONE')
    const before = await reader.exists('s')
    assert.equal(before, false)
    await store(root(), modes(0, 2), 't')
    assert.equal(await refusal(() => writer.append(modes(3, 4))), 'LOG_GONE')
    assert.equal(await reader.exists('t'), true)
    assert.equal(await reader.exists('s'), false)
    await Promise.all([backend.dispose(), reader.dispose()])
  })

  it('because the disk is full: nothing of the batch is there, and the same batch goes in later', async () => {
    const child = startChild('full.ts', [root()], 'ulimit -f 300; exec "$0" "$@"')
    const said = await textOf(child)
    assert.equal(await endOf(child), 0)
    const [code, message = '', kept] = said.trim().split('\n')
    assert.equal(code, 'STORAGE')
    assert.match(message, /sessions\.db could not be written: the disk/)
    const backend = backendAt(root())
    const { writer, log } = await backend.openWriter('s')
    assert.deepEqual([String(log.events.length), log.torn], [kept, false])
    await writer.append(modes(log.events.length, log.events.length + 1))
    await writer.release()
    await backend.dispose()
  }).timeout(30_000)

  it('to a user who may only read it: reads, and is not writable', async function () {
    await store(root())
    const user = process.getuid?.() === 0 ? 65_534 : undefined
    if (process.platform === 'win32') this.skip()
    // SQLite may leave its journal beside the database; it belongs to the same user then.
    const files = ['', '-wal', '-shm'].map(suffix => `${fileIn(root())}${suffix}`).filter(file => existsSync(file))
    if (user !== undefined) await Promise.all(files.map(file => chown(file, user, user)))
    await chmod(fileIn(root()), 0o400)
    await chmod(root(), 0o555)
    const child = startChild('only-read.ts', [root()], undefined, user)
    assert.equal(await textOf(child), 'read 5, list 1, open NOT_WRITABLE, create NOT_WRITABLE\n')
    await chmod(root(), 0o755)
  })

  it('to a user who may not even look: says so', async function () {
    const user = process.getuid?.() === 0 ? 65_534 : undefined
    if (process.platform === 'win32') this.skip()
    await store(root())
    await chmod(fileIn(root()), 0)
    await chmod(root(), 0o755)
    const child = startChild('only-read.ts', [root()], undefined, user)
    assert.equal(await textOf(child), 'read STORAGE, list 0, open STORAGE, create NOT_WRITABLE\n')
  })

  it('because its folder is a file', async () => {
    await mkdir(join(root(), 'sessions.db'))
    const backend = backendAt(root())
    assert.equal(await refusal(() => backend.read('s')), 'STORAGE')
    assert.ok(['STORAGE', 'NOT_WRITABLE'].includes(await refusal(() => backend.createWriter(header()))))
  })
})
