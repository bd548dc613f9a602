import assert from 'node:assert/strict'
import { appendFile, cp, mkdtemp, readdir, readFile, rm, truncate, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { PersistenceCoordinator } from '../../../../src/persistence/coordinator.ts'
import { type FileSystem, nodeFileSystem } from '../../../../src/persistence/file-system.ts'
import { encodings } from '../../../../src/persistence/jsonl/encodings.ts'
import { INDEX_NAME } from '../../../../src/persistence/jsonl/index/session-index.ts'
import { JsonlBackend, type JsonlOptions } from '../../../../src/persistence/jsonl/jsonl-backend.ts'
import { planProjection } from '../../../../src/plan/projection.ts'
import { type PlanTold, planTold } from '../../../../src/plan/told.ts'
import { PlanModeError } from '../../../../src/session/errors.ts'
import type { SessionEvent } from '../../../../src/session/events.ts'
import { ProjectionRegistry } from '../../../../src/session/projection-registry.ts'
import { fold, type Projection } from '../../../../src/session/projections.ts'
import { Session } from '../../../../src/session/session.ts'
import { deriveMessages } from '../../../../src/session/surface.ts'
import { turnBoundary } from '../../../../src/session/turns.ts'
import { header } from '../scratch.ts'

/** Turns of streamed chunks, messages and a mode that changes. */
function conversation(turns: number, from = 0, firstTurn = 1): SessionEvent[] {
  const events: SessionEvent[] = []
  const add = (type: string, data: object, more: object = {}) =>
    events.push({ type, seq: from + events.length, time: from + events.length, data, ...more } as SessionEvent)
  for (let turn = firstTurn; turn < firstTurn + turns; turn++) {
    add('turn/start', { turn })
    add('plan/mode', { active: turn % 3 !== 0 })
    add('step/start', { turn, step: 1 })
    const user = {
      id: `u${turn}`,
      role: 'user',
      content: [{ type: 'text', text: 'Go “on” é' }],
      source: { kind: 'user' },
    }
    add('user/message', user, { surfaceOp: 'append' })
    const first = from + events.length
    for (let k = 0; k < 40; k++) {
      add('assistant/chunk', { turn, step: 1, chunk: { type: 'text-delta', index: 0, text: `word ${k} ` } })
    }
    add('assistant/chunk', { turn, step: 1, chunk: { type: 'finish', reason: { kind: 'stop' } } })
    const source = { kind: 'model', provider: 'p', model: 'm' }
    const message = { id: `a${turn}`, role: 'assistant', content: [{ type: 'text', text: 'Done' }], source }
    add('assistant/message', { turn, step: 1, message }, { surfaceOp: 'append', sourceEventSeqs: [first] })
    add('step/end', { turn, step: 1 })
    add('turn/end', { turn, reason: { kind: 'completed' } })
  }
  return events
}

for (const encoding of ['none', 'zstd'] as const)
  describe(`the sidecar index of a log (${encoding})`, () => {
    let root: string
    beforeEach(async () => {
      root = await mkdtemp(join(tmpdir(), 'plan-mode-index-'))
    })
    const stores: PersistenceCoordinator[] = []
    afterEach(async () => {
      for (const store of stores.splice(0)) await store.dispose()
      await rm(root, { recursive: true, force: true })
    })

    function store(options: Partial<JsonlOptions> = {}) {
      const made = new PersistenceCoordinator(new JsonlBackend({ root, encoding, indexFrom: 0, ...options }))
      stores.push(made)
      return made
    }

    const logFile = (id = 's') => new JsonlBackend({ root, encoding }).locate(header({ id }))
    const indexFile = (id = 's') => join(dirname(logFile(id)), INDEX_NAME)

    /** A log of this many turns, each in batches of its own, and its index. */
    async function stored(turns = 30, id = 's'): Promise<SessionEvent[]> {
      const writing = store({ indexFrom: Number.POSITIVE_INFINITY })
      const events = conversation(turns)
      await writing.create(header({ id }))
      for (let at = 0; at < events.length; at += 17) await writing.append(id, events.slice(at, at + 17))
      await writing.release(id)
      await opened(id)
      return events
    }

    /** Opens the session, asks for what a window asks, and gives it back. */
    async function opened(id = 's', options = {}): Promise<{ session: Session; events: SessionEvent[] }> {
      const opening = store(options)
      const { session } = await opening.prepare(id)
      session.state(planProjection)
      session.state(turnBoundary)
      const events = [...session.from()]
      await opening.release(id)
      return { session, events }
    }

    /** The real file system, noting which logs are read whole. */
    function noting(): { readonly fileSystem: FileSystem; readonly whole: string[] } {
      const whole: string[] = []
      const read = (path: string) => {
        if (path === logFile()) whole.push(path)
        return nodeFileSystem.read(path)
      }
      return { fileSystem: { ...nodeFileSystem, read }, whole }
    }

    /** Everything a reader can ask of the log, by the index where it holds. */
    async function assertReads(expected: readonly SessionEvent[], options = {}): Promise<void> {
      const reading = store(options)
      for (const from of [0, 1, expected.length - 100, expected.length - 1, expected.length]) {
        assert.deepEqual(await reading.readFrom('s', Math.max(0, from)), expected.slice(Math.max(0, from)))
      }
      const { session } = await reading.prepare('s')
      const plain = new Session(header({ id: 's' }), structuredClone([...expected]))
      assert.equal(session.length, expected.length)
      assert.deepEqual(session.state(planProjection), plain.state(planProjection))
      assert.deepEqual(session.state(turnBoundary), plain.state(turnBoundary))
      assert.deepEqual(deriveMessages(session), deriveMessages(plain))
      assert.deepEqual([...session.from()], expected)
      await reading.release('s')
    }

    it('opens a log, its states and its tail without reading the log whole', async () => {
      const events = await stored()
      const { fileSystem, whole } = noting()
      await assertReads(events, { fileSystem })
      assert.deepEqual(whole, [])
    })

    it('is not made for a short log, nor when it is switched off', async () => {
      await stored(2)
      await rm(indexFile())
      await opened('s', { indexFrom: 1 << 20 })
      await opened('s', { indexFrom: Number.POSITIVE_INFINITY })
      assert.ok(!(await readdir(dirname(logFile()))).includes(INDEX_NAME))
    })

    it('is not believed when it is switched off', async () => {
      await stored()
      const { fileSystem, whole } = noting()
      await opened('s', { fileSystem, indexFrom: Number.POSITIVE_INFINITY })
      assert.equal(whole.length, 1)
    })

    it('grows with what is appended, without another look at what was there', async () => {
      const events = await stored()
      const more = conversation(5, events.length, 31)
      const { fileSystem, whole } = noting()
      for (const writing of [store({ fileSystem })]) {
        await writing.prepare('s')
        for (let at = 0; at < more.length; at += 50) await writing.append('s', more.slice(at, at + 50))
        await writing.release('s')
      }
      await assertReads([...events, ...more], { fileSystem })
      assert.deepEqual(whole, [])
    })

    it('is made for a session that is new', async () => {
      const events = conversation(12)
      const writing = store()
      await writing.create(header({ id: 's' }))
      await writing.append('s', events)
      await writing.release('s')
      const { fileSystem, whole } = noting()
      await assertReads(events, { fileSystem })
      assert.deepEqual(whole, [])
    })

    it('closes the turn that was open when it was made', async () => {
      const events = conversation(8)
      const open: SessionEvent = { type: 'turn/start', seq: events.length, time: 1, data: { turn: 9 } }
      const writing = store()
      await writing.create(header({ id: 's' }))
      await writing.append('s', [...events, open])
      await writing.release('s')
      const { closers } = await store().inspect('s')
      assert.deepEqual(
        closers.map(({ type }) => type),
        ['turn/end'],
      )
      const loaded = await store().load('s')
      assert.equal(loaded.events.length, events.length + 2)
    })

    it('costs only time when it is missing, cut, damaged or another’s', async function () {
      this.timeout(60_000)
      const events = await stored(12)
      const good = await readFile(indexFile())
      await stored(15, 'other')
      const other = await readFile(indexFile('other'))
      const foreign = [Buffer.alloc(0), Buffer.from('{}'), other, Buffer.concat([good, Buffer.from('x')])]
      for (const bytes of foreign) {
        await writeFile(indexFile(), bytes)
        await assertReads(events)
      }
      await rm(indexFile())
      await assertReads(events)
      const damage = fc.oneof(
        fc.nat(good.length - 1).map(size => good.subarray(0, size)),
        fc.tuple(fc.nat(good.length - 1), fc.integer({ min: 1, max: 255 })).map(([at, change]) => {
          const bytes = Buffer.from(good)
          bytes[at] = (bytes[at] ?? 0) ^ change
          return bytes
        }),
        fc.uint8Array({ maxLength: 400 }).map(bytes => Buffer.from(bytes)),
      )
      const property = fc.asyncProperty(damage, async bytes => {
        await writeFile(indexFile(), bytes)
        await assertReads(events)
      })
      await fc.assert(property, { numRuns: 40 })
    })

    it('is made anew when the log was appended to, cut or replaced since', async () => {
      const events = await stored(12)
      const more = conversation(1, events.length, 13)
      const quiet = store({ indexFrom: Number.POSITIVE_INFINITY })
      await quiet.prepare('s')
      await quiet.append('s', more)
      await quiet.release('s')
      await assertReads([...events, ...more])
      assert.ok((await readFile(indexFile())).includes(`"events":${events.length + more.length}`), 'it is there again')

      const line = Buffer.from(`${JSON.stringify({ ...more[1], seq: events.length + more.length })}\n`)
      await appendFile(logFile(), await encodings[encoding].encode([line]))
      await assertReads([...events, ...more, { ...more[1], seq: events.length + more.length } as SessionEvent])

      const fresh = conversation(14)
      const text = [...fresh].map(event => Buffer.from(`${JSON.stringify(event)}\n`))
      const head = Buffer.from(`${JSON.stringify(header({ id: 's' }))}\n`)
      await writeFile(logFile(), await encodings[encoding].encode([head, ...text]))
      await assertReads(fresh)

      const bytes = await readFile(logFile())
      await truncate(logFile(), bytes.length - 3)
      const found = await store().readFrom('s', 0)
      assert.deepEqual(found, fresh.slice(0, found.length))
      assert.ok(found.length >= fresh.length - 1)
    })

    it('is not believed for the same bytes at another time', async () => {
      const events = await stored(12)
      await utimes(logFile(), new Date(), new Date(1000))
      const { fileSystem, whole } = noting()
      await assertReads(events, { fileSystem })
      assert.notEqual(whole.length, 0)
    })

    it('is not believed for a copy of the folder', async () => {
      const events = await stored(12)
      const folder = dirname(logFile())
      await cp(folder, `${folder}.copy`, { recursive: true, preserveTimestamps: true })
      await rm(folder, { recursive: true })
      await cp(`${folder}.copy`, folder, { recursive: true, preserveTimestamps: true })
      await rm(`${folder}.copy`, { recursive: true })
      const { fileSystem, whole } = noting()
      await assertReads(events, { fileSystem })
      assert.notEqual(whole.length, 0)
    })

    it('is not written when another changed the log under its writer', async () => {
      const events = await stored(12)
      const writing = store()
      await writing.prepare('s')
      const bytes = await readFile(logFile())
      await writeFile(logFile(), bytes)
      await writing.append('s', conversation(1, events.length, 13))
      const before = await readFile(indexFile())
      await writing.release('s')
      assert.ok((await readFile(indexFile())).equals(before))
      await assertReads([...events, ...conversation(1, events.length, 13)])
    })

    it('keeps states by their key and version, and folds others anew', async () => {
      const events = await stored(12)
      const reading = store()
      const { session } = await reading.prepare('s')
      let folded = 0
      const counting = (version: number) => ({
        ...planProjection,
        version,
        apply: (state: ReturnType<typeof planProjection.apply>, event: SessionEvent) => {
          folded++
          return planProjection.apply(state, event)
        },
      })
      assert.equal(session.state(counting(planProjection.version)).active, false)
      assert.equal(folded, 0)
      const other = store({ indexFrom: 0 })
      await reading.release('s')
      const again = (await other.prepare('s')).session
      assert.equal(again.state(counting(planProjection.version + 1)).active, false)
      assert.equal(folded, events.filter(({ type }) => type === 'plan/mode').length)
    })

    it('has the states that a composition wants, also those nobody asked for, from the one reading of the log', async () => {
      await stored()
      await rm(indexFile())
      let applied = 0
      const told: Projection<PlanTold> = {
        ...planTold,
        apply(state, event) {
          applied++
          return planTold.apply(state, event)
        },
      }
      const registry = new ProjectionRegistry()
      registry.register(told)
      const wanting = () => store({ projections: () => registry.all })
      const reading = wanting()
      const { session } = await reading.prepare('s')
      const whole = applied
      assert.ok(whole > 0)
      await reading.release('s')
      const opening = wanting()
      const again = await opening.prepare('s')
      assert.deepEqual(again.session.state(told), fold(planTold, [...session.from()]))
      assert.equal(applied, whole, 'a window starts at the end of what was folded')
      const made = wanting()
      await made.create(header({ id: 'new' }))
      await made.append('new', conversation(30))
      await made.release('new')
      applied = 0
      const { session: fresh } = await wanting().prepare('new')
      assert.equal(fresh.state(told).active, fold(planTold, conversation(30)).active)
      assert.equal(applied, 0, 'a new log is read once for its index')
    })

    it('refuses an event that is not the one it was, and names the file', async () => {
      await stored(12)
      const garbled = (path: string) => {
        const held = nodeFileSystem.hold?.(path)
        assert.ok(held)
        return {
          read: (length: number, position: number) => held.read(length, position).fill(0x7b),
          readInto: async (bytes: Uint8Array, position: number) => {
            const read = await held.readInto(bytes, position)
            bytes.fill(0x7b)
            return read
          },
          close: () => held.close(),
        }
      }
      const { session } = await store({ fileSystem: { ...nodeFileSystem, hold: garbled } }).prepare('s')
      assert.throws(
        () => session.at(5),
        (error: unknown) =>
          error instanceof PlanModeError && error.code === 'CORRUPT' && error.message.includes(logFile()),
      )
    })

    it('has every event at hand soon after, whatever becomes of the file', async () => {
      const events = await stored(12)
      const reading = store()
      const { session } = await reading.prepare('s')
      // Disposing waits for what is read in the background.
      await reading.dispose()
      await rm(logFile())
      assert.deepEqual([...session.from()], events)
    })
  })
