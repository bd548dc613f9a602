import { openAgent } from '../../../src/agent/live/live-agent.ts'
import { ModelError } from '../../../src/agent/model.ts'
import { newUserMessage } from '../../../src/session/messages.ts'
import { assertGolden } from '../../support/golden.ts'
import { assertInvariants } from '../../support/invariants.ts'
import { assertRequestsFromLog } from '../../support/requests.ts'
import { testAgent } from '../../support/runtime.ts'
import { testTool } from '../../support/test-tool.ts'

type Scene = ReturnType<typeof testAgent>

function assertLog(name: string, { session, model }: Scene): void {
  assertInvariants(session)
  assertRequestsFromLog(session, model)
  assertGolden(name, session)
}

async function ask({ agent }: Scene, text: string): Promise<void> {
  agent.prompt(newUserMessage(text))
  await agent.whenIdle()
}

describe('the log of a whole conversation', () => {
  it('with tools side by side, alone, unknown and with bad arguments', async () => {
    const scene = testAgent([
      [
        { reasoning: 'Two files matter.' },
        { text: 'I read them first.' },
        { call: 'read', args: { path: 'src/cache.ts' } },
        { call: 'read', args: { path: 'src/index.ts' } },
        { call: 'write', args: { path: 'src/cache.ts' } },
        { call: 'erase' },
        { call: 'read', args: '{"path":' },
      ],
      [{ text: 'The cache is in place.' }],
    ])
    scene.runtime.prompt.register({ name: 'base', order: 0, render: () => 'You are a careful engineer.' })
    scene.runtime.tools.register(testTool('read', undefined, { parallel: true }))
    scene.runtime.tools.register(
      testTool('write', ({ path = '' }) => ({ kind: 'success', text: `wrote ${path}`, meta: { path } })),
    )
    await ask(scene, 'Add a cache')
    assertLog('agent-tools', scene)
  })

  it('with a steer in the middle of a turn and a queued prompt', async () => {
    const scene = testAgent([[{ call: 'read' }], [{ text: 'I keep it small.' }], [{ text: 'And documented.' }]])
    scene.runtime.tools.register(
      testTool('read', () => {
        scene.agent.steer(newUserMessage('Keep it small'))
        scene.agent.prompt(newUserMessage('Then document it'))
        return { kind: 'success', text: 'read' }
      }),
    )
    await ask(scene, 'Add a cache')
    assertLog('agent-steer', scene)
  })

  it('that is stopped in the middle of an answer and goes on after a reload', async () => {
    const scene = testAgent([[{ text: 'The first half' }, { text: 'never seen' }], [{ text: 'From the start, then.' }]])
    const stop = scene.session.observe(event => {
      if (event.type === 'assistant/chunk' && event.data.chunk.type === 'block-end') scene.agent.cancel()
    })
    await ask(scene, 'Explain the cache')
    stop[Symbol.dispose]()
    await scene.agent.dispose()
    await ask({ ...scene, agent: openAgent(scene.session, scene.runtime) }, 'Go on')
    assertLog('agent-stop', scene)
  })

  it('with a retry, a failure and a full answer', async () => {
    const scene = testAgent([
      {
        throws: new ModelError({
          message: 'The model is busy.',
          code: 'RATE_LIMIT',
          status: 429,
          providerRetryAfterMs: 1_000,
        }),
      },
      [{ text: 'Here it is.' }],
      { throws: new ModelError({ message: 'The key was refused.', code: 'AUTH', status: 401 }) },
      [{ text: 'A very long' }, { call: 'read' }, { finish: 'length' }],
    ])
    await ask(scene, 'One')
    await ask(scene, 'Two')
    await ask(scene, 'Three')
    assertLog('agent-failures', scene)
  })

  it('with a command, a tool that ends the turn, and a refused step', async () => {
    const scene = testAgent([[{ call: 'finish' }, { call: 'finish' }], [{ text: 'Good.' }]])
    const { agent, runtime } = scene
    runtime.tools.register(testTool('finish', () => ({ kind: 'success', text: 'enough', endsTurn: true })))
    runtime.commands.register({
      name: 'note',
      description: 'Adds a note.',
      run: async ({ args }) => {
        agent.inject(newUserMessage(args.trim()))
        return { kind: 'success', text: 'Noted.' }
      },
    })
    await runtime.commands.run(agent, 'note', ' be quick')
    await ask(scene, 'Finish it')
    runtime.preStep.add(async () => ({ kind: 'refuse', reason: 'closed' }))
    await ask(scene, 'One more')
    assertLog('agent-ends', scene)
  })
})
