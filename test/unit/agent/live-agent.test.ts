import assert from 'node:assert/strict'
import { inboxOf } from '../../../src/agent/live/inbox.ts'
import { openAgent } from '../../../src/agent/live/live-agent.ts'
import { newHeader } from '../../../src/session/header.ts'
import { newUserMessage } from '../../../src/session/messages.ts'
import { Session } from '../../../src/session/session.ts'
import { assertInvariants } from '../../support/invariants.ts'
import { endsOf, eventsOf, inputsOf, typesOf } from '../../support/reading.ts'
import { looseSession, memorySession, testAgent, testRuntime } from '../../support/runtime.ts'
import { gate, testTool } from '../../support/test-tool.ts'

describe('an agent', () => {
  it('takes a steer into the next step of the running turn', async () => {
    const { agent, session, runtime } = testAgent([[{ call: 'peek' }], [{ text: 'after steer' }]])
    runtime.tools.register(
      testTool('peek', () => {
        agent.steer(newUserMessage('by the way'))
        agent.prompt(newUserMessage('later'))
        return { kind: 'success', text: 'peeked' }
      }),
    )
    agent.prompt(newUserMessage('first'))
    await agent.whenIdle()
    const places = typesOf(session).filter(type => ['turn/start', 'step/start', 'user/message'].includes(type))
    assert.deepEqual(places, [
      ...['turn/start', 'step/start', 'user/message'],
      ...['step/start', 'user/message'],
      ...['turn/start', 'step/start', 'user/message'],
    ])
    assert.deepEqual(inputsOf(session), ['first', 'by the way', 'later'])
    assertInvariants(session)
  })

  it('goes on with a step when a steer comes during the last one, and not for an injection', async () => {
    for (const act of ['steer', 'inject'] as const) {
      const { agent, session, model } = testAgent()
      session.observe(event => {
        if (event.type === 'assistant/message' && model.requests.length === 1) agent[act](newUserMessage('more'))
      })
      agent.prompt(newUserMessage('go'))
      await agent.whenIdle()
      assert.equal(eventsOf(session, 'step/start').length, act === 'steer' ? 2 : 1, act)
      assert.equal(endsOf(session).length, 1)
      assert.equal(inboxOf(session).nextStep.length, act === 'steer' ? 0 : 1)
    }
  })

  it('goes on with no step when the steer that asked for it is taken back', async () => {
    const { agent, session, runtime, model } = testAgent([[{ text: 'first' }]])
    const steer = newUserMessage('one more thing')
    let flushes = 0
    runtime.onFlush = () => {
      if (++flushes === 1) agent.steer(steer)
      else agent.unqueue(steer.id)
    }
    agent.prompt(newUserMessage('go'))
    await agent.whenIdle()
    assert.equal(model.requests.length, 1, 'a request would end with the answer')
    assert.equal(eventsOf(session, 'step/start').length, 1)
    assert.deepEqual(endsOf(session), [{ kind: 'completed' }])
    assertInvariants(session)
  })

  it('does not give injected input a step because a prompt is queued', async () => {
    const { agent, session, model } = testAgent()
    session.observe(event => {
      if (event.type !== 'assistant/message' || model.requests.length > 1) return
      agent.inject(newUserMessage('context'))
      agent.prompt(newUserMessage('next'))
    })
    agent.prompt(newUserMessage('go'))
    await agent.whenIdle()
    assert.deepEqual(
      eventsOf(session, 'step/start').map(({ data }) => [data.turn, data.step]),
      [
        [1, 1],
        [2, 1],
      ],
    )
    assert.deepEqual(inputsOf(session), ['go', 'context', 'next'])
  })

  it('wakes for a steer while idle', async () => {
    const { agent, session } = testAgent()
    agent.inject(newUserMessage('context'))
    assert.equal(agent.status, 'idle')
    agent.steer(newUserMessage('now'))
    await agent.whenIdle()
    assert.deepEqual(inputsOf(session), ['context', 'now'])
    assert.deepEqual(endsOf(session), [{ kind: 'completed' }])
  })

  it('discards a pending message by its id', async () => {
    const { agent, session } = testAgent()
    const [one, two] = [newUserMessage('one'), newUserMessage('two')]
    agent.inject(one)
    agent.inject(two)
    assert.equal(agent.unqueue(one.id), true)
    assert.equal(agent.unqueue(one.id), false)
    assert.deepEqual(
      inboxOf(session).nextStep.map(message => message.id),
      [two.id],
    )
    assert.deepEqual(eventsOf(session, 'agent/inbox/spliced').at(-1)?.data, {
      target: 'next-step',
      start: 0,
      removedCount: 1,
      inserted: [],
      outcome: 'canceled',
    })
  })

  it('tells every change of its status, whatever a listener does', async () => {
    const { agent, runtime } = testAgent()
    const seen: string[] = []
    agent.onStatus(() => {
      throw new Error('a broken surface')
    })
    const registration = agent.onStatus(() => seen.push(agent.status))
    agent.prompt(newUserMessage('go'))
    assert.equal(agent.status, 'running')
    await agent.whenIdle()
    assert.deepEqual(seen, ['running', 'idle'])
    registration[Symbol.dispose]()
    await agent.dispose()
    assert.deepEqual(seen, ['running', 'idle'])
    assert.equal(runtime.errors.length, 3)
  })

  it('is running until the checkpoint after the turn, which comes before the next claim', async () => {
    const { agent, session, runtime } = testAgent()
    const flushing = gate()
    runtime.onFlush = () => (session.at(session.length - 1).type === 'turn/end' ? flushing.wait() : undefined)
    agent.prompt(newUserMessage('one'))
    await flushing.reached
    assert.equal(agent.status, 'running')
    agent.prompt(newUserMessage('two'))
    await new Promise(setImmediate)
    assert.deepEqual(inputsOf(session), ['one'])
    runtime.onFlush = undefined
    flushing.open()
    await agent.whenIdle()
    assert.deepEqual(inputsOf(session), ['one', 'two'])
  })

  it('stops when the checkpoint after a turn fails, and keeps pending input for the next wake', async () => {
    const { agent, session, runtime } = testAgent()
    const failure = new Error('no space')
    runtime.onFlush = () => {
      if (session.at(session.length - 1).type === 'turn/end') throw failure
    }
    agent.prompt(newUserMessage('one'))
    agent.prompt(newUserMessage('two'))
    await agent.whenIdle()
    assert.deepEqual(runtime.errors, [failure])
    assert.equal(inboxOf(session).nextTurn.length, 1)
    runtime.onFlush = undefined
    agent.wake()
    await agent.whenIdle()
    assert.deepEqual(inputsOf(session), ['one', 'two'])
  })

  it('has nothing to wake for while nothing is pending', () => {
    const { agent, session } = testAgent()
    agent.wake()
    assert.equal(agent.status, 'idle')
    assert.equal(session.length, 0)
  })

  it('refuses input after disposal, which may be repeated', async () => {
    const { agent, session } = testAgent()
    await Promise.all([agent.dispose(), agent.dispose()])
    for (const act of [() => agent.prompt(newUserMessage('hi')), () => agent.wake(), () => agent.unqueue('x')]) {
      assert.throws(act, { code: 'AGENT_DISPOSED' })
    }
    agent.cancel()
    await agent.whenIdle()
    assert.equal(session.length, 0)
  })

  it('stays disposed when an observer of its input disposes it', async () => {
    const { agent, session } = testAgent()
    session.observe(() => void agent.dispose())
    agent.prompt(newUserMessage('go'))
    await agent.whenIdle()
    assert.equal(agent.status, 'disposed')
    assert.deepEqual(typesOf(session), ['agent/inbox/spliced'])
  })

  it('delivers pending input of an earlier life with the next wake, and not that of a parent', async () => {
    const first = testAgent()
    first.agent.inject(newUserMessage('kept'))
    await first.agent.dispose()
    const events = [...first.session.from(0)]
    const resumed = new Session(
      newHeader({}, () => 0),
      [...events],
    )
    const agent = openAgent(resumed, testRuntime())
    agent.wake()
    await agent.whenIdle()
    assert.deepEqual(inputsOf(resumed), ['kept'])
    const fork = new Session(
      newHeader({ seedLength: events.length }, () => 0),
      [...events],
    )
    assert.deepEqual(inboxOf(fork), { nextTurn: [], nextStep: [] })
  })

  it('refuses a log whose pending input does not fit', () => {
    const session = looseSession()
    session.append('agent/inbox/spliced', { target: 'next-turn', start: 0, removedCount: 1, inserted: [] })
    assert.throws(() => openAgent(session, testRuntime()), { code: 'BAD_INBOX' })
    const twice = looseSession()
    const message = newUserMessage('twice')
    twice.append('agent/inbox/spliced', { target: 'next-turn', start: 0, inserted: [message] })
    twice.append('agent/inbox/spliced', { target: 'next-step', start: 0, inserted: [message] })
    assert.throws(() => openAgent(twice, testRuntime()), { code: 'BAD_INBOX' })
  })

  it('settles commands that an earlier life left open', () => {
    const session = memorySession()
    session.append('command/run', { commandId: 'cmd-1', name: 'plan', args: '', source: { kind: 'user' } })
    session.append('command/done', { commandId: 'cmd-1', kind: 'success' })
    session.append('command/run', { commandId: 'cmd-2', name: 'plan', args: ' off', source: { kind: 'user' } })
    openAgent(session, testRuntime())
    assert.deepEqual(
      eventsOf(session, 'command/done').map(({ data }) => data),
      [
        { commandId: 'cmd-1', kind: 'success' },
        { commandId: 'cmd-2', kind: 'error', text: 'interrupted' },
      ],
    )
    openAgent(session, testRuntime())
    assert.equal(eventsOf(session, 'command/done').length, 2)
    assertInvariants(session)
  })

  it('opens a session that it may only read', () => {
    const session = memorySession()
    session.append('command/run', { commandId: 'cmd-1', name: 'plan', args: '', source: { kind: 'user' } })
    session.seal('Another window writes this conversation.')
    const runtime = testRuntime()
    assert.equal(openAgent(session, runtime).status, 'idle')
    assert.equal(session.length, 1)
    assert.deepEqual(runtime.errors, [])
  })

  it('runs a job that no turn crosses: input waits, a stop aborts it, a second one is refused', async () => {
    const { agent, session } = testAgent()
    const hold = gate()
    const job = agent.betweenTurns(async ({ signal }) => {
      await hold.wait()
      return signal.aborted
    })
    await hold.reached
    assert.equal(agent.status, 'running')
    agent.prompt(newUserMessage('meanwhile'))
    await assert.rejects(
      agent.betweenTurns(async () => {}),
      { code: 'AGENT_BUSY' },
    )
    assert.deepEqual(typesOf(session), ['agent/inbox/spliced'])
    agent.cancel()
    hold.open()
    assert.equal(await job, true)
    await agent.whenIdle()
    assert.deepEqual(endsOf(session), [], 'the stop counts for what waits, too')
    agent.wake()
    await agent.whenIdle()
    assert.deepEqual(endsOf(session), [{ kind: 'completed' }])
    await assert.rejects(
      agent.betweenTurns(() => Promise.reject(new Error('odd'))),
      /odd/,
    )
    assert.equal(agent.status, 'idle')
    session.seal('Elsewhere.')
    await assert.rejects(
      agent.betweenTurns(async () => {}),
      { code: 'READ_ONLY' },
    )
    await agent.dispose()
    await assert.rejects(
      agent.betweenTurns(async () => {}),
      { code: 'AGENT_DISPOSED' },
    )
  })

  it('survives a host whose error report fails', async () => {
    const { agent, session, runtime } = testAgent()
    runtime.onError = () => {
      throw new Error('no window')
    }
    const log = console.error
    const lines: unknown[] = []
    console.error = line => void lines.push(line)
    try {
      runtime.onFlush = () => Promise.reject(new Error('no space'))
      agent.prompt(newUserMessage('go'))
      await agent.whenIdle()
    } finally {
      console.error = log
    }
    assert.deepEqual(lines, ['no window'])
    assert.equal(agent.status, 'idle')
    assertInvariants(session)
  })
})
