import assert from 'node:assert/strict'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { SessionEvent } from '../../../../src/session/events.ts'
import { refusal } from '../../../contract/log-cases.ts'
import { header, mode, modes, useFolder } from '../scratch.ts'
import { backendAt, store, tamper } from './database-file.ts'

const surface = {
  type: 'assistant/message',
  seq: 0,
  time: -7,
  data: { turn: 1, text: 'a\u0000b \ud800 ü "\\' },
  surfaceOp: { op: 'replace', start: 0, end: 0 },
  sourceEventSeqs: [],
} as unknown as SessionEvent
const skipped = { type: 'odd/\ud800"\u0000', seq: 1, time: 3, data: null, ignorable: true } as unknown as SessionEvent

describe('sqlite backend', () => {
  const root = useFolder()

  it('keeps one file that only its user may read, in a folder that ignores itself', async () => {
    const folder = join(root(), 'new', 'sessions')
    const backend = backendAt(folder)
    assert.equal(backend.locate(), undefined)
    const writer = await backend.createWriter(header())
    await writer.append(modes(0, 2))
    const mode = async (path: string) => ((await stat(path)).mode & 0o777).toString(8)
    for (const name of ['sessions.db', 'sessions.db-wal', 'sessions.db-shm']) {
      assert.equal(await mode(join(folder, name)), '600', name)
    }
    assert.equal(await mode(folder), '700')
    assert.equal(await readFile(join(folder, '.gitignore'), 'utf8'), '*\n')
    await writer.release()
    await backend.dispose()
    assert.deepEqual((await readdir(folder)).sort(), ['.gitignore', 'sessions.db'])
  })

  it('makes .plan-mode ignored as a whole, but never the workspace folder', async () => {
    await store(join(root(), '.plan-mode', 'sessions'))
    assert.deepEqual((await readdir(join(root(), '.plan-mode'))).sort(), ['.gitignore', 'sessions'])
    const gone = backendAt(join(root(), 'gone', '.plan-mode', 'sessions'))
    assert.equal(await refusal(() => gone.createWriter(header())), 'STORAGE')
  })

  it('looks without making anything', async () => {
    const backend = backendAt(join(root(), 'nothing'))
    assert.equal(await backend.exists('s'), false)
    assert.equal(await refusal(() => backend.read('s')), 'NOT_FOUND')
    assert.equal(await refusal(() => backend.openWriter('s')), 'NOT_FOUND')
    assert.deepEqual(await backend.list(), { sessions: [], problems: [] })
    assert.deepEqual(await readdir(root()), [])
  })

  it('keeps an event as one row that says the same', async () => {
    await store(root(), [surface, skipped])
    const rows = tamper(root(), 'SELECT * FROM events ORDER BY seq').map(row => Object.assign({}, row))
    assert.deepEqual(rows, [
      {
        ...{ session_id: 's', seq: 0, type: 'assistant/message', time: -7, data: JSON.stringify(surface.data) },
        ...{ source_event_seqs: '[]', surface_op: '{"op":"replace","start":0,"end":0}', ignorable: null },
      },
      {
        ...{ session_id: 's', seq: 1, type: 'odd/\\ud800\\"\\u0000', time: 3, data: 'null' },
        ...{ source_event_seqs: null, surface_op: null, ignorable: 1 },
      },
    ])
    assert.deepEqual((await backendAt(root()).read('s')).events, [surface, skipped])
  })

  it('tells apart ids that Unicode would not', async () => {
    const ids = ['\ud800', '\udfff', '�', '..', 'a/b', '\u0000', '"', '\\', 'ü', 'U', 'u']
    for (const [k, id] of ids.entries()) await store(root(), modes(0, k + 1), id)
    const backend = backendAt(root())
    const { sessions, problems } = await backend.list()
    assert.deepEqual(new Set(sessions.map(session => session.header.id)), new Set(ids))
    assert.deepEqual(problems, [])
    for (const [k, id] of ids.entries()) assert.equal((await backend.read(id)).events.length, k + 1)
    assert.equal(await backend.exists('missing'), false)
  })

  it('refuses what no row gives back, and stores nothing of the batch', async () => {
    const backend = backendAt(root())
    const writer = await backend.createWriter(header())
    const odd = (given: object) => writer.append([mode(0), { ...mode(1), ...given } as SessionEvent])
    assert.equal(await refusal(() => odd({ more: 1 })), 'INVALID_EVENT')
    assert.equal(await refusal(() => odd({ time: 0.5 })), 'INVALID_EVENT')
    assert.equal(await refusal(() => odd({ ignorable: false })), 'INVALID_EVENT')
    assert.equal(await refusal(() => odd({ data: undefined })), 'NOT_JSON')
    assert.equal(await backend.exists('s'), false)
    await writer.append(modes(0, 2))
  })

  it('runs with a write-ahead log, full syncs and the strict settings', async () => {
    await store(root())
    const marks = tamper(root(), 'SELECT * FROM pragma_journal_mode, pragma_application_id, pragma_user_version')
    assert.deepEqual(Object.assign({}, marks[0]), {
      ...{ journal_mode: 'wal', application_id: 0x504c4d44, user_version: 2 },
    })
    const statements: string[] = []
    class Spy extends DatabaseSync {
      override exec(sql: string): void {
        statements.push(sql)
        super.exec(sql)
        if (sql.startsWith('PRAGMA')) {
          const settings = ['synchronous', 'foreign_keys', 'trusted_schema', 'busy_timeout'].map(name =>
            Object.values(this.prepare(`PRAGMA ${name}`).get() ?? {}),
          )
          assert.deepEqual(settings, [[2], [1], [0], [5]])
        }
      }
    }
    const sqlite = { ...(await import('node:sqlite')), DatabaseSync: Spy }
    const backend = backendAt(root(), { load: async () => sqlite })
    const { writer } = await backend.openWriter('s')
    await writer.append(modes(5, 105))
    assert.equal(statements.filter(sql => sql === 'COMMIT').length, statements.filter(sql => /^BEGIN/.test(sql)).length)
    const begins = statements.filter(sql => sql === 'BEGIN IMMEDIATE').length
    assert.equal(begins, 2, 'one transaction claims, one appends the whole batch')
    await writer.release()
    await backend.dispose()
  })

  it('changes its revision with every append and cut, and with nothing else', async () => {
    const backend = backendAt(root())
    const writer = await backend.createWriter(header())
    await writer.append(modes(0, 1))
    const first = await backend.revision('s')
    assert.match(first, /^file:\d+:\d+:\d+:store:[0-9a-f-]{36}:incarnation:[0-9a-f-]{36}:revision:1$/)
    await writer.append(modes(1, 3))
    assert.equal(await backend.revision('s'), first.replace(/1$/, '2'))
    await writer.release()
    tamper(root(), "UPDATE events SET data = '{' WHERE seq = 2")
    const opened = await backend.openWriter('s')
    assert.deepEqual([opened.log.events.length, opened.log.torn], [2, true])
    assert.equal(await backend.revision('s'), opened.log.revision)
    await opened.writer.cut()
    assert.equal(await backend.revision('s'), first.replace(/1$/, '3'))
    await opened.writer.release()
    assert.equal((await backend.list()).sessions[0]?.revision, first.replace(/1$/, '3'))
    await backend.dispose()
    const other = join(root(), 'other')
    await store(other)
    assert.notEqual((await backendAt(other).revision('s')).split(':incarnation')[0], first.split(':incarnation')[0])
  })

  it('gives a known log back while it is at its revision, and reads again otherwise', async () => {
    await store(root())
    const backend = backendAt(root())
    const known = await backend.read('s')
    const { writer, log } = await backend.openWriter('s', known)
    assert.equal(log, known)
    await writer.append(modes(5, 6))
    await writer.release()
    const again = await backend.openWriter('s', known)
    assert.equal(again.log.events.length, 6)
    await again.writer.append(modes(6, 7))
    await again.writer.release()
  })

  it('reads many rows in pages, as they were at one moment, and stops when told', async () => {
    await store(root(), modes(0, 4500))
    const backend = backendAt(root())
    const { writer } = await backend.openWriter('s')
    const reading = backend.read('s')
    await new Promise(setImmediate)
    await writer.append(modes(4500, 4600))
    assert.deepEqual((await reading).events, modes(0, 4500))
    assert.deepEqual((await backend.read('s')).events, modes(0, 4600))
    const abort = new AbortController()
    const stopped = backend.read('s', abort.signal)
    abort.abort(new Error('enough'))
    await assert.rejects(stopped, /enough/)
    await writer.release()
    await backend.dispose()
  })

  it('reads only the suffix for readFrom', async () => {
    await store(root(), modes(0, 6))
    const backend = backendAt(root())
    assert.deepEqual((await backend.readFrom('s', 4))?.events, modes(4, 6))
    assert.deepEqual((await backend.readFrom('s', 6))?.events, [])
    assert.deepEqual((await backend.readFrom('s', 60))?.events, [])
    assert.equal(await backend.readFrom('s', 0), undefined)
    assert.equal(await refusal(() => backend.readFrom('t', 4)), 'NOT_FOUND')
    tamper(root(), "UPDATE events SET data = '{' WHERE seq = 1")
    assert.deepEqual((await backend.readFrom('s', 4))?.events, modes(4, 6), 'what lies before is not looked at')
    tamper(root(), 'DELETE FROM events WHERE seq = 3')
    assert.equal(await backend.readFrom('s', 4), undefined, 'a tail without a log before it is no answer')
    tamper(root(), "UPDATE events SET data = '{' WHERE seq = 5")
    assert.equal(await backend.readFrom('s', 5), undefined)
  })
})
