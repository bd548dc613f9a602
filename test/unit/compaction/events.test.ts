import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { compactionOf, compactions } from '../../../src/agent/compaction/bracket.ts'
import { contextSize } from '../../../src/agent/compaction/tokens.ts'
import { eventSchemas, isKnownType, type SessionEvent } from '../../../src/session/events.ts'
import { newUserMessage } from '../../../src/session/messages.ts'
import { Session } from '../../../src/session/session.ts'
import { deriveMessages } from '../../../src/session/surface.ts'
import { Transcript } from '../../../src/vscode/transcript/transcript.ts'
import { persistenceAt } from '../../contract/log-cases.ts'
import { assertInvariants } from '../../support/invariants.ts'
import { looseSession, memorySession } from '../../support/runtime.ts'
import { reopened } from '../plan/fixture.ts'
import { Compacting, seen, tokens } from './fixture.ts'

const logs = resolve(import.meta.dirname, '../../../../shared/fixtures/dsh-logs')
const shadowed = { shadowedRange: { start: 0, end: 0 }, shadowedSeqs: [0], shadowedTokenCount: 1 }
const summary = { compactionId: 'c', ...shadowed, summary: [], provider: 'p', model: 'm' }

describe('the events of a compaction', () => {
  it('are strict', () => {
    const accepts = (
      type: 'compaction/start' | 'compaction/summary' | 'compaction/end' | 'compaction/prune',
      data: unknown,
    ) => eventSchemas[type].safeParse(data).success
    assert.ok(accepts('compaction/start', { compactionId: 'c', turn: null }))
    assert.ok(accepts('compaction/start', { compactionId: 'c', sourceCommandId: 'd', turn: 3 }))
    assert.ok(!accepts('compaction/start', { compactionId: 'c' }))
    assert.ok(!accepts('compaction/start', { compactionId: '', turn: null }))
    assert.ok(accepts('compaction/summary', summary))
    assert.ok(accepts('compaction/summary', { ...summary, llmStreamCall: true, rawOutput: [] }))
    assert.ok(!accepts('compaction/summary', { ...summary, llmStreamCall: true }), 'a streamed call has its output')
    assert.ok(!accepts('compaction/summary', { ...summary, shadowedSeqs: [] }))
    assert.ok(!accepts('compaction/summary', { ...summary, shadowedTokenCount: -1 }))
    assert.ok(accepts('compaction/end', { compactionId: 'c', turn: 1, error: 'no' }))
    assert.ok(!accepts('compaction/end', { compactionId: 'c', turn: 1, error: null }))
    assert.ok(accepts('compaction/prune', shadowed))
    assert.ok(!accepts('compaction/prune', { ...shadowed, extra: 1 }))
  })

  it('block another compaction until the bracket ends or its life does', async () => {
    const session = looseSession()
    session.append('user/message', newUserMessage(tokens(100)))
    session.append('compaction/start', { compactionId: 'c', turn: null })
    assert.equal(session.state(compactions).open?.compactionId, 'c')
    const other = { type: 'compaction/end', seq: 9, time: 0, data: { compactionId: 'other', turn: null } } as const
    assert.equal(compactions.apply(session.state(compactions), other), session.state(compactions))
    const stale = reopened(session)
    stale.append('session/end-seed', {})
    assert.equal(stale.state(compactions).open, null)
    const each = new Compacting([], { session: stale })
    assert.equal((await each.compact()).kind, 'success')
    assert.equal(each.events('compaction/start').length, 2)
  })

  it('that a life in this process left open are closed by the next one', async () => {
    const session = memorySession()
    session.append('turn/start', { turn: 1 })
    session.append('compaction/start', { compactionId: 'c', turn: 1 })
    const each = new Compacting([], { session })
    assert.deepEqual(each.types().slice(2), ['compaction/end', 'turn/end'])
    assert.equal(each.events('compaction/end')[0]?.data.error, 'interrupted')
    assertInvariants(session)
  })
})

describe('logs of the ancestor with a compaction', () => {
  if (!existsSync(logs)) return it('are not beside this project')

  async function read(name: string, id: string, encoding: 'none' | 'zstd' = 'none'): Promise<Session> {
    const { header, events } = await persistenceAt(resolve(logs, name), encoding).inspect(id)
    return new Session(header, [...events])
  }

  for (const [name, id, encoding] of [
    ['compaction', 'comp-a', 'none'],
    ['compaction-auto', 'comp-c', 'zstd'],
    ['surface-replace', 'prune-a', 'none'],
  ] as const) {
    it(`hold what the strict schemas and the rules say: ${name}`, async () => {
      const session = await read(name, id, encoding)
      const problems = [...session.from()].flatMap((event: SessionEvent) => {
        const parsed = isKnownType(event.type) ? eventSchemas[event.type].safeParse(event.data) : undefined
        return parsed?.success === false ? [`${event.seq} ${event.type}: ${parsed.error.message}`] : []
      })
      assert.deepEqual(problems, [])
      assert.equal(session.state(compactions).open, null)
      if (name !== 'surface-replace') assertInvariants(session)
    })
  }

  it('show the summary as ours do, and are compacted again', async () => {
    const session = await read('compaction', 'comp-a')
    const item = new Transcript(session).items.find(each => each.kind === 'compaction')
    assert.deepEqual(
      [item?.kind === 'compaction' && item.status, item?.kind === 'compaction' && item.text],
      ['done', 'SUMMARY of it'],
    )
    const each = new Compacting([], { session })
    const [first] = deriveMessages(session)
    assert.equal((await each.compact(' names')).kind, 'success')
    assert.match(each.records[0] ?? '', /Earlier summary:\\n {2}This is an automatically/)
    assert.notEqual(deriveMessages(session)[0]?.id, first?.id)
    assert.match(seen(session)[0] ?? '', /SUMMARY/)
    assert.equal(
      [...session.from()].filter(event => event.type === 'user/message' && compactionOf(event) !== undefined).length,
      2,
    )
    assert.ok(contextSize(session, undefined, []).total > 0)
  })
})
