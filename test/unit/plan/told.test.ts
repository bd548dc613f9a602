import assert from 'node:assert/strict'
import { planTold } from '../../../src/plan/told.ts'
import { noticeOff, noticeOn, PLUGIN } from '../../../src/plan/words.ts'
import type { EventData } from '../../../src/session/events.ts'
import { newUserMessage, textOf } from '../../../src/session/messages.ts'
import type { Session } from '../../../src/session/session.ts'
import { looseSession } from '../../support/runtime.ts'
import { eventsOf, gate, PlanningAgent, present, reopened } from './fixture.ts'

const at = { turn: 1, step: 1 }

function header(session: Session): void {
  session.append('request/header', { header: { config: { provider: 'p', model: 'm' } }, reason: 'initial' })
}

function call(session: Session, callId: string, name = 'exit_plan_mode'): void {
  session.append('tool/call', { ...at, callId, name, arguments: '{}' })
}

function result(session: Session, callId: string, isError: boolean, meta?: EventData<'tool/result'>['meta']): void {
  const content = [{ type: 'tool-result' as const, toolCallId: callId, content: [], isError }]
  const message = { id: crypto.randomUUID(), role: 'user' as const, content, source: { kind: 'tool' as const, callId } }
  session.append('tool/result', { ...at, message, ...(meta === undefined ? {} : { meta }) })
}

function told(session: Session): boolean | null {
  return session.state(planTold).told
}

/** A log whose model was told, by a header, that plan mode is on. */
function toldOn(): Session {
  const session = looseSession()
  session.append('plan/mode', { active: true })
  header(session)
  return session
}

describe('planTold: the fold', () => {
  it('is null until a header exists, whatever the mode', () => {
    const session = looseSession()
    session.append('plan/mode', { active: true })
    assert.equal(told(session), null)
    header(session)
    assert.equal(told(session), true)
  })

  it('is the mode at the last header, not the mode now', () => {
    const session = toldOn()
    session.append('plan/mode', { active: false })
    assert.equal(told(session), true)
    header(session)
    assert.equal(told(session), false)
  })

  for (const meta of [undefined, { approved: true }]) {
    it(`is inactive after a success of the exit tool with the meta ${JSON.stringify(meta)}`, () => {
      const session = toldOn()
      call(session, 'c')
      result(session, 'c', false, meta)
      assert.equal(told(session), false)
    })
  }

  it('is not changed by a dismissal, a failure, or another tool', () => {
    const session = toldOn()
    call(session, 'a')
    result(session, 'a', false, { approved: false })
    call(session, 'b')
    result(session, 'b', true)
    call(session, 'c', 'read_file')
    result(session, 'c', false, { approved: true })
    assert.equal(told(session), true)
  })

  it('is not changed by a replaced result, even while a call with its id is open', () => {
    const session = toldOn()
    call(session, 'a')
    result(session, 'a', false, { approved: true })
    header(session)
    call(session, 'a')
    const [old] = eventsOf(session, 'tool/result')
    assert.ok(old !== undefined)
    const surfaceOp = { op: 'replace' as const, start: old.seq, end: old.seq }
    session.append('tool/result', structuredClone(old.data), { surfaceOp, sourceEventSeqs: [old.seq] })
    assert.equal(told(session), true)
  })

  it('takes the target of our own notice, and of no other message', () => {
    const session = toldOn()
    session.append('plan/mode', { active: false })
    session.append('user/message', newUserMessage('x', { kind: 'plugin', plugin: 'other', form: 'notice' }))
    session.append('user/message', newUserMessage('x', { kind: 'plugin', plugin: PLUGIN, form: 'relay' }))
    session.append('user/message', newUserMessage(noticeOff))
    assert.equal(told(session), true)
    session.append('user/message', newUserMessage(noticeOff, { kind: 'plugin', plugin: PLUGIN, form: 'notice' }))
    assert.equal(told(session), false)
  })

  it('returns the same state for what is not its own', () => {
    const session = toldOn()
    const before = session.state(planTold)
    session.append('turn/start', { turn: 1 })
    session.append('plan/selected', { active: false, by: 'user' })
    call(session, 'c', 'read_file')
    session.append('turn/end', { turn: 1, reason: { kind: 'completed' } })
    assert.equal(session.state(planTold), before)
  })
})

describe('The notice', () => {
  it('is not sent before a first request', async () => {
    const planning = new PlanningAgent()
    planning.controller.set(planning.agent, true)
    await planning.say('go')
    assert.deepEqual(planning.notices(), [])
  })

  it('queues nothing while idle and goes last into the first admitted step', async () => {
    const planning = new PlanningAgent()
    await planning.say('one')
    const before = planning.session.length
    planning.controller.set(planning.agent, true)
    assert.deepEqual(planning.types(before), ['plan/mode'])
    assert.equal(planning.agent.status, 'idle')
    await planning.say('two')
    const messages = planning.events('user/message', before).map(({ data }) => textOf(data))
    assert.deepEqual(messages, ['two', noticeOn])
    assert.deepEqual(planning.events('user/message').at(-1)?.data.source, {
      kind: 'plugin',
      plugin: 'plan-mode',
      form: 'notice',
      summary: noticeOn,
    })
    await planning.say('three')
    assert.deepEqual(planning.notices(), [noticeOn])
  })

  it('is not sent when the mode is back where the model was told it is', async () => {
    const planning = new PlanningAgent()
    await planning.say('one')
    planning.controller.set(planning.agent, true)
    planning.controller.set(planning.agent, false)
    await planning.say('two')
    assert.deepEqual(planning.notices(), [])
  })

  it('goes into the next step of a running turn', async () => {
    const hold = gate()
    const planning = new PlanningAgent([[hold, { call: 'none' }]])
    planning.agent.prompt(newUserMessage('go'))
    await planning.model.requested(1)
    planning.controller.set(planning.agent, true)
    hold.open()
    await planning.agent.whenIdle()
    assert.deepEqual(planning.notices(), [noticeOn])
    assert.deepEqual(planning.model.requests[1]?.prompt.at(-1)?.content, [{ type: 'text', text: noticeOn }])
  })

  it('is sent once, also when the step that carried it found no model', async () => {
    const planning = new PlanningAgent()
    await planning.say('one')
    planning.controller.set(planning.agent, true)
    const { models } = planning.runtime
    Object.assign(planning.runtime, { models: { choose: () => Promise.reject(new Error('No model is set.')) } })
    await planning.say('two')
    assert.equal(planning.events('turn/end').at(-1)?.data.reason.kind, 'error')
    Object.assign(planning.runtime, { models })
    await planning.say('three')
    assert.deepEqual(planning.notices(), [noticeOn])
  })

  it('survives a restart between the commit and the next step', async () => {
    const planning = new PlanningAgent()
    await planning.say('one')
    planning.controller.set(planning.agent, true)
    await planning.agent.dispose()
    const later = new PlanningAgent([], { session: reopened(planning.session) })
    await later.say('two')
    assert.deepEqual(later.notices(), [noticeOn])
    assert.equal(later.events('request/header').at(-1)?.data.reason, 'resume')
  })

  it('tells of an approved exit whose result a crash took away', async () => {
    const planning = new PlanningAgent([[present()]])
    planning.controller.set(planning.agent, true)
    planning.agent.prompt(newUserMessage('go'))
    await planning.reviewed()
    const crash = planning.until(() => planning.events('plan/selected').length === 1)
    planning.runtime.onFlush = () => new Promise<void>(() => {})
    void planning.decide('approved')
    await crash
    assert.deepEqual(planning.events('tool/result'), [])
    const later = new PlanningAgent([], { session: reopened(planning.session) })
    assert.equal(later.events('tool/result')[0]?.data.error?.code, 'TOOL_OUTCOME_UNKNOWN')
    await later.say('go on')
    assert.deepEqual(later.controller.get(later.agent), { active: false })
    assert.deepEqual(later.notices(), [noticeOff])
  })

  it('is short enough for the summary of a message source', () => {
    assert.ok(noticeOn.length <= 120 && noticeOff.length <= 120)
  })
})
