import assert from 'node:assert/strict'
import type { Agent } from '../../../src/agent/agent.ts'
import { untilAborted } from '../../../src/agent/loop/work.ts'
import { ModelError } from '../../../src/agent/model.ts'
import { newUserMessage } from '../../../src/session/messages.ts'
import type { Session } from '../../../src/session/session.ts'
import { assertInvariants } from '../../support/invariants.ts'
import { endsOf, eventsOf, inputsOf, resultsOf, typesOf } from '../../support/reading.ts'
import { type TestRuntime, testAgent } from '../../support/runtime.ts'
import { modelsOf, type Reply, ScriptedModel } from '../../support/scripted-model.ts'
import { gate, testTool } from '../../support/test-tool.ts'

interface Scene {
  readonly agent: Agent
  readonly session: Session
  readonly runtime: TestRuntime
  readonly model: ScriptedModel
}

/** Each brings a prompted agent to one phase of a turn and resolves there. */
const phases: Record<string, () => Promise<Scene>> = {
  'while the model is chosen': async () => {
    const scene = testAgent()
    const choosing = gate()
    const { choose } = modelsOf(scene.model)
    scene.runtime.models.choose = async session => {
      await choosing.wait()
      return choose(session)
    }
    scene.agent.prompt(newUserMessage('go'))
    await choosing.reached
    return scene
  },
  'in a pre-step listener': async () => {
    const scene = testAgent()
    const listening = gate()
    scene.runtime.preStep.add(async (_, next) => {
      await listening.wait()
      return next()
    })
    scene.agent.prompt(newUserMessage('go'))
    await listening.reached
    return scene
  },
  'in the checkpoint before the request': async () => {
    const scene = testAgent()
    const flushing = gate()
    let first = true
    scene.runtime.onFlush = () => {
      if (!first) return
      first = false
      return flushing.wait()
    }
    scene.agent.prompt(newUserMessage('go'))
    await flushing.reached
    return scene
  },
  'before the stream opens': async () => {
    const scene = testAgent()
    const opening = gate()
    scene.model.doStream = async () => {
      await opening.wait()
      throw new Error('never')
    }
    scene.agent.prompt(newUserMessage('go'))
    await opening.reached
    return scene
  },
  'before anything is streamed': () => streaming([{ gate: new Promise(() => {}) }], 0),
  'in the middle of the words': () =>
    streaming([{ reasoning: 'thinking' }, { text: 'partial answer' }, { gate: new Promise(() => {}) }], 1),
  'in the middle of a call': () =>
    streaming([{ part: { type: 'tool-input-start', id: 'a', toolName: 'act' } }, { gate: new Promise(() => {}) }], 1),
  'while a retry waits': async () => {
    const scene = testAgent([{ throws: new ModelError({ message: 'busy', code: 'SERVER' }) }])
    scene.runtime.clock.auto = false
    scene.agent.prompt(newUserMessage('go'))
    await scene.runtime.clock.slept()
    return scene
  },
  'in a tool that stops': async () => {
    const scene = testAgent([
      [
        { call: 'act', id: 'a' },
        { call: 'act', id: 'b' },
      ],
    ])
    const acting = gate()
    scene.runtime.tools.register(
      testTool('act', async (_, call) => {
        void acting.wait()
        return new Promise((_, reject) => call.signal.addEventListener('abort', () => reject(new Error('stopped'))))
      }),
    )
    scene.agent.prompt(newUserMessage('go'))
    await acting.reached
    return scene
  },
  'in parallel tools': async () => {
    const scene = testAgent([
      [
        { call: 'look', id: 'a' },
        { call: 'look', id: 'b' },
        { call: 'act', id: 'c' },
      ],
    ])
    const looking = gate()
    scene.runtime.tools.register(testTool('act'))
    scene.runtime.tools.register(
      testTool(
        'look',
        (_, call) => {
          void looking.wait()
          return new Promise((_, reject) => call.signal.addEventListener('abort', () => reject(new Error('stopped'))))
        },
        { parallel: true },
      ),
    )
    scene.agent.prompt(newUserMessage('go'))
    await looking.reached
    return scene
  },
  'in the checkpoint before a tool': async () => {
    const scene = testAgent([[{ call: 'act', id: 'a' }]])
    scene.runtime.tools.register(testTool('act', () => assert.fail('it must not run')))
    const flushing = gate()
    scene.runtime.onFlush = () =>
      scene.session.at(scene.session.length - 1).type === 'tool/call' ? flushing.wait() : undefined
    scene.agent.prompt(newUserMessage('go'))
    await flushing.reached
    return scene
  },
  'in the checkpoint between steps': async () => {
    const scene = testAgent([[{ call: 'look', id: 'a' }]])
    scene.runtime.tools.register(testTool('look', undefined, { parallel: true }))
    const flushing = gate()
    scene.runtime.onFlush = () =>
      scene.session.at(scene.session.length - 1).type === 'step/end' ? flushing.wait() : undefined
    scene.agent.prompt(newUserMessage('go'))
    await flushing.reached
    return scene
  },
}

async function streaming(reply: Reply, chunks: number): Promise<Scene> {
  const scene = testAgent([reply])
  scene.agent.prompt(newUserMessage('go'))
  await scene.model.requested(1)
  while (eventsOf(scene.session, 'assistant/chunk').length < chunks) await new Promise(setImmediate)
  if (chunks > 0) for (let turns = 0; turns < 20; turns++) await new Promise(setImmediate)
  return scene
}

describe('waiting until an abort', () => {
  const never = new Promise<never>(() => {})

  it('settles like the work, or rejects with the reason, also one given before', async () => {
    const stop = new AbortController()
    assert.equal(await untilAborted(stop.signal, Promise.resolve(1)), 1)
    await assert.rejects(untilAborted(stop.signal, Promise.reject(new Error('odd'))), { message: 'odd' })
    const waiting = untilAborted(stop.signal, never)
    stop.abort(new Error('enough'))
    await assert.rejects(waiting, { message: 'enough' })
    await assert.rejects(untilAborted(stop.signal, never), { message: 'enough' })
  })
})

describe('cancel', () => {
  for (const [phase, reach] of Object.entries(phases)) {
    it(`${phase} ends the turn aborted and balanced, and the next turn runs`, async () => {
      const { agent, session, runtime } = await reach()
      assert.equal(agent.status, 'running')
      agent.cancel()
      await agent.whenIdle()
      assert.deepEqual(endsOf(session), [{ kind: 'aborted', reason: { kind: 'user' } }])
      assertInvariants(session)
      runtime.preStep.clear()
      runtime.onFlush = undefined
      runtime.models.choose = modelsOf(new ScriptedModel()).choose
      agent.prompt(newUserMessage('again'))
      await agent.whenIdle()
      assert.equal(endsOf(session)[1]?.kind, 'completed')
      assert.deepEqual(runtime.errors, [])
      assertInvariants(session)
    })

    it(`${phase}: disposal writes nothing more and waits for what is in flight`, async () => {
      const { agent, session, runtime } = await reach()
      const length = session.length
      await agent.dispose()
      assert.equal(agent.status, 'disposed')
      for (let turns = 0; turns < 5; turns++) await new Promise(setImmediate)
      assert.equal(session.length, length)
      assert.deepEqual(runtime.errors, [])
      assertInvariants(session, { balanced: false })
    })
  }

  it('keeps the words that were seen, marked as interrupted', async () => {
    const { agent, session } = await (phases['in the middle of the words'] ?? assert.fail)()
    agent.cancel({ kind: 'hook', reason: 'enough' })
    await agent.whenIdle()
    const [message] = eventsOf(session, 'assistant/message')
    assert.equal(message?.data.interrupted, true)
    assert.deepEqual(message?.data.message.content, [
      { type: 'reasoning', text: 'thinking' },
      { type: 'text', text: 'partial answer' },
    ])
    assert.deepEqual(
      message?.sourceEventSeqs,
      eventsOf(session, 'assistant/chunk').map(event => event.seq),
    )
    assert.deepEqual(endsOf(session), [{ kind: 'aborted', reason: { kind: 'hook', reason: 'enough' } }])
  })

  it('leaves no message when nothing visible was streamed', async () => {
    for (const phase of ['before anything is streamed', 'in the middle of a call']) {
      const { agent, session } = await (phases[phase] ?? assert.fail)()
      agent.cancel()
      await agent.whenIdle()
      assert.equal(eventsOf(session, 'assistant/message').length, 0, phase)
    }
  })

  it('tells running calls and calls that never ran apart', async () => {
    const one = await (phases['in a tool that stops'] ?? assert.fail)()
    one.agent.cancel()
    await one.agent.whenIdle()
    assert.deepEqual(
      resultsOf(one.session).map(result => result.code),
      ['AbortError/ABORTED', 'AbortError/ABORTED_BEFORE_DISPATCH'],
    )
    const two = await (phases['in parallel tools'] ?? assert.fail)()
    two.agent.cancel()
    await two.agent.whenIdle()
    assert.deepEqual(
      resultsOf(two.session).map(result => [result.callId, result.code]),
      [
        ['a', 'AbortError/ABORTED'],
        ['b', 'AbortError/ABORTED'],
        ['c', 'AbortError/ABORTED_BEFORE_DISPATCH'],
      ],
    )
    const three = await (phases['in the checkpoint before a tool'] ?? assert.fail)()
    three.agent.cancel()
    await three.agent.whenIdle()
    assert.deepEqual(
      resultsOf(three.session).map(result => result.code),
      ['AbortError/ABORTED_BEFORE_DISPATCH'],
    )
  })

  it('keeps a success of a call that finished all the same', async () => {
    const { agent, session, runtime } = testAgent([[{ call: 'write', id: 'a' }]])
    const writing = gate()
    runtime.tools.register(
      testTool('write', async () => {
        await writing.wait()
        return { kind: 'success', text: 'written' }
      }),
    )
    runtime.clock.auto = false
    agent.prompt(newUserMessage('go'))
    await writing.reached
    agent.cancel()
    writing.open()
    await agent.whenIdle()
    assert.deepEqual(resultsOf(session), [{ callId: 'a', text: 'written', isError: false }])
    assert.deepEqual(endsOf(session), [{ kind: 'aborted', reason: { kind: 'user' } }])
  })

  it('gives up a call that does not stop within the grace', async () => {
    const { agent, session, runtime } = testAgent([[{ call: 'hang', id: 'a' }]])
    const hanging = gate()
    runtime.tools.register(testTool('hang', () => hanging.wait().then(() => ({ kind: 'success', text: 'late' }))))
    runtime.clock.auto = false
    agent.prompt(newUserMessage('go'))
    await hanging.reached
    agent.cancel()
    await runtime.clock.slept()
    assert.equal(agent.status, 'running')
    runtime.clock.advance(5_000)
    await agent.whenIdle()
    assert.deepEqual(
      resultsOf(session).map(result => result.code),
      ['AbortError/ABORTED'],
    )
    const { length } = session
    hanging.open()
    await new Promise(setImmediate)
    assert.equal(session.length, length)
  })

  it('starts nothing after it: no listener, no call', async () => {
    const choosing = await (phases['while the model is chosen'] ?? assert.fail)()
    choosing.runtime.preStep.add(() => assert.fail('it must not run'))
    choosing.agent.cancel()
    await choosing.agent.whenIdle()
    assert.equal(endsOf(choosing.session)[0]?.kind, 'aborted')
    const { agent, session, runtime } = testAgent([
      [
        { call: 'act', id: 'a' },
        { call: 'look', id: 'b' },
      ],
    ])
    runtime.tools.register(
      testTool('act', () => {
        agent.cancel()
        return { kind: 'success', text: 'acted' }
      }),
    )
    let looked = false
    runtime.tools.register(
      testTool(
        'look',
        () => {
          looked = true
          return { kind: 'success', text: 'looked' }
        },
        { parallel: true },
      ),
    )
    agent.prompt(newUserMessage('go'))
    await agent.whenIdle()
    assert.equal(looked, false)
    assert.deepEqual(
      resultsOf(session).map(result => result.code),
      [undefined, 'AbortError/ABORTED_BEFORE_DISPATCH'],
    )
  })

  it('from inside the step boundary ends the turn without a step', async () => {
    const { agent, session, runtime, model } = testAgent()
    runtime.stepBoundary.add(() => {
      agent.cancel()
      return []
    })
    agent.prompt(newUserMessage('go'))
    await agent.whenIdle()
    assert.deepEqual(endsOf(session), [{ kind: 'aborted', reason: { kind: 'user' } }])
    assert.equal(eventsOf(session, 'step/start').length, 0)
    assert.equal(model.requests.length, 0)
  })

  it('by disposal waits for every call that still winds down', async () => {
    const { agent, session, runtime } = testAgent([
      [
        { call: 'look', id: 'a' },
        { call: 'look', id: 'b' },
      ],
    ])
    runtime.clock.auto = false
    const slow = gate()
    let down = 0
    runtime.tools.register(
      testTool(
        'look',
        async (_, call) => {
          await (call.callId === 'a'
            ? new Promise(resolve => call.signal.addEventListener('abort', resolve))
            : slow.wait())
          down++
          return { kind: 'success', text: 'late' }
        },
        { parallel: true },
      ),
    )
    agent.prompt(newUserMessage('go'))
    await slow.reached
    const { length } = session
    const disposed = agent.dispose().then(() => down)
    for (let turns = 0; turns < 5; turns++) await new Promise(setImmediate)
    slow.open()
    assert.equal(await disposed, 2)
    assert.equal(session.length, length)
  })

  it('leaves pending input where it is, until a wake', async () => {
    const { agent, session } = await (phases['in the middle of the words'] ?? assert.fail)()
    agent.prompt(newUserMessage('queued'))
    agent.steer(newUserMessage('steered'))
    agent.cancel()
    await agent.whenIdle()
    assert.deepEqual(inputsOf(session), ['go'])
    assert.equal(endsOf(session).length, 1)
    agent.wake()
    await agent.whenIdle()
    assert.deepEqual(inputsOf(session), ['go', 'steered', 'queued'])
    assert.equal(endsOf(session).length, 2)
    assertInvariants(session)
  })

  it('lets input that comes after it open the next turn', async () => {
    const { agent, session } = await (phases['in the middle of the words'] ?? assert.fail)()
    agent.cancel()
    agent.prompt(newUserMessage('instead'))
    await agent.whenIdle()
    assert.deepEqual(inputsOf(session), ['go', 'instead'])
    assert.deepEqual(
      endsOf(session).map(end => end.kind),
      ['aborted', 'completed'],
    )
  })

  it('does nothing while idle, and stops a wake that has not begun', async () => {
    const { agent, session } = testAgent()
    agent.cancel()
    assert.equal(session.length, 0)
    agent.prompt(newUserMessage('go'))
    agent.cancel()
    await agent.whenIdle()
    assert.deepEqual(typesOf(session), ['agent/inbox/spliced'])
  })
})
