import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Encoding } from '../../src/persistence/jsonl/encoding.ts'
import { logPath } from '../../src/persistence/jsonl/paths.ts'
import { SessionStore } from '../../src/persistence/store.ts'
import { loadOnCopy, onCopy, openInMemory, persistenceAt, refusal } from './log-cases.ts'

/** Logs that the ancestor wrote, read in place where they lie beside the project. */
const fixtures = resolve(import.meta.dirname, '../../../shared/fixtures')
const logs = resolve(fixtures, 'dsh-logs')
const here = existsSync(logs)

interface Failure {
  readonly ok: false
  readonly error: { readonly name: string }
}
interface Expected {
  readonly case: string
  readonly compression: Encoding
  readonly sessions: readonly {
    readonly id: string
    readonly file: string
    readonly header: object | null
    readonly stored: { readonly ok: true; readonly events: number } | Failure
    readonly open: ({ readonly ok: true; readonly repaired: readonly { type: string }[] } & object) | Failure
    readonly load:
      | {
          readonly ok: true
          readonly events: number
          readonly fileChanged: boolean
          readonly bytesBefore: number
          readonly bytesAfter: number
          readonly commonPrefixBytes?: number
        }
      | Failure
    readonly resume: { readonly ok: true; readonly eventsBeforeTurn: number } | null
  }[]
}

const cases: Expected[] = here
  ? readdirSync(logs)
      .filter(name => name.endsWith('.expect.json'))
      .map(name => JSON.parse(readFileSync(resolve(logs, name), 'utf8')) as Expected)
  : []

function codeOf({ error }: Failure): string {
  return error.name === 'SessionFormatUnsupportedError' ? 'FORMAT_UNSUPPORTED' : 'CORRUPT'
}

describe('logs of the ancestor', () => {
  if (!here) {
    it('are not beside this project')
    return
  }

  it('are there in both encodings', () => {
    const count = (encoding: Encoding) => cases.filter(({ compression }) => compression === encoding).length
    assert.ok(count('none') > 25 && count('zstd') > 15, `${count('none')} raw, ${count('zstd')} compressed`)
  })

  for (const given of cases) {
    // One root of two encodings: the ancestor refuses all of it, here the good log opens (see the listing below).
    if (given.case === 'layout') continue
    for (const expected of given.sessions) {
      describe(`${given.case}: ${expected.id}`, () => {
        const root = resolve(logs, given.case)
        const encoding = given.compression
        const persistence = persistenceAt(root, encoding)

        it('stored events', async () => {
          const { stored } = expected
          if (stored.ok) assert.equal((await persistence.readFrom(expected.id, 0)).length, stored.events)
          else assert.equal(await refusal(() => persistence.readFrom(expected.id, 0)), codeOf(stored))
        })

        it('opening in memory', async () => {
          const { open } = expected
          if (!open.ok) return assert.equal(await refusal(() => persistence.inspect(expected.id)), codeOf(open))
          const opened = await openInMemory(persistence, expected.id)
          const { closers, ...rest } = opened
          assert.deepEqual({ ...open, ...rest }, open)
          assert.deepEqual(closers, 'closers' in open ? open.closers : undefined)
        })

        it('opening with repair', async () => {
          const { load } = expected
          if (!load.ok) {
            return assert.equal(
              await refusal(() => loadOnCopy(root, expected.id, expected.file, encoding)),
              codeOf(load),
            )
          }
          const { events, before, after } = await loadOnCopy(root, expected.id, expected.file, encoding)
          assert.equal(events, load.events)
          assert.equal(before.length, load.bytesBefore)
          assert.equal(!before.equals(after), load.fileChanged)
          const kept = load.commonPrefixBytes ?? load.bytesBefore
          assert.ok(before.subarray(0, kept).equals(after.subarray(0, kept)))
          const ownWords = expected.open.ok && expected.open.repaired.some(({ type }) => type === 'tool/result')
          if (!ownWords) assert.equal(after.length, load.bytesAfter)
        })

        it('opening to go on', async () => {
          const { resume } = expected
          if (resume === null) return
          await onCopy(root, async copy => {
            const store = new SessionStore({ root: copy, encoding })
            const { session } = await store.open(expected.id)
            assert.equal(session.length, resume.eventsBeforeTurn)
            assert.equal(session.at(session.length - 1).type, 'session/end-seed')
            await store.dispose()
          })
        })

        it('listing', async () => {
          const { sessions, problems } = await persistence.list()
          const listed = sessions.find(({ header }) => header.id === expected.id)
          const problem = problems.find(({ file }) => file === resolve(root, expected.file))
          if (expected.header !== null) {
            assert.deepEqual(listed?.header, { type: 'session', ...expected.header })
            assert.equal(listed?.file, resolve(root, expected.file))
          } else if (listed === undefined) assert.ok(problem, 'what is not listed is a problem')
        })
      })
    }
  }

  it('a log of the other encoding is a problem of its own and hides no other', async () => {
    const persistence = persistenceAt(resolve(logs, 'layout'))
    const { sessions, problems } = await persistence.list()
    assert.deepEqual(
      sessions.map(({ header }) => header.id),
      ['lay-a'],
    )
    assert.deepEqual(
      problems.map(({ code }) => code),
      ['FORMAT_UNSUPPORTED'],
    )
    assert.match(problems[0]?.message ?? '', /compressed log.*raw logs.*planMode\.log\.compression/)
    assert.ok((await persistence.inspect('lay-a')).events.length > 0)
    assert.equal(await refusal(() => persistence.inspect('other')), 'FORMAT_UNSUPPORTED')
    const compressed = persistenceAt(resolve(logs, 'layout'), 'zstd')
    assert.equal((await compressed.list()).sessions[0]?.header.id, 'other')
    assert.equal(await refusal(() => compressed.inspect('lay-a')), 'FORMAT_UNSUPPORTED')
  })

  it('every path is computed as the ancestor does', () => {
    const paths = JSON.parse(readFileSync(resolve(fixtures, 'dsh-paths.json'), 'utf8')) as {
      id: string
      cwd: string | null
      path?: string
    }[]
    assert.ok(paths.length > 10)
    for (const { id, cwd, path } of paths) {
      if (path === undefined) assert.throws(() => logPath(id, cwd ?? undefined), RangeError)
      else assert.equal(logPath(id, cwd ?? undefined), path)
    }
  })
})
