import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import type { Encoding } from '../../src/persistence/jsonl/encoding.ts'
import { SessionStore } from '../../src/persistence/store.ts'
import type { Block, Message } from '../../src/session/messages.ts'
import { Session } from '../../src/session/session.ts'
import { deriveMessages } from '../../src/session/surface.ts'
import { compressed, compressedUnfinished } from '../support/zstd.ts'
import { loadOnCopy, onCopy, openInMemory, persistenceAt, refusal } from './log-cases.ts'

const logs = join(import.meta.dirname, '../fixtures/logs')

const expectation = z.strictObject({
  problems: z.array(z.strictObject({ file: z.string(), code: z.string() })),
  sessions: z.array(
    z.strictObject({
      id: z.string(),
      file: z.string(),
      stored: z.union([z.number(), z.string()]),
      open: z.union([
        z.string(),
        z.strictObject({
          events: z.number(),
          repaired: z.array(z.string()),
          planActive: z.boolean(),
          planProjection: z.strictObject({ active: z.boolean(), pending: z.boolean() }),
          planState: z.strictObject({ active: z.boolean(), wanted: z.boolean().nullable(), running: z.null() }),
          surface: z.array(z.number()),
          derived: z.array(z.string()),
        }),
      ]),
      load: z.union([z.string(), z.strictObject({ changed: z.boolean() })]),
      resumed: z.number().optional(),
    }),
  ),
})

type Expected = z.infer<typeof expectation>

const cases = readdirSync(logs)
  .filter(entry => entry.endsWith('.expect.json'))
  .map(entry => ({
    name: entry.replace('.expect.json', ''),
    expected: expectation.parse(JSON.parse(readFileSync(join(logs, entry), 'utf8'))),
  }))

/** Raw logs drop these tails, and so do unfinished frames; in whole frames they are damage. */
const tails = new Set(['torn', 'torn-newline', 'torn-balanced', 'corrupt-tail', 'gap-in-tail', 'unknown-in-torn-tail'])

describe('small logs of every kind', () => {
  for (const { name, expected } of cases) {
    describe(name, () => itOpens(expected, 'none', () => join(logs, name)))
  }
})

describe('small logs of every kind, compressed', () => {
  for (const { name, expected } of cases) {
    // Its point is that it has logs of both encodings.
    if (name === 'layout') continue
    const inFrames = renamed(expected)
    describe(`${name} in whole frames`, () => {
      itOpens(tails.has(name) ? refused(inFrames) : inFrames, 'zstd', useCompressed(name, compressed))
    })
    describe(`${name} in a frame that was never finished`, () => {
      itOpens(rewritten(inFrames), 'zstd', useCompressed(name, compressedUnfinished))
    })
  }
})

/** A copy of the case with compressed logs, while the enclosing suite runs. */
function useCompressed(name: string, compress: (raw: Buffer) => Buffer): () => string {
  let root = ''
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'plan-mode-logs-'))
    const from = join(logs, name)
    for (const file of readdirSync(from, { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.jsonl')) continue
      await mkdir(dirname(join(root, file)), { recursive: true })
      await writeFile(join(root, `${file}.zstd`), compress(readFileSync(join(from, file))))
    }
  })
  after(() => rm(root, { recursive: true, force: true }))
  return () => root
}

function renamed({ problems, sessions }: Expected): Expected {
  const inFrames = <T extends { file: string }>(entry: T) => ({ ...entry, file: `${entry.file}.zstd` })
  return { problems: problems.map(inFrames), sessions: sessions.map(inFrames) }
}

function refused({ problems, sessions }: Expected): Expected {
  const corrupt = { stored: 'CORRUPT', open: 'CORRUPT', load: 'CORRUPT' }
  return { problems, sessions: sessions.map(({ id, file }) => ({ id, file, ...corrupt })) }
}

/** What an unfinished frame holds is written again. */
function rewritten({ problems, sessions }: Expected): Expected {
  const changed = (session: Expected['sessions'][number]) => typeof session.load !== 'string' && session.stored !== 0
  return { problems, sessions: sessions.map(one => (changed(one) ? { ...one, load: { changed: true } } : one)) }
}

function itOpens(expected: Expected, encoding: Encoding, root: () => string): void {
  const persistence = () => persistenceAt(root(), encoding)

  it('listing', async () => {
    const { sessions, problems } = await persistence().list()
    const left = problems.map(({ file, code }) => ({ file: file.slice(root().length + 1), code }))
    const byFile = (a: { file: string }, b: { file: string }) => (a.file < b.file ? -1 : 1)
    assert.deepEqual(left.sort(byFile), [...expected.problems].sort(byFile))
    const leftOut = new Set(expected.problems.map(({ file }) => file))
    assert.deepEqual(
      sessions.map(({ header }) => header.id).sort(),
      expected.sessions.flatMap(({ id, file }) => (leftOut.has(file) ? [] : [id])).sort(),
    )
  })

  for (const { id, file, stored, open, load, resumed } of expected.sessions) {
    it(`stored events of ${id}`, async () => {
      const act = () => persistence().readFrom(id, 0)
      assert.equal(typeof stored === 'string' ? await refusal(act) : (await act()).length, stored)
    })

    it(`opening ${id} in memory`, async () => {
      if (typeof open === 'string') return assert.equal(await refusal(() => persistence().inspect(id)), open)
      const opened = await openInMemory(persistence(), id)
      const { events, repaired, planActive, planProjection, planState, surfaceNodes } = opened
      const inspected = await persistence().inspect(id)
      const derived = deriveMessages(new Session(inspected.header, [...inspected.events])).map(inShort)
      const names = repaired.map(({ type, code }) => (code === undefined ? type : `${type} ${code}`))
      const plan = { planActive, planProjection, planState }
      assert.deepEqual({ events, repaired: names, ...plan, surface: surfaceNodes, derived }, open)
    })

    it(`opening ${id} with repair`, async () => {
      const act = () => loadOnCopy(root(), id, file, encoding)
      if (typeof load === 'string') return assert.equal(await refusal(act), load)
      const { before, after } = await act()
      assert.equal(!before.equals(after), load.changed)
    })

    if (resumed === undefined) continue
    it(`opening ${id} to go on`, () =>
      onCopy(root(), async copy => {
        const store = new SessionStore({ root: copy, encoding })
        assert.equal((await store.open(id)).session.length, resumed)
        await store.dispose()
      }))
  }
}

/** Texts that recovery made up are shown as a question mark. */
function inShort(message: Message): string {
  const [part] = message.content
  if (part?.type === 'tool-result') {
    const lost = message.id.startsWith('interrupted-')
    return `result ${part.toolCallId}: ${lost ? '?' : part.content.map(word).join(' ')}`
  }
  return `${message.role}: ${message.content.map(word).join(' ')}`
}

function word(part: Block): string {
  if (part.type === 'text') return part.text
  return part.type === 'tool-call' ? `look(${part.id})` : part.type
}
