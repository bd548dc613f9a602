import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import type { SqliteBackend } from '../../../../src/persistence/sqlite/sqlite-backend.ts'
import { PlanModeError } from '../../../../src/session/errors.ts'
import type { SessionEvent } from '../../../../src/session/events.ts'
import { refusal } from '../../../contract/log-cases.ts'
import { modes, useFolder } from '../scratch.ts'
import { backendAt, fileIn, store, tamper } from './database-file.ts'

const ended = (seq: number): SessionEvent => ({
  type: 'turn/end',
  seq,
  time: 1,
  data: { turn: 1, reason: { kind: 'completed' } },
})
const spoilers = {
  'text that is no JSON': "UPDATE events SET data = '{' WHERE seq = 3",
  'a missing row': 'DELETE FROM events WHERE seq = 3',
  'a time out of range': 'UPDATE events SET time = 9007199254740993 WHERE seq = 3',
  'a strange mark': 'UPDATE events SET ignorable = 0 WHERE seq = 3',
  'a type that is no text': "UPDATE events SET type = '\\x' WHERE seq = 3",
  'a broken operation': "UPDATE events SET surface_op = 'append' WHERE seq = 3",
}

describe('a damaged database', () => {
  const root = useFolder()
  let backend: SqliteBackend
  beforeEach(() => {
    backend = backendAt(root())
  })
  afterEach(() => backend.dispose())

  for (const [name, sql] of Object.entries(spoilers)) {
    it(`with ${name} is refused before a turn's end, naming the row`, async () => {
      await store(root(), [...modes(0, 6), ended(6), ...modes(7, 9)])
      tamper(root(), sql)
      await assert.rejects(backend.read('s'), /sessions\.db \(conversation "s"\) is damaged: .*event [34]/)
      assert.equal(await refusal(() => backend.read('s')), 'CORRUPT')
      assert.equal(await refusal(() => backend.openWriter('s')), 'CORRUPT')
      assert.equal(await backend.writable('s'), true, 'the place is free again')
    })

    it(`with ${name} behind every turn's end gives the prefix, and is cut once`, async () => {
      await store(root(), [ended(0), ...modes(1, 6)])
      tamper(root(), sql)
      const kept = [ended(0), ...modes(1, 3)]
      const seen = await backend.read('s')
      assert.deepEqual([seen.events, seen.torn], [kept, true])
      const { writer, log } = await backend.openWriter('s')
      assert.deepEqual(log.events, kept)
      await writer.cut()
      assert.equal((await backend.read('s')).torn, false)
      await writer.append([ended(3)])
      await writer.release()
      assert.deepEqual((await backend.read('s')).events, [...kept, ended(3)])
    })
  }

  it('cuts a tail with the next append, if nobody did before', async () => {
    await store(root())
    for (const sql of ["SET data = '{' WHERE seq = 3", 'SET seq = 9007199254740993 WHERE seq = 4']) {
      tamper(root(), `UPDATE events ${sql}`)
      const { writer, log } = await backend.openWriter('s')
      assert.equal(log.torn, true)
      const { length } = log.events
      assert.ok(length < 5)
      await writer.append(modes(length, 6))
      await writer.release()
      const { events, torn } = await backend.read('s')
      assert.deepEqual([events, torn], [modes(0, 6), false])
    }
    tamper(root(), 'UPDATE events SET seq = -1 WHERE seq = 0')
    assert.equal(await refusal(() => backend.read('s')), 'CORRUPT')
  })

  it('of one header hides no other session', async () => {
    for (const id of ['a', 'b', 'c', 'd', 'e']) await store(root(), modes(0, 1), id)
    const set = (id: string, header: string) =>
      tamper(root(), 'UPDATE sessions SET header = ? WHERE id = ?', header, id)
    set('b', '{')
    set('c', '{"type":"session","version":1}')
    set('d', '{"type":"session","version":0,"id":"x","createdAt":1,"delegationDepth":0}')
    const { sessions, problems } = await backend.list()
    assert.deepEqual(
      sessions.map(({ header }) => header.id),
      ['a', 'e'],
    )
    assert.deepEqual(
      problems.map(({ file, id, code }) => [file, id, code]),
      [
        [fileIn(root()), 'b', 'CORRUPT'],
        [fileIn(root()), 'c', 'FORMAT_UNSUPPORTED'],
        [fileIn(root()), 'd', 'CORRUPT'],
      ],
    )
    for (const { message } of problems) assert.match(message, /sessions\.db \(conversation "[bcd]"\)/)
    for (const [id, code] of [
      ['b', 'CORRUPT'],
      ['c', 'FORMAT_UNSUPPORTED'],
      ['d', 'CORRUPT'],
    ] as const) {
      assert.equal(await refusal(() => backend.read(id)), code)
      assert.equal(await refusal(() => backend.openWriter(id)), code)
    }
    assert.deepEqual(tamper(root(), 'SELECT 1 FROM writers WHERE epoch > 1'), [], 'what is refused is never claimed')
  })

  it('is refused with a code or read right up to its damage, whatever bytes are changed', async function () {
    this.timeout(60_000)
    const events = [...modes(0, 300), ended(300), ...modes(301, 400)]
    await store(root(), events)
    const whole = await readFile(fileIn(root()))
    const outcomes = new Map<string, number>()
    for (let round = 0; round < 400; round++) {
      const bytes = Buffer.from(whole)
      const at = round < 120 ? round : randomInt(bytes.length)
      if (round % 4 === 3) bytes.fill(randomInt(256), at, Math.min(at + 64, bytes.length))
      else bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << randomInt(8)), at)
      await writeFile(fileIn(root()), round % 10 === 9 ? bytes.subarray(0, at) : bytes)
      const outcome = await look(events).catch((error: unknown) => `${round} at ${at}: ${String(error)}`)
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    }
    const known = ['whole', 'prefix', 'CORRUPT', 'FORMAT_UNSUPPORTED', 'NOT_FOUND', 'STORAGE']
    assert.deepEqual(
      [...outcomes.keys()].filter(outcome => !known.includes(outcome)),
      [],
    )
    assert.ok((outcomes.get('CORRUPT') ?? 0) > 0 && (outcomes.get('whole') ?? 0) > 0)
  })

  /** What a fresh look gives; at most the few rows that the bytes themselves belong to may differ. */
  async function look(events: readonly SessionEvent[]): Promise<string> {
    const fresh = backendAt(root())
    try {
      const listing = await fresh.list()
      assert.ok(listing.sessions.length + listing.problems.length <= 2)
      const { events: found } = await fresh.read('s')
      const changed = found.filter((event, k) => JSON.stringify(event) !== JSON.stringify(events[k]))
      assert.ok(found.length <= events.length && changed.length <= 2, `${changed.length} of ${found.length} differ`)
      return found.length === events.length ? 'whole' : 'prefix'
    } catch (error) {
      if (error instanceof PlanModeError) return error.code
      throw error
    } finally {
      await fresh.dispose()
    }
  }
})
