import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { refusal } from '../../../contract/log-cases.ts'
import { header, modes, useFolder } from '../scratch.ts'
import { backendAt, fileIn, store, tamper } from './database-file.ts'

const foreign = {
  'another program’s mark': 'PRAGMA application_id = 1146308688',
  'no mark': 'PRAGMA application_id = 0',
  'a newer version': 'PRAGMA user_version = 3',
  'an older version': 'PRAGMA user_version = 0',
  'a surplus table': 'CREATE TABLE more (x)',
  'a surplus index': 'CREATE INDEX more ON events (type)',
  'a surplus view': 'CREATE VIEW more AS SELECT 1',
  'a trigger': 'CREATE TRIGGER more AFTER INSERT ON events BEGIN DELETE FROM events; END',
  'a missing table': 'DROP TABLE writers',
  'a surplus column': 'ALTER TABLE events ADD COLUMN more TEXT',
}

describe('the schema of a database', () => {
  const root = useFolder()

  for (const [name, sql] of Object.entries(foreign)) {
    it(`with ${name} is refused everywhere and left as it is`, async () => {
      await store(root())
      tamper(root(), sql)
      const before = await readFile(fileIn(root()))
      const backend = backendAt(root())
      for (const act of [
        () => backend.exists('s'),
        () => backend.read('s'),
        () => backend.readFrom('s', 1),
        () => backend.revision('s'),
        () => backend.openWriter('s'),
        () => backend.createWriter(header({ id: 't' })),
        () => backend.writable('s'),
      ]) {
        assert.equal(await refusal(act), 'FORMAT_UNSUPPORTED')
      }
      const { sessions, problems } = await backend.list()
      assert.deepEqual(
        [sessions, problems.map(({ file, code }) => [file, code])],
        [[], [[fileIn(root()), 'FORMAT_UNSUPPORTED']]],
      )
      assert.match(problems[0]?.message ?? '', /sessions\.db .*(Upgrade this extension|left alone)/)
      await backend.dispose()
      assert.deepEqual(await readFile(fileIn(root())), before)
    })
  }

  it('that changes under an open connection is refused from then on', async () => {
    const backend = backendAt(root())
    const writer = await backend.createWriter(header())
    await writer.append(modes(0, 2))
    tamper(root(), 'PRAGMA user_version = 3')
    assert.equal(await refusal(() => writer.append(modes(2, 3))), 'FORMAT_UNSUPPORTED')
    assert.equal(await refusal(() => backend.read('s')), 'FORMAT_UNSUPPORTED')
    tamper(root(), 'PRAGMA user_version = 2')
    await writer.append(modes(2, 3))
    assert.equal((await backend.read('s')).events.length, 3)
    await writer.release()
    await backend.dispose()
  })

  it('is not asked of a file that is no database', async () => {
    await writeFile(
      fileIn(root()),
      'a note of somebody else, long enough to be looked at as a header of a database file, '.repeat(9),
    )
    const backend = backendAt(root())
    assert.equal(await refusal(() => backend.read('s')), 'FORMAT_UNSUPPORTED')
    assert.equal(await refusal(() => backend.createWriter(header())), 'FORMAT_UNSUPPORTED')
    assert.equal((await backend.list()).problems[0]?.code, 'FORMAT_UNSUPPORTED')
  })

  it('is made in an empty file, by the first writer and not by a look', async () => {
    await writeFile(fileIn(root()), '')
    const backend = backendAt(root())
    assert.equal(await backend.exists('s'), false)
    assert.deepEqual(await backend.list(), { sessions: [], problems: [] })
    assert.equal((await readFile(fileIn(root()))).length, 0)
    tamper(root(), 'PRAGMA journal_mode = WAL')
    assert.equal(await refusal(() => backend.read('s')), 'NOT_FOUND')
    await store(root())
    assert.deepEqual((await backend.read('s')).events, modes(0, 5))
    await backend.dispose()
  })

  it('is made once when many begin at once', async () => {
    const backends = Array.from({ length: 4 }, () => backendAt(root()))
    const writers = await Promise.all(backends.map((backend, k) => backend.createWriter(header({ id: `s${k}` }))))
    await Promise.all(writers.map(writer => writer.append(modes(0, 3))))
    const { sessions } = await backendAt(root()).list()
    assert.equal(sessions.length, 4)
    for (const writer of writers) await writer.release()
    for (const backend of backends) await backend.dispose()
  })
})
