import assert from 'node:assert/strict'
import { newUserMessage } from '../../../src/session/messages.ts'
import { gate, PlanningAgent, RefusingSession, reopened } from './fixture.ts'

/** Where the log stands when `set` is called; `waiting` is W. */
interface Standing {
  readonly planning: PlanningAgent
  finish(): Promise<void>
}

const idle = async () => {}

/** Idle before any turn; nothing waits. */
async function fresh(logged: boolean): Promise<Standing> {
  const planning = new PlanningAgent()
  if (logged) planning.controller.set(planning.agent, true)
  return { planning, finish: idle }
}

/** A turn is open, held inside its request; with `waiting`, the opposite was selected in it. */
async function open(logged: boolean, waiting: boolean): Promise<Standing> {
  const hold = gate()
  const planning = new PlanningAgent([[hold, { text: 'done' }]])
  if (logged) planning.controller.set(planning.agent, true)
  planning.agent.prompt(newUserMessage('go'))
  await planning.model.requested(1)
  if (waiting) planning.controller.set(planning.agent, !logged)
  const finish = async () => {
    hold.open()
    await planning.agent.whenIdle()
  }
  return { planning, finish }
}

/** The turn ended after its last boundary; the selection made in it still waits. */
async function afterTurn(logged: boolean, waiting: boolean): Promise<Standing> {
  const { planning, finish } = await open(logged, waiting)
  await finish()
  return { planning, finish: idle }
}

/** The process died in the open turn; another one opened the same log. */
async function afterCrash(logged: boolean, waiting: boolean): Promise<Standing> {
  const { planning } = await open(logged, waiting)
  await planning.agent.dispose()
  return { planning: new PlanningAgent([], { session: reopened(planning.session) }), finish: idle }
}

interface Expected {
  readonly outcome: string
  readonly appended: readonly unknown[]
  readonly pending: boolean
}

async function check({ planning, finish }: Standing, target: boolean, logged: boolean, expected: Expected) {
  const { agent, controller, session } = planning
  const before = session.length
  assert.equal(controller.set(agent, target), expected.outcome)
  assert.deepEqual(
    [...session.from(before)].map(({ type, data }) => [type, data]),
    expected.appended,
  )
  const active = expected.outcome === 'committed' ? target : logged
  assert.deepEqual(controller.view(agent), { active, pending: expected.pending })
  assert.deepEqual(controller.get(agent), expected.pending ? { active, pending: !active } : { active })
  const after = session.length
  assert.equal(controller.set(agent, target), 'noop', 'the same selection again does nothing')
  assert.equal(session.length, after)
  await finish()
}

const places = { 'in an open turn': open, "after a turn's end": afterTurn, 'after a crash': afterCrash }

describe('PlanModeController.set', () => {
  for (const logged of [false, true]) {
    const name = `logged ${logged ? 'on' : 'off'}`
    const wish = (active: boolean) => [['plan/selected', { active, by: 'user' }]]

    it(`${name}, nothing waits, same: noop`, async () => {
      await check(await fresh(logged), logged, logged, { outcome: 'noop', appended: [], pending: false })
      for (const place of Object.values(places)) {
        await check(await place(logged, false), logged, logged, { outcome: 'noop', appended: [], pending: false })
      }
    })

    it(`${name}, nothing waits, other, no open turn: committed`, async () => {
      const expected = { outcome: 'committed', appended: [['plan/mode', { active: !logged }]], pending: false }
      for (const place of [fresh, afterTurn, afterCrash]) {
        await check(await place(logged, false), !logged, logged, expected)
      }
    })

    it(`${name}, nothing waits, other, open turn: queued`, async () => {
      const expected = { outcome: 'queued', appended: wish(!logged), pending: true }
      await check(await open(logged, false), !logged, logged, expected)
    })

    for (const [where, place] of Object.entries(places)) {
      it(`${name}, the other waits ${where}, the other: noop`, async () => {
        await check(await place(logged, true), !logged, logged, { outcome: 'noop', appended: [], pending: true })
      })

      it(`${name}, the other waits ${where}, back: cancelled, and no plan/mode at the next boundary`, async () => {
        const standing = await place(logged, true)
        const { planning } = standing
        await check(standing, logged, logged, { outcome: 'cancelled', appended: wish(logged), pending: false })
        const before = planning.session.length
        await planning.say('next')
        assert.deepEqual(planning.events('plan/mode', before), [])
        assert.deepEqual(planning.notices(), [])
      })

      it(`${name}, the other waits ${where}: the next boundary commits it, once`, async () => {
        const { planning, finish } = await place(logged, true)
        await finish()
        const before = planning.session.length
        await planning.say('next')
        await planning.say('and again')
        const modes = planning.events('plan/mode', before)
        assert.deepEqual(
          modes.map(event => event.data),
          [{ active: !logged }],
        )
        const types = planning.types(before)
        assert.ok(types.indexOf('plan/mode') < types.indexOf('step/start'), 'before the step begins')
        assert.ok(types.indexOf('agent/inbox/spliced') < types.indexOf('plan/mode'), 'after the input is claimed')
      })
    }
  }

  it('says so when a waiting selection survives many days', async () => {
    const { planning, finish } = await open(false, true)
    await finish()
    planning.runtime.clock.advance(30 * 24 * 3_600_000)
    const later = new PlanningAgent([], { session: reopened(planning.session) })
    assert.deepEqual(later.controller.get(later.agent), { active: false, pending: true })
    await later.say('hello again')
    assert.deepEqual(later.controller.get(later.agent), { active: true })
  })

  it('gives a pending of false when leaving waits', async () => {
    const { planning, finish } = await open(true, true)
    assert.equal(planning.controller.get(planning.agent).pending, false)
    await finish()
  })

  it('changes nothing when the log refuses the append', async () => {
    const { planning } = await fresh(false)
    planning.session.seal('Another window writes this conversation.')
    assert.throws(() => planning.controller.set(planning.agent, true), { code: 'READ_ONLY' })
    assert.deepEqual(planning.controller.get(planning.agent), { active: false })
  })
})

describe('The step boundary', () => {
  it('runs once per proposed step and not on a retry of the same step', async () => {
    const hold = gate()
    const busy = { throws: Object.assign(new Error('busy'), { statusCode: 429, isRetryable: true }) }
    const planning = new PlanningAgent([[hold, { call: 'none' }], busy, [{ text: 'done' }]])
    planning.agent.prompt(newUserMessage('go'))
    await planning.model.requested(1)
    planning.controller.set(planning.agent, true)
    hold.open()
    await planning.until(() => planning.events('llm/retry').length === 1)
    planning.controller.set(planning.agent, false)
    await planning.agent.whenIdle()
    assert.equal(planning.model.requests.length, 3)
    assert.deepEqual(planning.model.requests[1], planning.model.requests[2], 'the retry sends the frozen request')
    assert.deepEqual(
      planning.events('plan/mode').map(event => event.data),
      [{ active: true }],
    )
    assert.deepEqual(planning.controller.get(planning.agent), { active: true, pending: false })
  })

  it('fails the proposal and keeps the selection when the append is refused', async () => {
    const hold = gate()
    const session = new RefusingSession()
    const planning = new PlanningAgent([[hold, { call: 'none' }]], { session })
    planning.agent.prompt(newUserMessage('go'))
    await planning.model.requested(1)
    planning.controller.set(planning.agent, true)
    session.refused.add('plan/mode')
    hold.open()
    await planning.agent.whenIdle()
    session.refused.clear()
    assert.equal(planning.events('step/start').length, 1, 'the proposed step did not begin')
    const [end] = planning.events('turn/end')
    assert.equal(end?.data.reason.kind, 'error')
    assert.deepEqual(planning.controller.get(planning.agent), { active: false, pending: true })
    await planning.say('again')
    assert.deepEqual(planning.controller.get(planning.agent), { active: true })
  })

  it('commits before a refusal of the step, and the notice stays due', async () => {
    const planning = new PlanningAgent()
    await planning.say('first')
    planning.controller.set(planning.agent, true)
    let refuse = true
    planning.runtime.preStep.add(async (_, next) => (refuse ? { kind: 'refuse', reason: 'not now' } : next()))
    await planning.say('second')
    assert.deepEqual(planning.events('turn/end').at(-1)?.data.reason, { kind: 'blocked' })
    assert.deepEqual(planning.notices(), [])
    refuse = false
    await planning.say('third')
    assert.equal(planning.notices().length, 1)
  })

  it('commits a waiting selection even when the step is refused', async () => {
    const hold = gate()
    const planning = new PlanningAgent([[hold, { text: 'done' }]])
    planning.agent.prompt(newUserMessage('go'))
    await planning.model.requested(1)
    planning.controller.set(planning.agent, true)
    hold.open()
    await planning.agent.whenIdle()
    planning.runtime.preStep.add(async () => ({ kind: 'refuse', reason: 'not now' }))
    await planning.say('second')
    assert.deepEqual(planning.controller.get(planning.agent), { active: true })
    assert.deepEqual(planning.notices(), [])
  })
})
