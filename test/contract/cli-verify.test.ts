import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { main } from '../../src/cli/main.ts'

const real = resolve(import.meta.dirname, '../../../shared/fixtures/dsh-logs')

const expected = z.looseObject({
  case: z.string(),
  compression: z.enum(['none', 'zstd']),
  list: z.looseObject({ ok: z.boolean(), ids: z.array(z.string()).optional() }),
  sessions: z.array(
    z.looseObject({
      id: z.string(),
      file: z.string(),
      listed: z.boolean().nullable(),
      header: z.unknown(),
      stored: z.looseObject({ ok: z.boolean(), events: z.int().optional() }),
      open: z.looseObject({ ok: z.boolean(), error: z.looseObject({ name: z.string() }).optional() }),
    }),
  ),
})

const OPENED = [
  'events',
  'planActive',
  'planProjection',
  'planState',
  'derivedMessages',
  'surfaceNodes',
  'storedDigest',
  'derivedDigest',
] as const

/** `layout` is the one wanted difference: its good logs open here, and the listing names the bad one. */
const DIFFERENT = new Set(['layout'])

describe('log verify, on the logs of the real program', () => {
  if (!existsSync(real)) {
    it('needs the shared fixtures')
    return
  }
  const cases = readdirSync(real).filter(name => name.endsWith('.expect.json'))

  for (const file of cases) {
    const wanted = expected.parse(JSON.parse(readFileSync(join(real, file), 'utf8')))
    if (DIFFERENT.has(wanted.case)) continue
    it(`gives what is expected of ${wanted.case}`, async () => {
      const { code, object } = await verify(join(real, wanted.case), wanted.compression)
      assert.deepEqual([...object.list.ids].sort(), [...(wanted.list.ids ?? [])].sort())
      assert.equal(code, wanted.sessions.every(({ open }) => open.ok) && object.list.problems.length === 0 ? 0 : 1)
      assert.deepEqual(
        object.sessions.map(({ id }) => id),
        wanted.sessions.map(({ id }) => id),
      )
      for (const session of wanted.sessions) {
        const got = object.sessions.find(({ id }) => id === session.id)
        assert.ok(got)
        assert.equal(got.file, session.file)
        assert.equal(got.stored.ok, session.stored.ok)
        if (session.stored.ok) assert.equal(got.stored.events, session.stored.events)
        assert.equal(got.open.ok, session.open.ok)
        if (!session.open.ok) {
          const foreign = session.open.error?.name === 'SessionFormatUnsupportedError'
          assert.equal(got.open.code, foreign ? 'FORMAT_UNSUPPORTED' : 'CORRUPT')
          continue
        }
        for (const key of OPENED) assert.deepEqual(got.open[key], session.open[key], key)
        assert.deepEqual(types(got.open.repaired), types(session.open.repaired))
        if (session.listed) assert.deepEqual(got.header, session.header)
      }
    })
  }

  it('opens the good logs of a mixed root and names the bad one', async () => {
    const { code, object } = await verify(join(real, 'layout'), 'none')
    assert.equal(code, 1)
    assert.deepEqual(object.list.ids, ['lay-a'])
    assert.deepEqual(object.list.problems, [
      { file: '--home-dev-demo--/other/session.jsonl.zstd', code: 'FORMAT_UNSUPPORTED' },
    ])
    assert.deepEqual(
      object.sessions.map(({ id, open }) => [id, open.ok]),
      [
        ['lay-a', true],
        ['other', true],
      ],
    )
  })
})

const opened = z.looseObject({ ok: z.boolean(), code: z.string().optional(), repaired: z.unknown().optional() })
const verification = z.object({
  list: z.object({ ids: z.array(z.string()), problems: z.array(z.object({ file: z.string(), code: z.string() })) }),
  sessions: z.array(
    z.looseObject({
      id: z.string(),
      file: z.string(),
      header: z.unknown(),
      stored: z.looseObject({ ok: z.boolean(), events: z.int().optional() }),
      open: opened,
    }),
  ),
})

async function verify(root: string, compression: string) {
  const parts: string[] = []
  const streams = { out: (part: string) => void parts.push(part), err: (part: string) => assert.fail(part) }
  const code = await main(['log', 'verify', root, '--compression', compression, '--json'], streams)
  return { code, object: verification.parse(JSON.parse(parts.join(''))) }
}

function types(events: unknown): string[] {
  return z
    .array(z.looseObject({ type: z.string() }))
    .parse(events)
    .map(({ type }) => type)
}
