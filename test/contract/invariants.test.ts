import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Encoding } from '../../src/persistence/jsonl/encoding.ts'
import type { SessionEvent } from '../../src/session/events.ts'
import type { SessionHeader } from '../../src/session/header.ts'
import { violationsOf } from '../../src/session/invariants/invariants.ts'
import { persistenceAt } from './log-cases.ts'

const golden = resolve(import.meta.dirname, '../golden')
const own = resolve(import.meta.dirname, '../fixtures/logs')
const real = resolve(import.meta.dirname, '../../../shared/fixtures/dsh-logs')

/** Of each session: the rules it breaks, in order; undefined for one that does not open. */
type Told = Readonly<Record<string, readonly string[] | undefined>>

interface Expected {
  readonly compression?: Encoding
  readonly sessions: readonly {
    readonly id: string
    readonly open: string | { readonly ok?: boolean }
    /** What the ancestor's own companions say, in the fixtures that it wrote; null where it does not open. */
    readonly invariants?: { readonly ok: boolean } | null
  }[]
}

describe('the rules of the log', () => {
  for (const name of readdirSync(golden).filter(file => file.endsWith('.jsonl'))) {
    it(`hold for the transcript ${name}`, () => {
      const lines = readFileSync(resolve(golden, name), 'utf8').trimEnd().split('\n')
      const [header, ...events] = lines.map(line => JSON.parse(line) as unknown)
      assert.deepEqual([...violationsOf(header as SessionHeader, events as SessionEvent[])], [])
    })
  }

  for (const [name, expected] of casesIn(own)) {
    it(`hold for every log of ${name} that opens`, async () => {
      const opens = ({ open }: Expected['sessions'][number]) => typeof open !== 'string'
      // That one is about brackets that do not fit, which storage does not ask for.
      const broken = name === 'unbalanced' ? ['steps/order'] : []
      const told = expected.sessions.map(session => [session.id, opens(session) ? broken : undefined])
      assert.deepEqual(await toldOf(own, name, expected), Object.fromEntries(told))
    })
  }

  for (const [name, expected] of existsSync(real) ? casesIn(real) : []) {
    it(`are told of the ancestor's ${name} as its own companions do`, async () => {
      // A root of two encodings, which the ancestor refuses as a whole.
      if (name === 'layout') return
      const told = await toldOf(real, name, expected)
      for (const { id, invariants } of expected.sessions) {
        const holds = told[id] === undefined ? null : told[id].length === 0
        assert.equal(holds, invariants?.ok ?? null, `${id}: ${told[id]?.join(', ')}`)
      }
    })
  }
})

function casesIn(root: string): (readonly [name: string, expected: Expected])[] {
  const files = readdirSync(root).filter(file => file.endsWith('.expect.json'))
  return files.map(file => [
    file.replace('.expect.json', ''),
    JSON.parse(readFileSync(resolve(root, file), 'utf8')) as Expected,
  ])
}

async function toldOf(root: string, name: string, { compression, sessions }: Expected): Promise<Told> {
  const persistence = persistenceAt(resolve(root, name), compression)
  try {
    const told: Record<string, readonly string[] | undefined> = {}
    for (const { id } of sessions) {
      const opened = await persistence.inspect(id).catch(() => undefined)
      told[id] = opened && [...violationsOf(opened.header, opened.events)].map(({ rule }) => rule)
    }
    return told
  } finally {
    await persistence.dispose()
  }
}
