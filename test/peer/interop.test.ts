import assert from 'node:assert/strict'
import { appendFile, cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { AttachmentStore } from '../../src/persistence/attachments/attachment-store.ts'
import { SessionStore } from '../../src/persistence/store.ts'
import type { SessionEvent } from '../../src/session/events.ts'
import { events as workload } from '../bench/workload.ts'
import { png } from '../support/pictures.ts'
import { installPeer } from './install.ts'
import { conversations, headerOf, ownPersistence, readOwn, writeOwn } from './own.ts'
import type { PeerEncoding, PeerSession } from './packages.ts'
import { openPeer, type PeerReading } from './peer.ts'

const ownFixtures = join(import.meta.dirname, '../fixtures/logs')

describe('the log and the program it shares its format with', function () {
  this.timeout(30_000)
  let root: string

  before(async function () {
    this.timeout(120_000)
    const missing = await installPeer()
    if (missing === undefined) return
    console.log(`  ${missing}`)
    this.skip()
  })
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'plan-mode-peer-'))
  })
  afterEach(() => rm(root, { recursive: true, force: true }))

  for (const encoding of ['none', 'zstd'] as const) {
    describe(encoding === 'none' ? 'raw' : 'compressed', () => {
      for (const { name, events } of conversations) {
        it(`${name}, written here, is the same there`, async () => {
          await writeOwn(root, encoding, headerOf(name), events)
          const there = await sameAsThere(root, encoding, name)
          assert.equal(there.events, events.length + there.closers.length)
        })

        it(`${name}, written there, is the same here`, async () => {
          const written = await writeThere(root, encoding, name, events)
          const here = await sameAsThere(root, encoding, name)
          assert.equal(here.events, written + here.closers.length)
        })
      }

      it('a crash behind any event owes the same closers', async () => {
        const { events } = conversation('plan-approve')
        for (let length = 1; length < events.length; length++) {
          await writeOwn(root, encoding, headerOf(`cut-${length}`), events.slice(0, length), length)
        }
        const closers = new Set<string>()
        for (let length = 1; length < events.length; length++) {
          for (const type of (await sameAsThere(root, encoding, `cut-${length}`)).closers) closers.add(type)
        }
        assert.deepEqual([...closers].sort(), ['step/end', 'tool/result', 'turn/end'])
      })

      it('what was repaired here is whole there', async () => {
        const { events } = conversation('agent-tools')
        const end = events.findIndex(({ type }) => type === 'tool/result')
        await writeOwn(root, encoding, headerOf('torn'), events.slice(0, end))
        const [file = ''] = await logsUnder(root)
        await appendFile(file, encoding === 'none' ? '{"type":"tool/re' : (await readFile(file)).subarray(0, 30))
        assert.ok((await sameAsThere(root, encoding, 'torn')).closers.length > 1)
        const persistence = ownPersistence(root, encoding)
        const { closers } = await persistence.load('torn')
        await persistence.dispose()
        const { events: total, closers: owed } = await sameAsThere(root, encoding, 'torn')
        assert.deepEqual(owed, [])
        assert.equal(total, end + closers.length)
      })

      it('packed rows, written here, are the same there', async () => {
        const events = [...workload(3000)]
        await writeOwn(root, encoding, headerOf('rows'), events, 40)
        const there = await sameAsThere(root, encoding, 'rows')
        assert.equal(there.events, 3000)
        const text = (await ownPersistence(root, encoding).readRaw('rows'))?.content ?? ''
        assert.match(text, /^\{"type":"reasoning-chunks"/m)
        assert.match(text, /^\{"type":"tool-call-chunks"/m)
      })

      for (const packed of [true, false]) {
        it(`${packed ? 'packed rows' : 'single chunks'}, written there, are the same here`, async () => {
          const events = [...workload(3000)]
          await using peer = await openPeer({ root, encoding, packed })
          const { type: _, ...header } = headerOf('rows')
          await peer.persistence.create(header)
          for (let at = 0; at < events.length; at += 40) {
            await peer.persistence.append('rows', events.slice(at, at + 40))
          }
          assert.equal((await sameAsThere(root, encoding, 'rows')).events, 3000)
          const persistence = ownPersistence(root, encoding)
          assert.deepEqual(await persistence.readFrom('rows', 0), events)
        })
      }

      it('a log with a picture beside it, and a model that takes none, is the same there', async () => {
        const attachment = await new AttachmentStore(root).put(png(32, 20), 'board.png')
        const { events } = conversation('plan-approve')
        const changed = events.map((event): SessionEvent => {
          if (event.type === 'request/context') return { ...event, data: { ...event.data, images: false } }
          if (event.type !== 'user/message') return event
          return { ...event, data: { ...event.data, content: [{ type: 'image', attachment }, ...event.data.content] } }
        })
        await writeOwn(root, encoding, headerOf('picture'), changed)
        const there = await sameAsThere(root, encoding, 'picture')
        assert.equal(there.events, events.length)
      })

      it('a fork made here is the same there', async () => {
        await using store = new DisposableStore({ root, persistence: ownPersistence(root, encoding) })
        const parent = await store.create({ ...headerOf('parent'), seed: conversation('plan-approve').events })
        await parent.flush()
        const child = await store.fork('parent', { turn: 1 }, { id: 'child' })
        const { length } = child.session
        await store.dispose()
        assert.ok(length > 10)
        assert.equal((await sameAsThere(root, encoding, 'child')).events, length)
        await sameAsThere(root, encoding, 'parent')
      })

      it('a fork made there is the same here', async () => {
        const { events } = conversation('agent-tools')
        const boundary = events.findLastIndex(({ type }) => type === 'turn/end')
        await using peer = await openPeer({ root, encoding })
        const parent = peer.sessions.create('parent', { meta: { cwd: '/home/dev/demo' } })
        replay(parent, events)
        await peer.sessions.flush(parent)
        const child = peer.sessions.fork(parent, boundary, 'child')
        await peer.sessions.flush(child)
        const here = await readOwn(root, encoding, 'child')
        assert.equal(here.events, boundary + 2)
        assert.equal((await ownPersistence(root, encoding).inspect('child')).header.seedLength, boundary + 1)
      })

      it('a log that both go on with holds what both wrote', async () => {
        const { events } = conversation('plan-approve')
        const cut = (part: number) => Math.floor((events.length * part) / 3)
        await writeOwn(root, encoding, headerOf('shared'), events.slice(0, cut(1)), 5)
        const closed = await appendThere(root, encoding, 'shared')
        const persistence = ownPersistence(root, encoding)
        const { events: found } = await persistence.load('shared')
        assert.equal(found.length, closed)
        await persistence.append('shared', [{ type: 'plan/mode', seq: closed, time: 9, data: { active: true } }])
        await persistence.dispose()
        const there = await sameAsThere(root, encoding, 'shared')
        assert.equal(there.events, closed + 1)
        assert.equal(there.planActive, true)
      })
    })
  }

  it('every small log of this project opens there as here', async () => {
    const outcomes = { opened: 0, refused: 0 }
    for (const name of (await readdir(ownFixtures)).filter(entry => !entry.includes('.'))) {
      // Of this root the other program lists nothing at all; here one bad log hides no other.
      if (name === 'layout') continue
      const copy = join(root, name)
      await cp(join(ownFixtures, name), copy, { recursive: true })
      for (const file of await logsUnder(copy)) {
        const id = basename(dirname(file)).replace(/~([0-9A-F]{4})/g, (_, unit) =>
          String.fromCharCode(parseInt(unit, 16)),
        )
        const encoding = file.endsWith('.zstd') ? 'zstd' : 'none'
        const [here, there] = await Promise.all([
          readOwn(copy, encoding, id).catch(() => 'refused'),
          readThere(copy, encoding, id).catch(() => 'refused'),
        ])
        assert.deepEqual(blanked(here), blanked(there), `${name}: ${id}`)
        outcomes[here === 'refused' ? 'refused' : 'opened']++
      }
    }
    assert.ok(outcomes.opened > 15 && outcomes.refused > 5, JSON.stringify(outcomes))
  })
})

class DisposableStore extends SessionStore implements AsyncDisposable {
  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose()
  }
}

function conversation(name: string) {
  return conversations.find(given => given.name === name) ?? assert.fail(`no golden conversation "${name}"`)
}

async function readThere(root: string, encoding: PeerEncoding, id: string): Promise<PeerReading> {
  await using peer = await openPeer({ root, encoding })
  return await peer.read(id)
}

async function sameAsThere(root: string, encoding: PeerEncoding, id: string): Promise<PeerReading> {
  const there = await readThere(root, encoding, id)
  assert.deepEqual(blanked(await readOwn(root, encoding, id)), blanked(there))
  return there
}

/** The text of a result that recovery made up is every program's own. */
function blanked(value: unknown): unknown {
  const made = (member: unknown) => JSON.stringify(member)?.includes('"interrupted-tool-result-')
  return JSON.parse(JSON.stringify(value), (_, member) =>
    Array.isArray(member)
      ? member.map(part =>
          made(part) ? JSON.parse(JSON.stringify(part).replace(/"text":"[^"]*"/g, '"text":""')) : part,
        )
      : member,
  )
}

/** Through the program's own session and its queue, which knows no ignorable events; how many it wrote. */
async function writeThere(
  root: string,
  encoding: PeerEncoding,
  id: string,
  events: readonly SessionEvent[],
): Promise<number> {
  await using peer = await openPeer({ root, encoding })
  const session = peer.sessions.create(id, { meta: { cwd: '/home/dev/demo' } })
  const written = replay(session, events)
  await peer.sessions.flush(session)
  return written
}

function replay(session: PeerSession, events: readonly SessionEvent[]): number {
  const places = new Map<number, number>()
  const placeOf = (seq: number) => places.get(seq) ?? seq
  let written = 0
  for (const { seq, type, data, surfaceOp, sourceEventSeqs, ignorable } of events) {
    if (ignorable) continue
    places.set(seq, written++)
    const sources = sourceEventSeqs?.map(placeOf)
    const range = typeof surfaceOp === 'object' && { start: placeOf(surfaceOp.start), end: placeOf(surfaceOp.end) }
    session.append(type, data, {
      ...(surfaceOp === undefined ? {} : { surfaceOp: range ? { op: 'replace', ...range } : surfaceOp }),
      ...(sources === undefined ? {} : { sourceEventSeqs: sources }),
    })
  }
  return written
}

/** Closes the log there and adds one event; how many it has then. */
async function appendThere(root: string, encoding: PeerEncoding, id: string): Promise<number> {
  await using peer = await openPeer({ root, encoding })
  const { events } = await peer.persistence.load(id)
  const seq = events.length
  await peer.persistence.append(id, [{ type: 'plan/mode', seq, time: 8, data: { active: false } }])
  return seq + 1
}

async function logsUnder(folder: string): Promise<string[]> {
  const files = await readdir(folder, { recursive: true })
  return files.filter(file => /session\.jsonl(\.zstd)?$/.test(file)).map(file => join(folder, file))
}
