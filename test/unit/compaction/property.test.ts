import assert from 'node:assert/strict'
import fc from 'fast-check'
import { compactionOf, compactions } from '../../../src/agent/compaction/bracket.ts'
import { PersistenceCoordinator } from '../../../src/persistence/coordinator.ts'
import { SessionStore } from '../../../src/persistence/store.ts'
import type { SessionEvent } from '../../../src/session/events.ts'
import { type Message, textOf } from '../../../src/session/messages.ts'
import { interruptedClosers } from '../../../src/session/repair.ts'
import { Session } from '../../../src/session/session.ts'
import { deriveMessages, surface } from '../../../src/session/surface.ts'
import { turnBoundary } from '../../../src/session/turns.ts'
import { assertInvariants } from '../../support/invariants.ts'
import { MemoryBackend } from '../../support/memory-backend.ts'
import { assertRequestsFromLog } from '../../support/requests.ts'
import type { Act, Reply } from '../../support/scripted-model.ts'
import { testTool } from '../../support/test-tool.ts'
import { PLAN, present } from '../plan/fixture.ts'
import { Compacting, stepRequests, tokens, tooLong, usage } from './fixture.ts'

const size = fc.constantFrom(5, 40, 300)
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ words: size, calls: fc.array(size, { maxLength: 3 }) }) },
  { weight: 1, arbitrary: fc.constant('long' as const) },
)
const turn = fc.record({
  says: size,
  steps: fc.array(step, { minLength: 1, maxLength: 3 }),
  afterwards: fc.constantFrom('nothing', 'nothing', 'compact', 'reload'),
})
const summary = fc.constantFrom<'good' | 'bad'>('good', 'good', 'good', 'bad')

/** The next step's answer, with a usage that counts what was sent as its own estimate does. */
function reply(each: { readonly words: number; readonly calls: readonly number[] } | 'long'): Reply {
  if (each === 'long') return tooLong
  return request => {
    const calls: Act[] = each.calls.map(result => ({ call: 'look', args: { path: String(result) } }))
    const input = Math.ceil(JSON.stringify(request.prompt).length / 4)
    const finish = calls.length > 0 ? ('tool-calls' as const) : ('stop' as const)
    return [{ text: tokens(each.words) }, ...calls, { finish, usage: usage(input, each.words) }]
  }
}

function equip(each: Compacting, summaries: readonly string[]): Compacting {
  each.model.log = each.session
  each.runtime.tools.register(testTool('look', ({ path }) => ({ kind: 'success', text: tokens(Number(path)) })))
  each.summaries.splice(
    0,
    1,
    ...summaries.map((kind, n): Reply => [{ text: kind === 'good' ? `SUMMARY ${n}` : ' ' }]),
    [{ text: 'SUMMARY' }],
  )
  return each
}

function reload(session: Session): Session {
  const events = [...session.from()].map(event => structuredClone(event))
  const next = new Session(session.header, [...events, ...interruptedClosers(session)])
  if (next.length > 0) next.append('session/end-seed', {})
  return next
}

/** At each replacement: the message first, then what came after the range, as it was. Adds what is otherwise. */
function watchReplacements(session: Session, problems: unknown[]): void {
  let before = deriveMessages(session)
  session.observe(event => {
    try {
      follow(event)
    } catch (error) {
      problems.push(error)
    }
  })
  const follow = (event: SessionEvent) => {
    const now = deriveMessages(session)
    if (event.type === 'user/message' && compactionOf(event) !== undefined) {
      assert.deepEqual(now[0], event.data)
      assert.deepEqual(
        now.slice(1),
        before.slice(before.length - now.length + 1),
        `event ${event.seq}: an untouched tail`,
      )
    } else assert.deepEqual(now.slice(0, before.length), before, `event ${event.seq}: nothing leaves otherwise`)
    before = now
  }
}

/** No call without its result and no result without its call, but for calls of the step at work. */
function assertPaired(messages: readonly Message[]): void {
  const blocks = messages.flatMap(message => message.content)
  const called = blocks.flatMap(block => (block.type === 'tool-call' ? [block.id] : []))
  const answered = blocks.flatMap(block => (block.type === 'tool-result' ? [block.toolCallId] : []))
  assert.deepEqual(answered, called)
}

/** Requests grow by appending only, but for the ones after a compaction. */
function assertGrowth(each: Compacting): void {
  const lengths = each.model.requests.flatMap((request, index) =>
    stepRequests(each).includes(request) ? [each.model.lengths[index] ?? 0] : [],
  )
  const requests = stepRequests(each).map(({ prompt }) => prompt.map(message => JSON.stringify(message)))
  for (const [index, prompt] of requests.entries()) {
    const before = requests[index - 1]
    if (before === undefined) continue
    const between = [...each.session.from(lengths[index - 1])].slice(
      0,
      (lengths[index] ?? 0) - (lengths[index - 1] ?? 0),
    )
    const compacted = between.some(event => event.type === 'user/message' && compactionOf(event) !== undefined)
    if (!compacted) assert.deepEqual(prompt.slice(0, before.length), before, `request ${index} grows by appending`)
  }
}

describe('any conversation that is compacted', () => {
  it('keeps an untouched tail behind one summary, whole exchanges, balanced logs and requests from the log', async () => {
    let summarised = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(turn, { minLength: 1, maxLength: 6 }),
        fc.array(summary, { maxLength: 4 }),
        fc.constantFrom(1_500, 4_000, null),
        async (turns, summaries, contextWindow) => {
          let each = equip(new Compacting([], { contextWindow }), summaries)
          const problems: unknown[] = []
          watchReplacements(each.session, problems)
          for (const { says, steps, afterwards } of turns) {
            each.model.push(...steps.map(reply))
            await each.say(`${tokens(says)}?`)
            assert.equal(each.session.state(compactions).open, null)
            assertPaired(deriveMessages(each.session))
            if (afterwards === 'compact') await each.compact()
            if (afterwards !== 'reload') continue
            assertGrowth(each)
            assertRequestsFromLog(each.session, each.model)
            await each.agent.dispose()
            each = equip(new Compacting([], { contextWindow, session: reload(each.session) }), summaries)
            watchReplacements(each.session, problems)
          }
          assert.deepEqual(problems, [])
          assertGrowth(each)
          assertRequestsFromLog(each.session, each.model)
          assertInvariants(each.session)
          const brackets = each.events('compaction/start')
          summarised += each.events('compaction/summary').length
          assert.ok(brackets.length <= 2 * each.events('step/start').length + turns.length, 'no loop of compactions')
        },
      ),
      { numRuns: 150 },
    )
    assert.ok(summarised > 100, `${summarised} summaries`)
  }).timeout(60_000)
})

/** A conversation with an approved plan, a manual and an automatic compaction in it. */
async function conversation(): Promise<Compacting> {
  const each = equip(new Compacting([], { contextWindow: 4_000 }), [])
  each.model.push([present(PLAN)], reply({ words: 300, calls: [300] }), reply({ words: 300, calls: [] }))
  each.controller.set(each.agent, true)
  const said = each.say('Plan it')
  await each.reviewed()
  await each.decide('approved')
  await said
  await each.compact(' the plan')
  each.model.push(
    reply({ words: 1_500, calls: [] }),
    reply({ words: 1_500, calls: [] }),
    reply({ words: 40, calls: [] }),
  )
  for (const text of ['One', 'Two', 'Three']) await each.say(text)
  assert.equal(each.events('compaction/summary').length, 2)
  return each
}

/** How often the plan stands before the model. */
function plans(session: Session): number {
  const text = deriveMessages(session)
    .map(message => `${textOf(message)}${JSON.stringify(message.content.filter(({ type }) => type === 'tool-call'))}`)
    .join('\n')
  const escaped = JSON.stringify(JSON.stringify({ plan: PLAN })).slice(1, -1)
  return text.split(PLAN).length - 1 + (text.split(escaped).length - 1)
}

describe('a crash, a reload, a fork around a compaction', () => {
  it('loses nothing and doubles nothing, after whichever event it comes', async () => {
    const { session: whole } = await conversation()
    const events = [...whole.from()]
    const first = events.findIndex(({ type }) => type === 'compaction/start')
    const approvedAt = events.findIndex(({ type }) => type === 'review/decided')
    for (let cut = approvedAt + 1; cut <= events.length; cut++) {
      if (events[cut - 1]?.type === 'assistant/chunk') continue
      const torn = new Session(whole.header, structuredClone(events.slice(0, cut)))
      const session = reload(torn)
      assert.equal(session.state(compactions).open, null, `after event ${cut - 1}`)
      assert.equal(plans(session), 1, `after event ${cut - 1}: the approved plan is there once`)
      assert.deepEqual(
        [...session.state(surface)].filter(seq => seq < cut),
        [...torn.state(surface)],
        'what the model saw is what it sees',
      )
      if (cut < first - 5) continue
      const each = equip(new Compacting([[{ text: tokens(2_000) }]], { session, contextWindow: 64_000 }), [])
      await each.say('Go on')
      const outcome = await each.compact()
      assert.equal(outcome.kind, 'success', outcome.text)
      assert.equal(plans(session), 1)
      assertInvariants(session)
    }
  }).timeout(60_000)

  it('is the same through a store, with the log cut after each event of a bracket', async () => {
    const { session: whole } = await conversation()
    const events = [...whole.from()]
    const cuts = events.flatMap(({ type, seq }) =>
      type.startsWith('compaction/') || type === 'user/message' ? [seq + 1] : [],
    )
    for (const cut of cuts) {
      const store = new SessionStore({
        root: '/nowhere',
        cwd: '/home/dev/demo',
        persistence: new PersistenceCoordinator(new MemoryBackend()),
      })
      const made = await store.create({ id: 's' })
      for (const { type, data, surfaceOp, sourceEventSeqs } of events.slice(0, cut)) {
        made.session.append(type, data as never, {
          ...(surfaceOp === undefined ? {} : { surfaceOp }),
          ...(sourceEventSeqs === undefined ? {} : { sourceEventSeqs }),
        })
      }
      await made.flush()
      const view = deriveMessages(made.session)
      await made.dispose()
      const { session } = await store.open('s')
      assert.deepEqual(deriveMessages(session).slice(0, view.length), view)
      assert.equal(session.state(compactions).open, null)
      await store.dispose()
    }
  })

  it('is forked with what the model saw at that turn', async () => {
    const { session: whole } = await conversation()
    const store = new SessionStore({
      root: '/nowhere',
      cwd: '/home/dev/demo',
      persistence: new PersistenceCoordinator(new MemoryBackend()),
    })
    const made = await store.create({ id: 'p' })
    for (const { type, data, surfaceOp, sourceEventSeqs } of whole.from()) {
      made.session.append(type, data as never, {
        ...(surfaceOp === undefined ? {} : { surfaceOp }),
        ...(sourceEventSeqs === undefined ? {} : { sourceEventSeqs }),
      })
    }
    await made.flush()
    const { turn: turns } = whole.state(turnBoundary)
    for (let turn = 1; turn <= turns; turn++) {
      const { session: child } = await store.fork('p', { turn })
      const length = child.header.seedLength ?? 0
      const then = new Session(
        whole.header,
        [...whole.from()].slice(0, length).map(event => structuredClone(event)),
      )
      assert.deepEqual(deriveMessages(child), deriveMessages(then))
      assert.equal(plans(child), 1)
      const each = equip(new Compacting([[{ text: tokens(2_000) }]], { session: child, contextWindow: 64_000 }), [])
      await each.say('Another way')
      assert.equal((await each.compact()).kind, 'success')
      assert.equal(plans(child), 1)
      assertInvariants(child)
    }
    await store.dispose()
  })
})
