import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { SessionStore } from '../../src/persistence/store.ts'
import type { Block, Message } from '../../src/session/messages.ts'
import { Session } from '../../src/session/session.ts'
import { deriveMessages } from '../../src/session/surface.ts'
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
          surface: z.array(z.number()),
          derived: z.array(z.string()),
        }),
      ]),
      load: z.union([z.string(), z.strictObject({ changed: z.boolean() })]),
      resumed: z.number().optional(),
    }),
  ),
})

describe('small logs of every kind', () => {
  for (const name of readdirSync(logs).filter(entry => entry.endsWith('.expect.json'))) {
    const root = join(logs, name.replace('.expect.json', ''))
    const expected = expectation.parse(JSON.parse(readFileSync(join(logs, name), 'utf8')))
    describe(name.replace('.expect.json', ''), () => {
      const persistence = persistenceAt(root)

      it('listing', async () => {
        const { sessions, problems } = await persistence.list()
        const left = problems.map(({ file, code }) => ({ file: file.slice(root.length + 1), code }))
        const byFile = (a: { file: string }, b: { file: string }) => (a.file < b.file ? -1 : 1)
        assert.deepEqual(left.sort(byFile), expected.problems.sort(byFile))
        const leftOut = new Set(expected.problems.map(({ file }) => file))
        assert.deepEqual(
          sessions.map(({ header }) => header.id).sort(),
          expected.sessions.flatMap(({ id, file }) => (leftOut.has(file) ? [] : [id])).sort(),
        )
      })

      for (const { id, file, stored, open, load, resumed } of expected.sessions) {
        it(`stored events of ${id}`, async () => {
          const act = () => persistence.readFrom(id, 0)
          assert.equal(typeof stored === 'string' ? await refusal(act) : (await act()).length, stored)
        })

        it(`opening ${id} in memory`, async () => {
          if (typeof open === 'string') return assert.equal(await refusal(() => persistence.inspect(id)), open)
          const { events, repaired, planActive, surfaceNodes } = await openInMemory(persistence, id)
          const inspected = await persistence.inspect(id)
          const derived = deriveMessages(new Session(inspected.header, inspected.events)).map(inShort)
          const names = repaired.map(({ type, code }) => (code === undefined ? type : `${type} ${code}`))
          assert.deepEqual({ events, repaired: names, planActive, surface: surfaceNodes, derived }, open)
        })

        it(`opening ${id} with repair`, async () => {
          if (typeof load === 'string') return assert.equal(await refusal(() => loadOnCopy(root, id, file)), load)
          const { before, after } = await loadOnCopy(root, id, file)
          assert.equal(!before.equals(after), load.changed)
        })

        if (resumed === undefined) continue
        it(`opening ${id} to go on`, () =>
          onCopy(root, async copy => {
            const store = new SessionStore({ root: copy })
            assert.equal((await store.open(id)).session.length, resumed)
            await store.dispose()
          }))
      }
    })
  }
})

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
