import assert from 'node:assert/strict'
import fc from 'fast-check'
import { rangeOf } from '../../../src/agent/compaction/range.ts'
import { recordOf } from '../../../src/agent/compaction/record.ts'
import { contextSize, mayReach, textTokens } from '../../../src/agent/compaction/tokens.ts'
import { requestState } from '../../../src/agent/request/request.ts'
import { newHeader } from '../../../src/session/header.ts'
import { type Block, newUserMessage, type Usage } from '../../../src/session/messages.ts'
import { Session } from '../../../src/session/session.ts'
import { messageOfEvent, surface } from '../../../src/session/surface.ts'
import { tokens } from './fixture.ts'

const at = { turn: 1, step: 1 }
const model = { kind: 'model' as const, provider: 'p', model: 'm' }

/** A log with nothing but what stands on the surface. */
class Talk {
  readonly session = new Session(newHeader({ id: 's' }, () => 0))

  user(text: string): this {
    this.session.append('user/message', newUserMessage(text))
    return this
  }

  agent(content: Block[], usage?: Usage): this {
    const message = { id: crypto.randomUUID(), role: 'assistant' as const, content, source: model }
    this.session.append('assistant/message', { ...at, message, ...(usage === undefined ? {} : { usage }) })
    return this
  }

  calls(...ids: string[]): this {
    return this.agent(ids.map(id => ({ type: 'tool-call', id, name: 'look', arguments: '{}' })))
  }

  result(id: string, size: number): this {
    const content = [
      { type: 'tool-result' as const, toolCallId: id, content: [{ type: 'text' as const, text: tokens(size) }] },
    ]
    const source = { kind: 'tool' as const, callId: id }
    const message = { id: crypto.randomUUID(), role: 'user' as const, content, source }
    this.session.append('tool/result', { ...at, message })
    return this
  }

  open(): this {
    this.session.append('turn/start', { turn: 1 })
    this.session.append('step/start', at)
    return this
  }
}

function range(session: Session) {
  return rangeOf(session, contextSize(session, undefined, []))
}

const piece = fc.oneof(
  fc.nat(2_000).map(size => ({ user: size })),
  fc.nat(2_000).map(size => ({ agent: size })),
  fc.array(fc.nat(3_000), { minLength: 1, maxLength: 3 }).map(results => ({ results })),
)

describe('what a compaction takes', () => {
  it('never parts a call from its result, keeps the newest part, and stays within its share', () => {
    fc.assert(
      fc.property(
        fc.array(piece, { minLength: 1, maxLength: 12 }),
        fc.nat(3),
        fc.boolean(),
        (pieces, waiting, reused) => {
          const talk = new Talk()
          let calls = 0
          for (const each of pieces) {
            if ('user' in each) talk.user(tokens(each.user))
            else if ('agent' in each) talk.agent([{ type: 'text', text: tokens(each.agent) }])
            else {
              const ids = each.results.map((_, index) => (reused ? `c${index}` : `c${calls++}`))
              talk.calls(...ids)
              for (const [index, size] of each.results.entries()) talk.result(ids[index] ?? '', size)
            }
          }
          const open = Array.from({ length: waiting }, (_, index) => `w${index}`)
          if (waiting > 0) talk.calls(...open).result('w0', 10)
          const { session } = talk
          const chosen = range(session)
          const nodes = [...session.state(surface)]
          const gone = chosen?.nodes.map(({ seq }) => seq) ?? []
          assert.deepEqual(gone, nodes.slice(0, gone.length), 'it is the oldest part')
          assert.deepEqual([...(chosen?.stays ?? nodes)], nodes.slice(gone.length))
          const side = (seqs: readonly number[], type: Block['type']) =>
            seqs.flatMap(seq => (messageOfEvent(session.at(seq))?.content ?? []).filter(block => block.type === type))
          const kept = nodes.slice(gone.length)
          assert.equal(
            side(gone, 'tool-call').length,
            side(gone, 'tool-result').length,
            'calls and results go together',
          )
          assert.equal(
            side(kept, 'tool-call').length - (waiting > 1 ? waiting - 1 : 0),
            side(kept, 'tool-result').length,
          )
          if (waiting > 1) assert.ok(kept.length >= 2, 'a call that waits stays')
          const size = contextSize(session, undefined, [])
          const keptTokens = size.nodes.slice(gone.length).reduce((sum, node) => sum + node.tokens, 0)
          if (waiting === 0 && chosen !== undefined) assert.ok(keptTokens <= size.total / 2 + nodes.length)
        },
      ),
      { numRuns: 500 },
    )
  })

  it('leaves the input of the step at work alone', () => {
    const talk = new Talk()
      .user(tokens(1_500))
      .agent([{ type: 'text', text: tokens(2_000) }])
      .open()
    talk.user(tokens(9_000)).user('and this')
    assert.deepEqual(
      range(talk.session)?.nodes.map(({ seq }) => seq),
      [0, 1],
    )
    const first = new Talk().open().user(tokens(9_000))
    assert.equal(range(first.session), undefined)
  })

  it('keeps the newest exchange even where it is more than a fifth, but not where it is most of all', () => {
    const talk = new Talk().user(tokens(600)).agent([{ type: 'text', text: tokens(400) }])
    assert.equal(range(talk.session)?.nodes.length, 1)
    assert.equal(range(talk.agent([{ type: 'text', text: tokens(5_000) }]).session)?.nodes.length, 3)
  })
})

describe('the size of a conversation', () => {
  const usage = { inputTokens: 900, cacheReadTokens: 100, outputTokens: 50 }

  it('is what the provider counted, and an estimate of what came since in the same measure', () => {
    const { session } = new Talk()
      .user(tokens(500))
      .agent([{ type: 'text', text: tokens(40) }], usage)
      .user(tokens(100))
    const size = contextSize(session, undefined, [newUserMessage(tokens(100))])
    assert.ok(Math.abs(size.scale - 2) < 0.1, `1,000 were counted for about 500: ${size.scale}`)
    assert.ok(Math.abs(size.total - (1_050 + 400)) < 30, `${size.total}`)
    assert.equal(size.nodes.length, 3)
  })

  it('is an estimate alone before anything was counted, and takes nonsense for what it is', () => {
    const { session } = new Talk().user(tokens(500))
    assert.ok(Math.abs(contextSize(session, undefined, []).total - 504) < 20)
    const counts = (inputTokens: number) =>
      contextSize(new Talk().user(tokens(500)).agent([], { inputTokens, outputTokens: 1 }).session, undefined, []).scale
    assert.equal(counts(1_000_000), 3)
    assert.equal(counts(1), 0.5)
    assert.equal(counts(0), 1, 'nothing was counted')
  })

  it('counts what the header grows by', () => {
    const { session } = new Talk()
    const header = { config: { provider: 'p', model: 'm' }, system: tokens(100) }
    assert.equal(session.state(requestState).header, undefined)
    assert.equal(contextSize(session, header, []).total, textTokens(header.system))
  })

  it('is never more than the quick look allows for', () => {
    fc.assert(
      fc.property(fc.nat(5_000), fc.nat(5_000), fc.nat(3_000), fc.nat(12_000), (input, output, since, limit) => {
        const { session } = new Talk()
          .user(tokens(500))
          .agent([], { inputTokens: input, outputTokens: output })
          .user(tokens(since))
        const header = { config: { provider: 'p', model: 'm' } }
        if (!mayReach(session, limit, header, [])) assert.ok(contextSize(session, header, []).total < limit)
      }),
    )
  })

  it('goes on in the measure of the last compaction, until something is counted again', () => {
    const talk = new Talk().user(tokens(500)).agent([], usage)
    const shadow = { shadowedRange: { start: 0, end: 0 }, shadowedSeqs: [0], shadowedTokenCount: 1_000 }
    talk.session.append('compaction/start', { compactionId: 'c', turn: null })
    talk.session.append('compaction/summary', { compactionId: 'c', summary: [], ...shadow, provider: 'p', model: 'm' })
    talk.session.append('user/message', newUserMessage('S', { kind: 'plugin', plugin: 'compact', compactionId: 'c' }), {
      surfaceOp: { op: 'replace', start: 0, end: 0 },
      sourceEventSeqs: [2, 3, 0],
    })
    const size = contextSize(talk.session, undefined, [])
    assert.ok(Math.abs(size.scale - 2) < 0.1)
    assert.ok(size.total < 50, 'what was counted before does not count any more')
  })
})

describe('the conversation as text for a summary', () => {
  it('has nothing at the margin but who speaks, whatever is said', () => {
    const line = fc.constantFrom(
      'User:',
      'Agent:',
      'Result of look:',
      '```',
      '',
      'I approve.',
      '\r',
      '\u2028User:',
      '  x',
    )
    const said = fc.array(line, { minLength: 1, maxLength: 5 }).map(lines => lines.join('\n'))
    fc.assert(
      fc.property(fc.array(said, { minLength: 1, maxLength: 5 }), texts => {
        const talk = new Talk()
        for (const text of texts) talk.user(text).agent([{ type: 'text', text: `.${text}` }])
        const { session } = talk
        const record = recordOf(session, [...session.state(surface)], Number.POSITIVE_INFINITY)
        const heads = record.split(/[\n\r\u2028\u2029]/).filter(each => /^\S/.test(each))
        assert.deepEqual(
          heads,
          texts.flatMap(() => ['User:', 'Agent:']),
        )
      }),
    )
  })

  it('fits the room it is given as long as one entry does, and says what it leaves out', () => {
    const talk = new Talk()
    for (let k = 0; k < 30; k++) talk.user(`${k} ${tokens(200)}`)
    const { session } = talk
    const seqs = [...session.state(surface)]
    fc.assert(
      fc.property(fc.integer({ min: 120, max: 7_000 }), room => {
        const record = recordOf(session, seqs, room)
        assert.ok(textTokens(record) <= room + 40, `${textTokens(record)} for ${room}`)
        assert.match(record, /29 /, 'the newest is there')
      }),
    )
    assert.match(recordOf(session, seqs, 4_000), /characters left out/)
    assert.match(recordOf(session, seqs, 200), /^\[The \d+ oldest messages do not fit here/)
  })
})
