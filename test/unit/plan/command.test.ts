import assert from 'node:assert/strict'
import type { CommandCall } from '../../../src/agent/commands.ts'
import { newUserMessage } from '../../../src/session/messages.ts'
import { assertInvariants } from '../../support/invariants.ts'
import { gate, PlanningAgent, SECTION } from './fixture.ts'

const image: CommandCall['attachments'][number] = {
  type: 'image',
  attachment: { attachmentId: 'a', mediaType: 'image/png', bytes: 9, width: 3, height: 3 },
}

/** Types what a person types. */
async function type(planning: PlanningAgent, text: string, attachments?: CommandCall['attachments']) {
  const parsed = planning.runtime.commands.parse(text)
  assert.ok(parsed !== undefined)
  const outcome = await planning.runtime.commands.run(planning.agent, parsed.name, parsed.args, attachments)
  await planning.agent.whenIdle()
  assertInvariants(planning.session)
  return outcome
}

/** A turn is open, held inside its request. */
async function running(active = false) {
  const hold = gate()
  const planning = new PlanningAgent([[hold, { call: 'none' }]])
  if (active) planning.controller.set(planning.agent, true)
  planning.agent.prompt(newUserMessage('go'))
  await planning.model.requested(1)
  const run = (args: string) => planning.runtime.commands.run(planning.agent, 'plan', args)
  const finish = async () => {
    hold.open()
    await planning.agent.whenIdle()
    assertInvariants(planning.session)
  }
  return { planning, run, finish }
}

describe('/plan', () => {
  it('is offered with its form', () => {
    const [command] = new PlanningAgent().runtime.commands.list()
    assert.deepEqual([command?.name, command?.input, command?.images], ['plan', '[off|message]', true])
  })

  for (const text of ['/plan', '/plan ', '/plan \t\n']) {
    it(`${JSON.stringify(text)} turns plan mode on and starts nothing`, async () => {
      const planning = new PlanningAgent()
      const outcome = await type(planning, text)
      assert.deepEqual(outcome, { kind: 'success', text: 'Plan mode is on. /plan off leaves it.' })
      assert.deepEqual(planning.types(), ['command/run', 'plan/mode', 'command/done'])
      assert.deepEqual(planning.events('command/run')[0]?.data.args, text.slice('/plan'.length))
      assert.deepEqual(planning.controller.view(planning.agent), { active: true, pending: false })
      assert.equal(planning.model.requests.length, 0)
    })
  }

  it('records the command and its result under one id', async () => {
    const planning = new PlanningAgent()
    await type(planning, '/plan  Draft it ')
    const [run] = planning.events('command/run')
    const [done] = planning.events('command/done')
    assert.deepEqual(
      { ...run?.data, commandId: '' },
      { commandId: '', name: 'plan', args: '  Draft it ', source: { kind: 'user' } },
    )
    assert.match(run?.data.commandId ?? '', /^cmd-[0-9a-f]{8}-\d+$/)
    assert.deepEqual(done?.data, {
      commandId: run?.data.commandId,
      kind: 'success',
      text: 'Plan mode is on. /plan off leaves it.',
    })
  })

  it('with a message turns plan mode on and sends the trimmed message under its guidance', async () => {
    const planning = new PlanningAgent()
    await type(planning, '/plan   Add rate limits \n')
    const [message] = planning.events('user/message')
    assert.deepEqual(message?.data.content, [{ type: 'text', text: 'Add rate limits' }])
    assert.deepEqual(message?.data.source, { kind: 'user' })
    assert.equal(planning.events('request/header')[0]?.data.header.system, SECTION)
  })

  it('steers: the message goes into the next step of the running turn, after the commit', async () => {
    const { planning, run, finish } = await running()
    assert.deepEqual(await run(' Rather plan it'), {
      kind: 'success',
      text: 'Plan mode begins with the next step. /plan off takes that back.',
    })
    await finish()
    assert.equal(planning.events('turn/start').length, 1)
    const types = planning.types(planning.events('plan/mode')[0]?.seq)
    assert.deepEqual(types.slice(0, 4), ['plan/mode', 'step/start', 'user/message', 'user/message'])
    assert.match(JSON.stringify(planning.model.requests[1]?.prompt), /Rather plan it/)
    assert.deepEqual(planning.model.requests[1]?.prompt[0], { role: 'system', content: SECTION })
  })

  it('sends images first, then the text', async () => {
    const planning = new PlanningAgent()
    await type(planning, '/plan Like this', [image])
    assert.deepEqual(planning.events('user/message')[0]?.data.content, [image, { type: 'text', text: 'Like this' }])
  })

  it('sends images without text', async () => {
    const planning = new PlanningAgent()
    await type(planning, '/plan', [image])
    assert.deepEqual(planning.events('user/message')[0]?.data.content, [image])
    assert.deepEqual(planning.controller.get(planning.agent), { active: true })
  })

  it('sends images alone for a blank argument, more than one, in their order', async () => {
    const planning = new PlanningAgent()
    const other = { ...image, attachment: { ...image.attachment, attachmentId: 'b' } }
    await type(planning, '/plan \t\n', [image, other])
    assert.deepEqual(planning.events('user/message')[0]?.data.content, [image, other])
    assert.equal(planning.model.requests.length, 1)
  })

  it('trims the text behind the images', async () => {
    const planning = new PlanningAgent()
    await type(planning, '/plan \n Like this \t', [image])
    assert.deepEqual(planning.events('user/message')[0]?.data.content, [image, { type: 'text', text: 'Like this' }])
  })

  it('takes images with a word that is not exactly off for a message', async () => {
    const planning = new PlanningAgent()
    assert.equal((await type(planning, '/plan Off', [image])).kind, 'success')
    assert.deepEqual(planning.events('user/message')[0]?.data.content, [image, { type: 'text', text: 'Off' }])
    assert.deepEqual(planning.controller.get(planning.agent), { active: true })
  })

  it('steers images into the next step of the running turn, after the commit', async () => {
    const { planning, finish } = await running()
    await planning.runtime.commands.run(planning.agent, 'plan', '', [image])
    assert.deepEqual(planning.events('user/message').length, 1)
    await finish()
    assert.equal(planning.events('turn/start').length, 1)
    assert.deepEqual(planning.events('user/message')[1]?.data.content, [image])
    assert.ok((planning.events('plan/mode')[0]?.seq ?? 0) < (planning.events('user/message')[1]?.seq ?? 0))
  })

  for (const args of [' off', '  off\n', '\toff']) {
    it(`refuses images with ${JSON.stringify(args)} during a turn before any change: no pending exit, nothing steered`, async () => {
      const { planning, finish } = await running(true)
      const before = planning.types()
      const outcome = await planning.runtime.commands.run(planning.agent, 'plan', args, [image])
      assert.equal(outcome.kind, 'error')
      assert.deepEqual(planning.types().slice(before.length), ['command/run', 'command/done'])
      assert.deepEqual(planning.controller.view(planning.agent), { active: true, pending: false })
      await finish()
      assert.equal(planning.events('plan/mode').length, 1)
      assert.equal(planning.events('user/message').length, 1)
    })
  }

  it('keeps a waiting entry when images with off are refused', async () => {
    const { planning, run, finish } = await running()
    await run('')
    await planning.runtime.commands.run(planning.agent, 'plan', ' off', [image])
    assert.deepEqual(planning.controller.get(planning.agent), { active: false, pending: true })
    await finish()
    assert.deepEqual(planning.controller.get(planning.agent), { active: true })
  })

  for (const text of ['/plan off', '/plan  off\n', '/plan\toff']) {
    it(`${JSON.stringify(text)} leaves plan mode`, async () => {
      const planning = new PlanningAgent()
      planning.controller.set(planning.agent, true)
      assert.deepEqual(await type(planning, text), { kind: 'success', text: 'Plan mode is off.' })
      assert.deepEqual(planning.controller.view(planning.agent), { active: false, pending: false })
    })
  }

  for (const message of ['Off', 'off.', 'off please', 'OFF', 'turn off']) {
    it(`takes "${message}" as a message, not as off`, async () => {
      const planning = new PlanningAgent()
      await type(planning, `/plan ${message}`)
      assert.deepEqual(planning.controller.get(planning.agent), { active: true })
      assert.deepEqual(planning.events('user/message')[0]?.data.content, [{ type: 'text', text: message }])
    })
  }

  it('refuses images with off and changes nothing', async () => {
    const planning = new PlanningAgent()
    planning.controller.set(planning.agent, true)
    const outcome = await type(planning, '/plan off', [image])
    assert.equal(outcome.kind, 'error')
    assert.match(outcome.text ?? '', /Images cannot come with \/plan off/)
    assert.equal(planning.events('command/done')[0]?.data.kind, 'error')
    assert.deepEqual(planning.controller.view(planning.agent), { active: true, pending: false })
  })

  it('says what it did in each case', async () => {
    const planning = new PlanningAgent()
    const said = async (text: string) => (await type(planning, text)).text
    assert.equal(await said('/plan off'), 'Plan mode is off already.')
    assert.equal(await said('/plan'), 'Plan mode is on. /plan off leaves it.')
    assert.equal(await said('/plan'), 'Plan mode is on already. /plan off leaves it.')
    assert.equal(await said('/plan off'), 'Plan mode is off.')
  })

  it('says what it did during a turn, and off takes a waiting entry back before any request sees it', async () => {
    const { planning, run, finish } = await running()
    const said = async (args: string) => (await run(args)).text
    assert.equal(await said(''), 'Plan mode begins with the next step. /plan off takes that back.')
    assert.equal(await said(''), 'Plan mode begins with the next step already. /plan off takes that back.')
    assert.deepEqual(planning.controller.view(planning.agent), { active: false, pending: true })
    assert.equal(await said(' off'), 'Plan mode stays off.')
    assert.deepEqual(planning.controller.view(planning.agent), { active: false, pending: false })
    await finish()
    assert.deepEqual(planning.events('plan/mode'), [])
    assert.ok(planning.model.requests.every(request => !JSON.stringify(request).includes(SECTION)))
  })

  it('says what it did during a turn in plan mode', async () => {
    const { planning, run, finish } = await running(true)
    const said = async (args: string) => (await run(args)).text
    assert.equal(await said(' off'), 'Plan mode ends with the next step.')
    assert.equal(await said(' off'), 'Plan mode ends with the next step already.')
    assert.deepEqual(planning.controller.get(planning.agent), { active: true, pending: false })
    assert.equal(await said(''), 'Plan mode stays on.')
    await finish()
    assert.equal(planning.events('plan/mode').length, 1)
  })

  it('reports only after its records are durable', async () => {
    const planning = new PlanningAgent()
    const held = Promise.withResolvers<void>()
    planning.runtime.onFlush = () => held.promise
    let reported = false
    const run = planning.runtime.commands.run(planning.agent, 'plan', '').then(() => {
      reported = true
    })
    await planning.until(() => planning.runtime.flushes.length === 1 || planning.types().at(-1) === 'command/done')
    assert.deepEqual(planning.types(), ['command/run', 'plan/mode', 'command/done'])
    await new Promise(resolve => setImmediate(resolve))
    assert.equal(reported, false)
    held.resolve()
    await run
    assert.ok(reported)
    assert.deepEqual(planning.runtime.flushes, [3])
  })

  it('fails when its records cannot be saved, and the selection is in the log all the same', async () => {
    const planning = new PlanningAgent()
    planning.runtime.onFlush = () => Promise.reject(new Error('The disk is full.'))
    await assert.rejects(planning.runtime.commands.run(planning.agent, 'plan', ''), /The disk is full/)
    assert.deepEqual(planning.controller.get(planning.agent), { active: true })
  })

  it('is refused by a read-only session without a record', async () => {
    const planning = new PlanningAgent()
    planning.session.seal('Another window writes this conversation.')
    await assert.rejects(planning.runtime.commands.run(planning.agent, 'plan', ''), { code: 'READ_ONLY' })
    assert.equal(planning.session.length, 0)
  })

  it('cut by the end of the process is settled as an error on resume, and selects nothing', async () => {
    const planning = new PlanningAgent()
    planning.session.append('command/run', { commandId: 'cmd-1', name: 'plan', args: '', source: { kind: 'user' } })
    assert.deepEqual(planning.controller.view(planning.agent), { active: false, pending: true })
    const later = new PlanningAgent([], { session: planning.session })
    assert.equal(later.events('command/done')[0]?.data.kind, 'error')
    assert.deepEqual(later.controller.view(later.agent), { active: false, pending: false })
  })

  it("commits a wish that the ancestor's own records settled", async () => {
    const planning = new PlanningAgent()
    planning.session.append('command/run', { commandId: 'x', name: 'plan', args: ' do it', source: { kind: 'user' } })
    planning.session.append('command/done', { commandId: 'x', kind: 'success' })
    assert.deepEqual(planning.controller.get(planning.agent), { active: false, pending: true })
    assert.equal(planning.controller.set(planning.agent, true), 'noop')
    await planning.say('go')
    assert.deepEqual(
      planning.events('plan/mode').map(({ data }) => data),
      [{ active: true }],
    )
    assert.equal(planning.events('request/header')[0]?.data.header.system, SECTION)
  })
})

describe('A selection that waits', () => {
  it('outlives a command that found it waiting and one that is rejected', async () => {
    const hold = gate()
    const planning = new PlanningAgent([[hold, { text: 'done' }]])
    const { agent, controller, runtime } = planning
    agent.prompt(newUserMessage('go'))
    await planning.model.requested(1)
    controller.set(agent, true)
    await runtime.commands.run(agent, 'plan', '')
    const { kind } = await runtime.commands.run(agent, 'plan', ' off', [image])
    assert.equal(kind, 'error')
    assert.deepEqual(controller.get(agent), { active: false, pending: true })
    hold.open()
    await agent.whenIdle()
    await planning.say('next')
    assert.deepEqual(controller.get(agent), { active: true })
  })
})

describe('A selection made while a command runs', () => {
  for (const [text, later] of [
    ['', false],
    ['off', true],
  ] as const) {
    it(`is the last word over /plan ${text}`, async () => {
      const planning = new PlanningAgent()
      const { agent, controller } = planning
      const ran = planning.runtime.commands.run(agent, 'plan', text)
      controller.set(agent, later)
      await ran
      assert.deepEqual(controller.get(agent), { active: later })
      assert.deepEqual(controller.view(agent), { active: later, pending: false })
    })
  }
})

describe('Plan mode without commands', () => {
  it('has the service, the section and the boundary all the same', async () => {
    const planning = new PlanningAgent([], { commands: false })
    assert.equal(planning.controller.set(planning.agent, true), 'committed')
    await planning.say('go')
    assert.equal(planning.events('request/header')[0]?.data.header.system, SECTION)
    assert.ok(planning.model.requests[0]?.tools?.some(tool => tool.name === 'exit_plan_mode'))
  })
})
