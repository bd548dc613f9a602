import assert from 'node:assert/strict'
import { planText, planTitle } from '../../../src/plan/review.ts'
import { lateVerdict, noticeOff } from '../../../src/plan/words.ts'
import type { Verdict } from '../../../src/review/review-desk.ts'
import { newUserMessage, textOf } from '../../../src/session/messages.ts'
import { Session } from '../../../src/session/session.ts'
import { type Gate, gate, PLAN, PlanningAgent, planning, present, REVISED, reopened, settled } from '../plan/fixture.ts'

const title = 'Add rate limits'

/** What a person could do that leaves a review waiting without its call. */
const endings: Record<string, (each: PlanningAgent) => Promise<PlanningAgent>> = {
  'after a stop': async each => {
    each.agent.cancel()
    await each.agent.whenIdle()
    assert.deepEqual(
      each.exitResults().map(({ code }) => code),
      ['ABORTED'],
    )
    assert.deepEqual(
      each.events('turn/end').map(({ data }) => data.reason),
      [{ kind: 'aborted', reason: { kind: 'user' } }],
    )
    return each
  },
  'after a crash': async each => {
    const later = new PlanningAgent([], { session: reopened(each.session) })
    assert.deepEqual(
      later.exitResults().map(({ code }) => code),
      ['TOOL_OUTCOME_UNKNOWN'],
    )
    return later
  },
  'after the provider went away': async each => {
    each.provided?.[Symbol.dispose]()
    await each.agent.whenIdle()
    each.runtime.questions.provide(each.desk)
    return each
  },
}

function relays(each: PlanningAgent) {
  return each
    .events('user/message')
    .filter(({ data: { source } }) => source.kind === 'plugin' && source.form === 'relay')
}

describe('ReviewDesk: late verdicts', () => {
  for (const [when, end] of Object.entries(endings)) {
    for (const decision of ['approved', 'kept', 'dismissed'] as const) {
      it(`${decision} ${when}: the same events, then one message that starts a turn`, async () => {
        const before = planning([[present()]])
        await before.reviewed()
        const each = await end(before)
        const { reviewId, planHash } = each.waiting()
        assert.equal(each.desk.isLive(each.agent), false)
        assert.equal(planText(each.session, each.waiting()), PLAN)
        const [from, requests] = [each.session.length, each.model.requests.length]
        await each.decide(decision, decision === 'kept' ? 'Per user.' : undefined)
        await settled(each)

        const feedback = decision === 'kept' ? { feedback: 'Per user.' } : {}
        assert.deepEqual(
          each.events('review/decided').map(({ data }) => data),
          [{ reviewId, decision, planHash, ...feedback }],
        )
        const approved = decision === 'approved'
        const exit = approved ? [{ active: false, by: 'review' }] : []
        assert.deepEqual(
          each.events('plan/selected').map(({ data }) => data),
          exit,
        )
        const [relay, ...others] = relays(each)
        assert.deepEqual(others, [])
        assert.equal(relay && textOf(relay.data), lateVerdict(decision, title, feedback))
        assert.deepEqual(relay?.data.source, { kind: 'plugin', plugin: 'plan-mode', form: 'relay', reviewId })

        const types = each.types(from)
        const started = [
          ...(approved ? ['review/decided', 'plan/selected', 'plan/steps'] : ['review/decided']),
          'agent/inbox/spliced',
          'turn/start',
        ]
        assert.deepEqual(types.slice(0, started.length), started)
        assert.equal(each.model.requests.length, requests + 1)
        assert.deepEqual(each.controller.get(each.agent), { active: !approved })
        if (approved) assert.ok(types.indexOf('plan/mode') < types.indexOf('step/start'), 'at the first boundary')
        assert.deepEqual(each.notices(), approved ? [noticeOff] : [])
      })
    }
  }

  it('resolves only when the decision is durable', async () => {
    const each = planning([[present()]])
    await each.reviewed()
    each.agent.cancel()
    await each.agent.whenIdle()
    each.runtime.onFlush = () => Promise.reject(new Error('The disk is full.'))
    await assert.rejects(each.decide('approved'), /The disk is full/)
    each.runtime.onFlush = undefined
    await settled(each)
    assert.equal(each.events('review/decided').length, 1, 'the decision stands and is not asked again')
  })

  it('goes into the next step of a running turn', async () => {
    const hold = gate()
    const each = planning([[present()], [hold, { call: 'none' }], [{ text: 'ok' }]])
    await each.reviewed()
    each.agent.cancel()
    await each.agent.whenIdle()
    each.agent.prompt(newUserMessage('Meanwhile'))
    await each.model.requested(2)
    await each.decide('approved')
    hold.open()
    await settled(each)
    assert.equal(each.events('turn/start').length, 2)
    assert.equal(relays(each).length, 1)
    assert.deepEqual(each.controller.get(each.agent), { active: false })
  })
})

describe('ReviewDesk: while the call waits', () => {
  for (const decision of ['approved', 'kept', 'dismissed'] as const) {
    it(`${decision} answers the call and sends no message of its own`, async () => {
      const each = planning([[present()]])
      await each.reviewed()
      assert.ok(each.desk.isLive(each.agent))
      const { reviewId, planHash } = each.waiting()
      await each.decide(decision)
      assert.deepEqual(
        each.events('review/decided').map(({ data }) => data),
        [{ reviewId, decision, planHash }],
      )
      await settled(each)
      assert.equal(each.desk.isLive(each.agent), false)
      assert.deepEqual(relays(each), [])
    })
  }

  it('waits for a call that still saves its plan, and answers that call', async () => {
    const each = planning([[present()], [{ text: 'ok' }]])
    const disk: Gate = gate()
    each.runtime.onFlush = () => (each.types().at(-1) === 'review/presented' ? disk.gate : undefined)
    await each.until(() => each.events('review/presented').length === 1)
    const decided = each.decide('approved')
    assert.equal(each.desk.isLive(each.agent), false)
    disk.open()
    await decided
    await settled(each)
    assert.deepEqual(
      each.exitResults().map(({ failed }) => failed),
      [false],
    )
    assert.deepEqual(relays(each), [])
    assert.deepEqual(each.notices(), [])
  })

  it('waits so also when an earlier call lost its provider', async () => {
    const each = planning([[present()], [present(REVISED)]])
    await each.reviewed()
    const saved = Promise.withResolvers<void>()
    each.provided?.[Symbol.dispose]()
    each.runtime.questions.provide(each.desk)
    each.runtime.onFlush = () => (each.events('review/presented').length === 2 ? saved.promise : undefined)
    await each.until(() => each.events('review/presented').length === 2)
    const decided = each.decide('approved')
    await new Promise(setImmediate)
    saved.resolve()
    await decided
    await settled(each)
    assert.deepEqual(
      each.exitResults().map(({ code, failed }) => [code, failed]),
      [
        ['NO_PROVIDER', true],
        [undefined, false],
      ],
    )
  })

  it('becomes a late verdict when the call fails before it asks', async () => {
    const each = planning([[present()], [{ text: 'ok' }]])
    const disk = Promise.withResolvers<void>()
    let broken = false
    each.runtime.onFlush = () => {
      if (broken || each.types().at(-1) !== 'review/presented') return
      broken = true
      return disk.promise
    }
    await each.until(() => each.events('review/presented').length === 1)
    const decided = each.decide('approved')
    disk.reject(new Error('The disk is full.'))
    await decided
    await settled(each)
    assert.deepEqual(
      each.exitResults().map(({ failed }) => failed),
      [true],
    )
    assert.equal(relays(each).length, 1)
    assert.deepEqual(each.controller.get(each.agent), { active: false })
  })

  it('a verdict that a stop overtakes is logged late', async () => {
    const each = planning([[present()]])
    await each.reviewed()
    const decided = each.decide('approved')
    each.agent.cancel()
    await decided
    await settled(each)
    assert.deepEqual(
      each.events('review/decided').map(({ data }) => data.decision),
      ['approved'],
    )
    assert.deepEqual(
      each.exitResults().map(({ code }) => code),
      ['ABORTED'],
    )
    assert.equal(relays(each).length, 1)
    assert.deepEqual(each.controller.get(each.agent), { active: false })
  })

  it('a verdict that a withdrawal overtakes is refused', async () => {
    const each = planning([[present()], [{ text: 'ok' }]])
    await each.reviewed()
    const decided = each.decide('kept', 'more')
    each.controller.set(each.agent, false)
    await assert.rejects(decided, { code: 'REVIEW_NOT_WAITING' })
    await settled(each)
    assert.deepEqual(
      each.events('review/decided').map(({ data }) => data.decision),
      ['withdrawn'],
    )
  })

  it('a verdict in a closed conversation is refused and nothing is logged', async () => {
    const each = planning([[present()]])
    const { reviewId, planHash } = await each.reviewed()
    await each.agent.dispose()
    const before = each.session.length
    await assert.rejects(each.desk.decide(each.agent, { reviewId, planHash, decision: 'approved' }), {
      code: 'AGENT_DISPOSED',
    })
    assert.equal(each.session.length, before)
  })
})

describe('ReviewDesk: verdicts it refuses', () => {
  async function refused(each: PlanningAgent, wrong: Partial<Verdict>, code: string): Promise<void> {
    const { reviewId, planHash } = each.waiting()
    const before = each.session.length
    await assert.rejects(each.desk.decide(each.agent, { reviewId, planHash, decision: 'approved', ...wrong }), { code })
    assert.equal(each.session.length, before)
    assert.deepEqual(each.controller.get(each.agent), { active: true })
  }

  for (const live of [true, false]) {
    it(`a wrong hash and a wrong review, ${live ? 'while the call waits' : 'late'}`, async () => {
      const each = planning([[present()]])
      await each.reviewed()
      if (!live) each.agent.cancel()
      if (!live) await each.agent.whenIdle()
      await refused(each, { planHash: '0'.repeat(64) }, 'PLAN_CHANGED')
      await refused(each, { planHash: each.waiting().planHash.toUpperCase() }, 'PLAN_CHANGED')
      await refused(each, { reviewId: 'another' }, 'REVIEW_NOT_WAITING')
      await each.decide('kept')
      await settled(each)
    })
  }

  it('an approval of an earlier revision, even by its right hash', async () => {
    const each = planning([[present()], [present(REVISED)]])
    const { reviewId, planHash } = await each.reviewed()
    await each.decide('kept')
    await each.reviewed()
    await refused(each, { reviewId, planHash }, 'REVIEW_NOT_WAITING')
    await refused(each, { planHash }, 'PLAN_CHANGED')
    await each.decide('kept')
    await settled(each)
  })

  it('an approval of a plan whose text in the log was changed while it waited', async () => {
    const each = planning([[present()]])
    await each.reviewed()
    const edited = [...reopened(each.session).from()].map(event =>
      event.type === 'tool/call'
        ? { ...event, data: { ...event.data, arguments: JSON.stringify({ plan: REVISED }) } }
        : event,
    )
    const later = new PlanningAgent([], { session: new Session(each.session.header, edited) })
    const before = later.session.length
    await assert.rejects(later.decide('approved'), { code: 'PLAN_CHANGED' })
    assert.equal(later.session.length, before)
    await later.decide('kept', 'Present it again')
    assert.deepEqual(
      later.events('review/decided').map(({ data }) => data.decision),
      ['kept'],
    )
  })

  it('a second verdict, at once and afterwards', async () => {
    const each = planning([[present()]])
    const { reviewId, planHash } = await each.reviewed()
    const first = each.decide('kept', 'one')
    const second = each.decide('approved')
    await first
    await assert.rejects(second, { code: 'REVIEW_NOT_WAITING' })
    await settled(each)
    await assert.rejects(each.desk.decide(each.agent, { reviewId, planHash, decision: 'approved' }), {
      code: 'REVIEW_NOT_WAITING',
    })
    assert.deepEqual(
      each.events('review/decided').map(({ data }) => [data.decision, data.feedback]),
      [['kept', 'one']],
    )
  })

  it('a second verdict of the same kind, so that no feedback is lost unseen', async () => {
    const each = planning([[present()]])
    await each.reviewed()
    const first = each.decide('kept', 'one')
    await assert.rejects(each.decide('kept', 'two'), { code: 'REVIEW_NOT_WAITING' })
    await first
    await settled(each)
  })

  for (const live of [true, false]) {
    it(`no approval and no dismissal, but their feedback, ${live ? 'while the call waits' : 'late'}`, async () => {
      for (const decision of ['approved', 'dismissed'] as const) {
        const each = planning([[present()]])
        await each.reviewed()
        if (!live) each.agent.cancel()
        if (!live) await each.agent.whenIdle()
        await each.decide(decision, 'and more')
        await settled(each)
        const [decided] = each.events('review/decided')
        assert.deepEqual([decided?.data.decision, decided?.data.feedback], [decision, undefined])
      }
    })
  }

  it('a second late verdict', async () => {
    const each = planning([[present()]])
    const { reviewId, planHash } = await each.reviewed()
    each.agent.cancel()
    await each.agent.whenIdle()
    const first = each.desk.decide(each.agent, { reviewId, planHash, decision: 'dismissed' })
    await assert.rejects(each.desk.decide(each.agent, { reviewId, planHash, decision: 'approved' }), {
      code: 'REVIEW_NOT_WAITING',
    })
    await first
    await settled(each)
    assert.equal(relays(each).length, 1)
  })

  it('any verdict in a read-only session', async () => {
    const each = planning([[present()]])
    await each.reviewed()
    each.agent.cancel()
    await each.agent.whenIdle()
    each.session.seal('Another window writes this conversation.')
    await refused(each, {}, 'READ_ONLY')
  })
})

describe('planTitle and planText', () => {
  const titles: [string, string][] = [
    ['# One', 'One'],
    ['Intro\n\n### Deep ##\n', 'Deep'],
    ['   ## Indented', 'Indented'],
    ['#Not a heading', 'Plan'],
    ['', 'Plan'],
  ]
  for (const [plan, expected] of titles) {
    it(`calls ${JSON.stringify(plan)} "${expected}"`, () => assert.equal(planTitle(plan), expected))
  }

  for (const args of ['{"plan":', '{"plan":1}', '[]']) {
    it(`says that a call with the arguments ${args} holds no plan`, () => {
      const session = new Session(planning([]).session.header)
      const { seq } = session.append('tool/call', {
        turn: 1,
        step: 1,
        callId: 'c',
        name: 'exit_plan_mode',
        arguments: args,
      })
      const review = { reviewId: 'r', callId: 'c', planHash: 'h', callSeq: seq, textSeq: seq, revision: 1 }
      assert.throws(() => planText(session, review), { code: 'PLAN_UNREADABLE' })
    })
  }
})
