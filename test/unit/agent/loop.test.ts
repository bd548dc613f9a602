import assert from 'node:assert/strict'
import type { Agent } from '../../../src/agent/agent.ts'
import { openAgent } from '../../../src/agent/live/live-agent.ts'
import { ModelError } from '../../../src/agent/model.ts'
import type { StepProposal } from '../../../src/agent/runtime.ts'
import { PlanModeError } from '../../../src/session/errors.ts'
import { newUserMessage } from '../../../src/session/messages.ts'
import { assertInvariants } from '../../support/invariants.ts'
import { endsOf, eventsOf, inputsOf, typesOf } from '../../support/reading.ts'
import { memorySession, testAgent, testRuntime } from '../../support/runtime.ts'
import { modelsOf, ScriptedModel } from '../../support/scripted-model.ts'
import { testTool } from '../../support/test-tool.ts'

async function ask(agent: Agent, text = 'go'): Promise<void> {
  agent.prompt(newUserMessage(text))
  await agent.whenIdle()
}

describe('agent loop', () => {
  it('logs a turn in the order of the format', async () => {
    const { agent, session, runtime } = testAgent([[{ call: 'peek', args: { path: 'x' } }], [{ text: 'finished' }]])
    runtime.tools.register(testTool('peek'))
    await ask(agent)
    assert.deepEqual(typesOf(session), [
      'agent/inbox/spliced',
      'turn/start',
      'agent/inbox/spliced',
      'step/start',
      'user/message',
      'session/title',
      'request/header',
      'request/context',
      'assistant/chunk',
      'assistant/message',
      'tool/call',
      'tool/result',
      'step/end',
      'step/start',
      'assistant/chunk',
      'assistant/message',
      'step/end',
      'turn/end',
    ])
    assert.deepEqual(endsOf(session), [{ kind: 'completed' }])
    assertInvariants(session)
  })

  it('claims the whole next-step list and then one prompt, in that order', async () => {
    const { agent, session } = testAgent()
    agent.inject(newUserMessage('context one'))
    agent.inject(newUserMessage('context two'))
    agent.prompt(newUserMessage('first'))
    agent.prompt(newUserMessage('second'))
    await agent.whenIdle()
    assert.deepEqual(inputsOf(session), ['context one', 'context two', 'first', 'second'])
    const deletions = eventsOf(session, 'agent/inbox/spliced').filter(({ data }) => data.removedCount !== undefined)
    assert.deepEqual(
      deletions.map(({ data }) => [data.target, data.removedCount, data.outcome]),
      [
        ['next-step', 2, undefined],
        ['next-turn', 1, undefined],
        ['next-turn', 1, undefined],
      ],
    )
    assert.equal(endsOf(session).length, 2)
    assertInvariants(session)
  })

  it('ends a turn without a step when its input is gone', async () => {
    const { agent, session, model } = testAgent()
    const message = newUserMessage('never mind')
    session.observe(event => {
      if (event.type === 'turn/start') agent.unqueue(message.id)
    })
    agent.prompt(message)
    await agent.whenIdle()
    assert.deepEqual(typesOf(session).slice(1), ['turn/start', 'agent/inbox/spliced', 'turn/end'])
    assert.deepEqual(endsOf(session), [{ kind: 'completed' }])
    assert.equal(model.requests.length, 0)
  })

  describe('the step boundary', () => {
    it('runs once per proposed step, in order of registration, before the model is chosen', async () => {
      const model = new ScriptedModel([
        [{ call: 'peek' }],
        { throws: new ModelError({ message: 'busy', code: 'SERVER' }) },
      ])
      const seen: string[] = []
      const models = modelsOf(model)
      const runtime = testRuntime(model, {
        models: {
          choose: session => {
            seen.push('choose')
            return models.choose(session)
          },
        },
      })
      runtime.tools.register(testTool('peek'))
      const proposals: StepProposal[] = []
      runtime.stepBoundary.add(proposal => {
        seen.push('one')
        proposals.push(proposal)
        return []
      })
      runtime.stepBoundary.add(() => {
        seen.push('two')
        return []
      })
      runtime.preStep.add((_, next) => {
        seen.push('pre-step')
        return next()
      })
      const agent = openAgent(memorySession(), runtime)
      await ask(agent)
      const round = ['one', 'two', 'choose', 'pre-step']
      assert.deepEqual(seen, [...round, ...round])
      assert.equal(model.requests.length, 3, 'the failed request was repeated without a boundary')
      assert.deepEqual(
        proposals.map(({ turn, step, claimed }) => [turn, step, claimed.length]),
        [
          [1, 1, 1],
          [1, 2, 0],
        ],
      )
    })

    it('runs after the claim and puts what it adds last into the step', async () => {
      const { agent, session, runtime } = testAgent()
      runtime.stepBoundary.add(() => {
        session.append('plan/mode', { active: true })
        return [newUserMessage('notice', { kind: 'plugin', plugin: 'plan-mode' })]
      })
      runtime.preStep.add(async (_, next) => {
        const decision = await next()
        if (decision.kind === 'refuse') return decision
        return { kind: 'enter', messages: [...decision.messages, newUserMessage('more')] }
      })
      await ask(agent, 'hello')
      assert.deepEqual(inputsOf(session), ['hello', 'more', 'notice'])
      assert.deepEqual(typesOf(session).slice(1, 6), [
        'turn/start',
        'agent/inbox/spliced',
        'plan/mode',
        'step/start',
        'user/message',
      ])
    })

    it('fails the proposal with what it throws, UNKNOWN when that has no code', async () => {
      const { agent, session, runtime, model } = testAgent()
      const thrown = [new PlanModeError('READ_ONLY', 'no'), new Error('lost')]
      runtime.stepBoundary.add(() => {
        throw thrown.shift()
      })
      await ask(agent)
      await ask(agent)
      assert.deepEqual(endsOf(session), [
        { kind: 'error', error: { message: 'no', code: 'READ_ONLY' } },
        { kind: 'error', error: { message: 'lost', code: 'UNKNOWN' } },
      ])
      assert.equal(eventsOf(session, 'step/start').length, 0)
      assert.equal(model.requests.length, 0)
      assertInvariants(session)
    })
  })

  describe('pre-step listeners', () => {
    it('are an onion, the first outermost', async () => {
      const { agent, runtime } = testAgent()
      const seen: string[] = []
      for (const name of ['outer', 'inner']) {
        runtime.preStep.add(async (_, next) => {
          seen.push(`${name} in`)
          const decision = await next()
          seen.push(`${name} out`)
          return decision
        })
      }
      await ask(agent)
      assert.deepEqual(seen, ['outer in', 'inner in', 'inner out', 'outer out'])
    })

    it('end the turn blocked when they refuse: the claimed input is gone and the commit stands', async () => {
      const { agent, session, runtime, model } = testAgent()
      runtime.stepBoundary.add(() => {
        session.append('plan/mode', { active: true })
        return [newUserMessage('notice', { kind: 'plugin', plugin: 'plan-mode' })]
      })
      runtime.preStep.add(async () => ({ kind: 'refuse', reason: 'not now' }))
      await ask(agent)
      assert.deepEqual(typesOf(session), [
        'agent/inbox/spliced',
        'turn/start',
        'agent/inbox/spliced',
        'plan/mode',
        'turn/end',
      ])
      assert.deepEqual(endsOf(session), [{ kind: 'blocked' }])
      assert.equal(model.requests.length, 0)
    })

    it('end the turn with what they throw', async () => {
      const { agent, session, runtime } = testAgent()
      runtime.preStep.add(() => Promise.reject(new Error('broken hook')))
      await ask(agent)
      assert.deepEqual(endsOf(session), [{ kind: 'error', error: { message: 'broken hook', code: 'UNKNOWN' } }])
      assert.equal(eventsOf(session, 'step/start').length, 0)
    })
  })

  describe('the request header', () => {
    it('is initial, then logged only when it differs, and resume for the next agent', async () => {
      const { agent, session, runtime } = testAgent()
      let guidance: string | undefined
      runtime.prompt.register({ name: 'base', order: 0, render: () => 'Be brief.' })
      runtime.prompt.register({ name: 'plan', order: 50, render: () => guidance })
      await ask(agent)
      await ask(agent)
      guidance = 'Plan first.'
      await ask(agent)
      await agent.dispose()
      await ask(openAgent(session, runtime))
      const headers = eventsOf(session, 'request/header')
      assert.deepEqual(
        headers.map(({ data }) => [data.reason, data.header.system]),
        [
          ['initial', 'Be brief.'],
          ['change', 'Be brief.\n\nPlan first.'],
          ['resume', 'Be brief.\n\nPlan first.'],
        ],
      )
      assert.equal(eventsOf(session, 'request/context').length, 1)
      assertInvariants(session)
    })

    it('reads the committed state: a tool and a section come with the mode', async () => {
      const { agent, session, runtime, model } = testAgent()
      let active = false
      runtime.tools.register(testTool('exit', undefined, { order: 100, available: () => active }))
      runtime.tools.register(testTool('peek'))
      runtime.stepBoundary.add(() => {
        active = true
        return []
      })
      await ask(agent)
      assert.deepEqual(
        model.requests[0]?.tools?.map(tool => tool.name),
        ['peek', 'exit'],
      )
      const header = eventsOf(session, 'request/header')[0]?.data.header
      assert.deepEqual(header?.config, { provider: 'scripted', model: 'model-a' })
      assert.equal(header && 'system' in header, false)
      assert.deepEqual(header?.tools?.[0], {
        name: 'peek',
        description: 'The tool peek.',
        parameters: { type: 'object', properties: { path: { type: 'string' } } },
      })
    })

    it('logs the context again when the model changes', async () => {
      const model = new ScriptedModel()
      const routes = [{ maxTokens: 100 }, { model: 'model-b' }].map(route => modelsOf(model, route))
      const runtime = testRuntime(model, {
        models: { choose: session => (routes.shift() ?? modelsOf(model)).choose(session) },
      })
      const session = memorySession()
      const agent = openAgent(session, runtime)
      await ask(agent)
      await ask(agent)
      assert.deepEqual(
        eventsOf(session, 'request/context').map(({ data }) => data),
        [
          { provider: 'scripted', model: 'model-a', contextWindow: 64_000 },
          { provider: 'scripted', model: 'model-b', contextWindow: 64_000 },
        ],
      )
      assert.equal(model.requests[0]?.maxOutputTokens, 100)
      assert.deepEqual(
        eventsOf(session, 'request/header').map(({ data }) => data.reason),
        ['initial', 'change'],
      )
    })
  })

  describe('checkpoints', () => {
    it('flush before each request, before a tool that acts, between steps and after the turn', async () => {
      const { agent, session, runtime } = testAgent([
        [{ call: 'look' }, { call: 'act' }, { call: 'look' }],
        [{ text: 'finished' }],
      ])
      runtime.tools.register(testTool('look', undefined, { parallel: true }))
      runtime.tools.register(testTool('act'))
      await ask(agent)
      const before = runtime.flushes.map(length => session.at(length - 1).type)
      assert.deepEqual(before, ['request/context', 'tool/call', 'step/end', 'step/start', 'turn/end'])
    })

    it('end the turn with the storage error, before the request', async () => {
      const { agent, session, runtime, model } = testAgent()
      const failures = [new PlanModeError('FLUSH_FAILED', 'The disk is full.')]
      runtime.onFlush = () => {
        const failure = failures.shift()
        if (failure !== undefined) throw failure
      }
      await ask(agent)
      assert.deepEqual(endsOf(session), [
        { kind: 'error', error: { message: 'The disk is full.', code: 'FLUSH_FAILED' } },
      ])
      assert.deepEqual(inputsOf(session), ['go'])
      assert.equal(model.requests.length, 0)
      assertInvariants(session)
    })

    it('refuse a tool that acts, with a result for every call', async () => {
      const { agent, session, runtime } = testAgent([[{ call: 'act' }, { call: 'act' }]])
      let ran = 0
      runtime.tools.register(
        testTool('act', () => {
          ran++
          return { kind: 'success', text: 'acted' }
        }),
      )
      runtime.onFlush = () => {
        if (session.at(session.length - 1).type === 'tool/call') throw new Error('no space')
      }
      await ask(agent)
      assert.equal(ran, 0)
      assert.equal(eventsOf(session, 'tool/result').length, 2)
      assert.deepEqual(endsOf(session), [{ kind: 'error', error: { message: 'no space', code: 'UNKNOWN' } }])
      assertInvariants(session)
    })
  })

  it('keeps the words of the user when no model can be chosen', async () => {
    const model = new ScriptedModel()
    const failure = { message: 'Set planMode.model.id.', code: 'NO_ADAPTER' }
    const runtime = testRuntime(model, { models: { choose: () => Promise.reject(new ModelError(failure)) } })
    const session = memorySession()
    await ask(openAgent(session, runtime), 'hello')
    assert.deepEqual(inputsOf(session), ['hello'])
    assert.deepEqual(endsOf(session), [{ kind: 'error', error: failure }])
    assert.equal(eventsOf(session, 'request/header').length, 0)
    assertInvariants(session)
  })

  it('keeps the words of the user when the system text cannot be made', async () => {
    const { agent, runtime, session } = testAgent()
    const guidance = runtime.prompt.register({
      name: 'broken',
      order: 1,
      render() {
        throw new PlanModeError('BAD_POLICY', 'The setting was refused.')
      },
    })
    await ask(agent, 'hello')
    assert.deepEqual(inputsOf(session), ['hello'])
    assert.deepEqual(endsOf(session), [
      { kind: 'error', error: { message: 'The setting was refused.', code: 'BAD_POLICY' } },
    ])
    assert.equal(eventsOf(session, 'request/header').length, 0)
    guidance[Symbol.dispose]()
    await ask(agent, 'again')
    assert.equal(eventsOf(session, 'request/header').length, 1)
    assertInvariants(session)
  })

  describe('a log that refuses appends', () => {
    it('refuses a prompt where it is made', () => {
      const { agent, session } = testAgent()
      session.seal('Another window writes this conversation.')
      assert.throws(() => agent.prompt(newUserMessage('hi')), { code: 'READ_ONLY' })
      assert.equal(agent.status, 'idle')
    })

    it('ends a running turn here, tells the host once and goes idle', async () => {
      const { agent, session, runtime, model } = testAgent([[{ text: 'one' }], [{ text: 'two' }]])
      session.observe(event => {
        if (event.type === 'assistant/message') session.seal('Another window writes this conversation.')
      })
      agent.prompt(newUserMessage('first'))
      agent.prompt(newUserMessage('second'))
      await agent.whenIdle()
      assert.equal(agent.status, 'idle')
      assert.equal(model.requests.length, 1)
      assert.deepEqual(
        runtime.errors.map(error => error instanceof PlanModeError && error.code),
        ['READ_ONLY'],
      )
      agent.wake()
      await agent.whenIdle()
      assert.equal(runtime.errors.length, 1, 'a read-only session is not woken')
    })

    it('closes the turn that was left open once the log takes events again', async () => {
      const { agent, session, runtime } = testAgent([[{ text: 'one' }], [{ text: 'two' }]])
      const append = session.append.bind(session)
      let refuses = false
      session.append = (type, data, options) => {
        if (refuses) throw new PlanModeError('LOCK_LOST', 'The lock is lost.')
        refuses = type === 'assistant/message'
        return append(type, data, options)
      }
      await ask(agent, 'first')
      assert.equal(eventsOf(session, 'turn/end').length, 0)
      assert.equal(runtime.errors.length, 1)
      refuses = false
      session.append = append
      await ask(agent, 'second')
      assert.deepEqual(endsOf(session), [{ kind: 'interrupted' }, { kind: 'completed' }])
      assertInvariants(session)
    })
  })
})
