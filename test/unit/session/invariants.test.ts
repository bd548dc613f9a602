import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { SessionEvent } from '../../../src/session/events.ts'
import { newHeader } from '../../../src/session/header.ts'
import { observeInvariants, type Violation, violationsOf } from '../../../src/session/invariants/invariants.ts'
import { Session } from '../../../src/session/session.ts'

type Draft = readonly [type: string, data: unknown, more?: object]

const TURN: Draft = ['turn/start', { turn: 1 }]
const STEP: Draft = ['step/start', { turn: 1, step: 1 }]
const END_STEP: Draft = ['step/end', { turn: 1, step: 1 }]
const END: Draft = ['turn/end', { turn: 1, reason: { kind: 'completed' } }]
const CUT: Draft = ['turn/end', { turn: 1, reason: { kind: 'interrupted' } }]
const SEED: Draft = ['session/end-seed', {}]
const APPEND = { surfaceOp: 'append' }

const message = (id: string) => ({ id, role: 'user', content: [{ type: 'text', text: 'x' }], source: { kind: 'user' } })
const user = (id = 'u'): Draft => ['user/message', message(id), APPEND]
const header = (reason: string, model = 'm'): Draft => [
  'request/header',
  { header: { config: { provider: 'p', model } }, reason },
]
const answer = (calls: readonly string[], sourceEventSeqs: readonly number[] = []): Draft => [
  'assistant/message',
  {
    turn: 1,
    step: 1,
    message: {
      id: 'a',
      role: 'assistant',
      content: calls.map(id => ({ type: 'tool-call', id, name: 't', arguments: '{}' })),
      source: { kind: 'model', provider: 'p', model: 'm' },
    },
  },
  { ...APPEND, sourceEventSeqs },
]
const call = (callId: unknown): Draft => ['tool/call', { turn: 1, step: 1, callId, name: 't', arguments: '{}' }]
const result = (callId: unknown, more: object = APPEND, code?: string): Draft => [
  'tool/result',
  {
    turn: 1,
    step: 1,
    message: {
      id: 'r',
      role: 'user',
      content: [{ type: 'tool-result', toolCallId: callId, content: [] }],
      source: { kind: 'tool', callId },
    },
    ...(code === undefined ? {} : { error: { name: 'E', code } }),
  },
  more,
]
const inner = (type: string, subCallId: string, given: object = {}): Draft => [
  type,
  { rootCallId: 'c', parentCallId: 'c', subCallId, name: 't', arguments: {}, isError: false, content: [], ...given },
]
const started = (subCallId: string, given: object = {}) => inner('tool/code-dispatch-start', subCallId, given)
const PROGRAM: readonly Draft[] = [TURN, STEP, answer(['c']), call('c')]
const run = (commandId: string): Draft => ['command/run', { commandId, name: 'plan', source: { kind: 'user' } }]
const done = (commandId: string, more: object = {}): Draft => ['command/done', { commandId, kind: 'success', ...more }]
const asked = (id: string): Draft => ['approval/asked', { id, toolName: 't' }]
const decided = (id: string): Draft => ['approval/decided', { id, outcome: 'rejected' }]
const presented = (reviewId: string): Draft => ['review/presented', { reviewId, callId: 'c', planHash: 'h' }]
const verdict = (reviewId: string, decision: string, planHash = 'h'): Draft => [
  'review/decided',
  { reviewId, decision, planHash },
]
const exit: Draft = ['plan/selected', { active: false, by: 'review' }, { ignorable: true }]
const compact = (turn: number | null, compactionId = 'k'): Draft => ['compaction/start', { compactionId, turn }]
const compacted = (turn: number | null, more: object = {}): Draft => [
  'compaction/end',
  { compactionId: 'k', turn, ...more },
]
const summary = (seqs: readonly number[], more: object = {}): Draft => [
  'compaction/summary',
  {
    compactionId: 'k',
    summary: [],
    shadowedRange: { start: seqs[0], end: seqs.at(-1) },
    shadowedSeqs: seqs,
    shadowedTokenCount: 1,
    provider: 'p',
    model: 'm',
    ...more,
  },
]
const checkpoint = (start: number, sourceEventSeqs: readonly number[], compactionId = 'k'): Draft => [
  'user/message',
  { ...message('s'), source: { kind: 'plugin', plugin: 'compact', compactionId } },
  { surfaceOp: { op: 'replace', start, end: start }, sourceEventSeqs },
]
const prune: Draft = [
  'compaction/prune',
  { shadowedRange: { start: 0, end: 0 }, shadowedSeqs: [0], shadowedTokenCount: 1 },
]
const todos = (...contents: string[]): Draft => [
  'todo/write',
  { todos: contents.map(content => ({ content, status: 'pending' })) },
]
const title = (kind: string, messageSeqs: readonly number[]): Draft => [
  'session/title',
  { title: 'T', messageSeqs, source: { kind } },
]
const retry = (more: object = {}): Draft => [
  'llm/retry',
  { retryId: 'r', turn: 1, step: 1, retry: 1, maxRetries: 2, delayMs: 0, mode: 'normal', ...more },
]
const retried = (more: object = {}): Draft => [
  'llm/retry-started',
  { retryId: 'r', turn: 1, step: 1, retry: 1, ...more },
]
const hook = (more: object = {}): Draft => [
  'hook/invoked',
  { turn: 1, point: 'stop', dialect: 'codex', handlerId: 'h', ...more },
]
const hooked = (more: object = {}): Draft => ['hook/result', { turn: 1, point: 'stop', handlerId: 'h', ...more }]
const splice = (given: object, ...ids: string[]): Draft => [
  'agent/inbox/spliced',
  { target: 'next-turn', start: 0, inserted: ids.map(message), ...given },
]

/** Each rule broken once: nothing else is said of the log, and it is said of its last event. */
const broken: readonly (readonly [rule: string, log: readonly Draft[]])[] = [
  ['log/seq', [TURN, ['plan/mode', { active: true }, { seq: 5 }]]],
  ['log/sources', [TURN, STEP, user(), ['user/message', message('v'), { ...APPEND, sourceEventSeqs: [2, 2] }]]],
  ['log/sources', [['user/message', message('v'), { ...APPEND, sourceEventSeqs: [0] }]]],
  ['turns/start', [TURN, ['turn/start', { turn: 2 }]]],
  ['turns/order', [['turn/start', { turn: 2 }]]],
  ['turns/end', [END]],
  ['turns/end', [TURN, STEP, END]],
  ['turns/open', [todos('one')]],
  ['turns/open', [['request/context', { provider: 'p', model: 'm' }]]],
  ['steps/start', [STEP]],
  ['steps/start', [TURN, STEP, ['step/start', { turn: 1, step: 2 }]]],
  ['steps/order', [TURN, ['step/start', { turn: 1, step: 2 }]]],
  ['steps/end', [TURN, END_STEP]],
  ['steps/place', [TURN, ['assistant/chunk', { turn: 1, step: 1, chunk: { type: 'text-delta', index: 0, text: '' } }]]],
  ['steps/place', [TURN, STEP, ['assistant/message', { turn: 1, step: 2 }, APPEND]]],
  ['steps/place', [result('c', { surfaceOp: { op: 'replace', start: 0, end: 0 } })]],
  ['tools/unanswered', [TURN, STEP, answer(['c']), END_STEP]],
  ['tools/answer', [TURN, STEP, user(), answer([], [2])]],
  ['tools/call', [TURN, STEP, call('c')]],
  ['tools/call', [TURN, STEP, answer(['c']), call('c'), call('c')]],
  ['tools/result', [TURN, STEP, answer(['c']), result('c')]],
  ['tools/result', [TURN, STEP, answer(['c']), call('c'), result('c', { ...APPEND, sourceEventSeqs: [2] })]],
  ['tools/result', [TURN, STEP, answer(['c']), call('c'), result('c'), result('c')]],
  [
    'tools/order',
    [
      TURN,
      STEP,
      answer(['c', 'd']),
      call('c'),
      call('d'),
      result('d', { ...APPEND, sourceEventSeqs: [4] }),
      result('c'),
    ],
  ],
  ['tools/shape', [TURN, STEP, call(1)]],
  ['code-dispatch/shape', [inner('tool/code-dispatch-start', '')]],
  ['code-dispatch/turn', [inner('tool/code-dispatch-start', 'c:code:1')]],
  ['code-dispatch/root', [TURN, STEP, inner('tool/code-dispatch-start', 'c:code:1')]],
  ['code-dispatch/parent', [...PROGRAM, started('d:code:1', { parentCallId: 'd' })]],
  ['code-dispatch/id', [...PROGRAM, started('c:1')]],
  ['code-dispatch/once', [...PROGRAM, inner('tool/code-dispatch', 'c:code:1')]],
  ['code-dispatch/once', [...PROGRAM, started('c:code:1'), started('c:code:1')]],
  ['code-dispatch/same', [...PROGRAM, started('c:code:1'), inner('tool/code-dispatch', 'c:code:1', { name: 'u' })]],
  ['code-dispatch/unsettled', [...PROGRAM, started('c:code:1'), result('c')]],
  ['plan/shape', [['plan/mode', { active: 'yes' }]]],
  ['plan/review', [presented('one'), presented('two')]],
  ['plan/review', [verdict('one', 'kept')]],
  ['plan/consent', [presented('one'), verdict('one', 'approved', 'other')]],
  ['plan/consent', [presented('one'), verdict('one', 'kept'), exit]],
  ['commands/shape', [['command/run', { commandId: '' }]]],
  ['commands/run', [run('a'), done('a'), run('a')]],
  ['commands/done', [done('a')]],
  ['commands/done', [run('a'), done('a'), done('a')]],
  ['commands/source', [run('a'), done('a', { sourceEventSeq: 0 })]],
  ['commands/source', [run('a'), done('a', { sourceEventSeq: 1 })]],
  ['commands/source', [user(), run('a'), done('a', { kind: 'error', sourceEventSeq: 0 })]],
  ['approvals/shape', [['approval/policy', { policy: 'always' }]]],
  ['approvals/shape', [TURN, ['approval/asked', { id: 'a', toolName: '' }]]],
  ['approvals/turn', [asked('a')]],
  ['approvals/pair', [TURN, decided('a')]],
  ['approvals/pair', [TURN, asked('a'), decided('a'), asked('a')]],
  ['approvals/undecided', [TURN, asked('a'), END]],
  ['compaction/shape', [['compaction/start', { compactionId: 'k' }]]],
  ['compaction/open', [compact(null), compact(null, 'l')]],
  ['compaction/owner', [TURN, compact(null)]],
  ['compaction/owner', [compact(1)]],
  ['compaction/owner', [compact(null), compacted(1, { error: 'no' })]],
  ['compaction/id', [compacted(null)]],
  ['compaction/id', [user(), compact(null, 'l'), summary([0])]],
  ['compaction/range', [user(), user('v'), compact(null), summary([0], { shadowedRange: { start: 0, end: 1 } })]],
  ['compaction/range', [compact(null), summary([], { shadowedRange: { start: 0, end: 0 } })]],
  ['compaction/summary', [user(), compact(null), compacted(null)]],
  ['compaction/summary', [user(), compact(null), summary([0]), summary([0])]],
  ['compaction/order', [user(), compact(null), summary([0]), user('v'), checkpoint(0, [1, 2, 0])]],
  ['compaction/sources', [user(), compact(null), summary([0]), checkpoint(0, [2, 0])]],
  ['compaction/range', [user(), user('v'), compact(null), summary([0]), checkpoint(1, [2, 3, 0])]],
  [
    'compaction/summary',
    [user(), compact(null), summary([0]), checkpoint(0, [1, 2, 0]), compacted(null, { error: 'no' })],
  ],
  ['compaction/turn', [compact(null), TURN]],
  ['compaction/prune', [user(), prune, user('v')]],
  ['retries/shape', [TURN, STEP, retry({ retry: 0 })]],
  ['retries/limit', [TURN, STEP, retry({ retry: 3 })]],
  ['retries/started', [TURN, STEP, retry(), retried({ retry: 2 })]],
  ['hooks/shape', [TURN, hook({ dialect: 'latin' })]],
  ['hooks/turn', [TURN, hook({ turn: 2 })]],
  ['hooks/pair', [TURN, hook(), hooked({ handlerId: 'i' })]],
  ['titles/shape', [['session/title', { title: '' }]]],
  ['titles/citation', [user(), title('user', [0])]],
  ['titles/citation', [user(), title('fallback', [])]],
  ['titles/citation', [TURN, title('fallback', [0])]],
  ['todo/shape', [TURN, ['todo/write', { todos: [{ content: 'one', status: 'late' }] }]]],
  ['todo/content', [TURN, todos(' one')]],
  ['todo/unique', [TURN, todos('one', 'one')]],
  ['access/sandbox', [['sandbox/mode', { mode: 'open' }]]],
  ['access/preset', [['permission/preset', {}]]],
  ['requests/shape', [TURN, ['request/header', { header: {}, reason: 'initial' }]]],
  ['requests/reason', [TURN, header('resume')]],
  ['requests/reason', [TURN, header('initial'), header('initial')]],
  ['requests/reason', [TURN, header('initial'), header('change')]],
  ['requests/model', [TURN, STEP, header('initial', 'other'), answer([])]],
  ['inbox/shape', [['agent/inbox/spliced', {}]]],
  ['inbox/fit', [splice({ start: 1 }, 'a')]],
  ['inbox/twice', [splice({}, 'a'), splice({ target: 'next-step' }, 'a')]],
]

/** What is no violation although it looks like one. */
const whole: readonly (readonly [why: string, log: readonly Draft[]])[] = [
  [
    'a call that recovery says never started',
    [TURN, STEP, answer(['c']), result('c', APPEND, 'TOOL_NOT_STARTED'), END_STEP, CUT],
  ],
  ['an approval that a crash left undecided', [TURN, asked('a'), CUT, SEED, ['turn/start', { turn: 2 }]]],
  ['a compaction that a crash left open', [TURN, compact(1), CUT, SEED, ['turn/start', { turn: 2 }]]],
  ['a compaction that failed', [user(), compact(null), summary([0]), compacted(null, { error: 'no' })]],
  ['a compaction', [user(), compact(null), summary([0]), checkpoint(0, [1, 2, 0]), compacted(null)]],
  ['an approved plan', [presented('a'), verdict('a', 'approved'), exit, ['plan/mode', { active: false }]]],
  ['a mode set while nothing runs', [['plan/mode', { active: true }], TURN, ['plan/mode', { active: false }], END]],
  [
    'calls of a program',
    [
      TURN,
      STEP,
      answer(['c']),
      call('c'),
      inner('tool/code-dispatch-start', 'c:code:1'),
      inner('tool/code-dispatch-start', 'c:code:1:code:1', { parentCallId: 'c:code:1' }),
      inner('tool/code-dispatch', 'c:code:1:code:1', { parentCallId: 'c:code:1' }),
      inner('tool/code-dispatch', 'c:code:1'),
      result('c'),
      END_STEP,
      END,
    ],
  ],
  ['a retry', [TURN, STEP, retry(), retried(), retry({ mode: 'always', retry: 9, maxRetries: undefined })]],
  ['an unknown event', [['acme/thing', 5, { ignorable: true }]]],
]

const none = newHeader({ id: 's' }, () => 0)

function eventsOf(log: readonly Draft[]): SessionEvent[] {
  return log.map(([type, data, more], seq) => ({ type, seq, time: 0, data, ...more }) as SessionEvent)
}

describe('an invariant', () => {
  for (const [rule, log] of broken) {
    it(`${rule} is told, and nothing else, of ${log.map(([type]) => type).join(', ')}`, () => {
      const events = eventsOf(log)
      const told = [...violationsOf(none, events)]
      assert.deepEqual(
        told.map(violation => violation.rule),
        [rule],
      )
      assert.equal(told[0]?.seq, events.at(-1)?.seq)
      assert.ok(told[0]?.message.startsWith(`event ${told[0].seq} (${events.at(-1)?.type}): `))
    })
  }

  for (const [why, log] of whole) {
    it(`lets pass ${why}`, () => {
      assert.deepEqual([...violationsOf(none, eventsOf(log))], [])
    })
  }

  it('of each kind is broken by this table', () => {
    const folder = resolve(import.meta.dirname, '../../../src/session/invariants')
    const named = readdirSync(folder).flatMap(file =>
      [...readFileSync(resolve(folder, file), 'utf8').matchAll(/yield \[\s*'([a-z-]+\/[a-z-]+)'/g)].map(
        match => match[1],
      ),
    )
    assert.deepEqual([...new Set(broken.map(([rule]) => rule))].sort(), [...new Set(named)].sort())
  })

  it('of the inbox passes over what a fork inherited', () => {
    const inherited = eventsOf([splice({ start: 1 }, 'a'), splice({}, 'a'), splice({}, 'a')])
    const fork = newHeader({ id: 'f', seedLength: 2 }, () => 0)
    assert.deepEqual([...violationsOf(fork, inherited)], [])
  })
})

describe('an observed session', () => {
  it('reports what it holds and what is appended, and takes the append all the same', () => {
    const session = new Session(none, eventsOf([END]))
    const told: Violation[] = []
    const observing = observeInvariants(session, violation => told.push(violation))
    session.append('turn/start', { turn: 5 })
    session.append('plan/mode', { active: true })
    assert.deepEqual(
      told.map(({ seq, rule }) => [seq, rule]),
      [
        [0, 'turns/end'],
        [1, 'turns/order'],
      ],
    )
    observing[Symbol.dispose]()
    session.append('turn/start', { turn: 9 })
    assert.equal(told.length, 2)
    assert.equal(session.length, 4)
  })

  it('is not hurt by a report that throws', () => {
    const errors: unknown[] = []
    const session = new Session(none, [], { onObserverError: error => errors.push(error) })
    observeInvariants(session, () => {
      throw new Error('no')
    })
    session.append('turn/start', { turn: 2 })
    assert.equal(session.length, 1)
    assert.equal(errors.length, 1)
  })
})
