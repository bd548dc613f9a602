import assert from 'node:assert/strict'
import type { Command, CommandCall } from '../../../src/agent/commands.ts'
import { newUserMessage } from '../../../src/session/messages.ts'
import { assertInvariants } from '../../support/invariants.ts'
import { eventsOf, typesOf } from '../../support/reading.ts'
import { testAgent } from '../../support/runtime.ts'

function command(name: string, run: Command['run'] = async () => ({ kind: 'success' })): Command {
  return { name, description: `Does ${name}.`, run }
}

describe('the command registry', () => {
  it('splits a command by its syntax', () => {
    const { commands } = testAgent().runtime
    assert.deepEqual(commands.parse('/plan off'), { name: 'plan', args: ' off' })
    assert.deepEqual(commands.parse('/plan'), { name: 'plan', args: '' })
    assert.deepEqual(commands.parse('/plan\n\tdo  it '), { name: 'plan', args: '\n\tdo  it ' })
    assert.deepEqual(commands.parse('/un-known_2'), { name: 'un-known_2', args: '' })
    for (const text of ['plan', ' /plan', '/', '/Plan', '/2x', '/usr/bin', '/plan!', '/plan\u00a0x', '']) {
      assert.equal(commands.parse(text), undefined, JSON.stringify(text))
    }
  })

  it('takes each name once, and only good ones', () => {
    const { commands } = testAgent().runtime
    const registration = commands.register(command('plan'))
    assert.throws(() => commands.register(command('plan')), { code: 'DUPLICATE_COMMAND' })
    for (const name of ['', 'Plan', '1x', 'a b', 'a/b', 'plan\n']) {
      assert.throws(() => commands.register(command(name)), { code: 'BAD_COMMAND_NAME' })
    }
    assert.deepEqual(
      commands.list().map(({ name }) => name),
      ['plan'],
    )
    registration[Symbol.dispose]()
    assert.deepEqual(commands.list(), [])
    const again = command('plan')
    commands.register(again)
    registration[Symbol.dispose]()
    assert.deepEqual(commands.list(), [again])
  })

  it('logs the run around the handler and reports when it is durable', async () => {
    const { agent, session, runtime } = testAgent()
    const calls: CommandCall[] = []
    runtime.commands.register(
      command('plan', async call => {
        calls.push(call)
        session.append('plan/mode', { active: true })
        return { kind: 'success', text: 'Plan mode is on.' }
      }),
    )
    const outcome = await runtime.commands.run(agent, 'plan', ' now')
    assert.deepEqual(outcome, { kind: 'success', text: 'Plan mode is on.' })
    assert.deepEqual(typesOf(session), ['command/run', 'plan/mode', 'command/done'])
    const [run] = eventsOf(session, 'command/run')
    assert.deepEqual(calls, [{ agent, commandId: run?.data.commandId, args: ' now', attachments: [] }])
    const [done] = eventsOf(session, 'command/done')
    assert.match(run?.data.commandId ?? '', /^cmd-[0-9a-f]{8}-1$/)
    assert.deepEqual(run?.data, {
      commandId: run?.data.commandId,
      name: 'plan',
      args: ' now',
      source: { kind: 'user' },
    })
    assert.deepEqual(done?.data, { commandId: run?.data.commandId, ...outcome })
    assert.deepEqual(runtime.flushes, [3])
    await runtime.commands.run(agent, 'plan', '')
    assert.match(eventsOf(session, 'command/run')[1]?.data.commandId ?? '', /-2$/)
    assertInvariants(session)
  })

  it('logs which event holds what came of it, unless that is a command record', async () => {
    const { agent, session, runtime } = testAgent()
    runtime.commands.register(
      command('plan', async ({ args }) => {
        const { seq } = session.append('plan/mode', { active: true })
        return { kind: 'success', sourceEventSeq: args === '' ? seq : seq - 1 }
      }),
    )
    await runtime.commands.run(agent, 'plan', '')
    await runtime.commands.run(agent, 'plan', ' wrong')
    const [right, wrong] = eventsOf(session, 'command/done')
    assert.equal(right?.data.sourceEventSeq, 1)
    assert.equal(wrong?.data.kind, 'error')
    assert.equal(wrong?.data.sourceEventSeq, undefined)
    assertInvariants(session)
  })

  it('settles what a handler throws as an error', async () => {
    const { agent, session, runtime } = testAgent()
    runtime.commands.register(command('plan', () => Promise.reject(new Error('not now'))))
    runtime.commands.register(
      command('sync', () => {
        throw new Error('at once')
      }),
    )
    assert.deepEqual(await runtime.commands.run(agent, 'plan', ''), { kind: 'error', text: 'not now' })
    assert.deepEqual(await runtime.commands.run(agent, 'sync', ''), { kind: 'error', text: 'at once' })
    assert.equal(eventsOf(session, 'command/done').length, 2)
  })

  it('logs nothing for an unknown name or a refused log', async () => {
    const { agent, session, runtime } = testAgent()
    let ran = false
    runtime.commands.register(
      command('plan', async () => {
        ran = true
        return { kind: 'success' }
      }),
    )
    await assert.rejects(runtime.commands.run(agent, 'nope', ''), { code: 'UNKNOWN_COMMAND' })
    session.seal('Another window writes this conversation.')
    await assert.rejects(runtime.commands.run(agent, 'plan', ''), { code: 'READ_ONLY' })
    assert.equal(session.length, 0)
    assert.equal(ran, false)
  })

  it('rejects when the outcome cannot be saved', async () => {
    const { agent, runtime } = testAgent()
    runtime.commands.register(command('plan'))
    runtime.onFlush = () => Promise.reject(new Error('no space'))
    await assert.rejects(runtime.commands.run(agent, 'plan', ''), { message: 'no space' })
  })

  it('writes nothing once the agent is disposed', async () => {
    const { agent, session, runtime } = testAgent()
    runtime.commands.register(
      command('plan', async () => {
        await agent.dispose()
        return { kind: 'success' }
      }),
    )
    await assert.rejects(runtime.commands.run(agent, 'plan', ''), { code: 'AGENT_DISPOSED' })
    await assert.rejects(runtime.commands.run(agent, 'plan', ''), { code: 'AGENT_DISPOSED' })
    assert.deepEqual(typesOf(session), ['command/run'])
  })

  it('lets a handler steer: the turn may start between run and done', async () => {
    const { agent, session, runtime } = testAgent()
    runtime.commands.register(
      command('plan', async ({ args }) => {
        agent.steer(newUserMessage(args.trim()))
        await agent.whenIdle()
        return { kind: 'success' }
      }),
    )
    await runtime.commands.run(agent, 'plan', ' do it')
    const types = typesOf(session)
    assert.equal(types[0], 'command/run')
    assert.equal(types.at(-1), 'command/done')
    assert.ok(types.includes('turn/end'))
    assertInvariants(session)
  })

  it('refuses what looks like a command and is none, and lets paths and comments pass as messages', () => {
    const { commands } = testAgent().runtime
    commands.register(command('plan'))
    for (const text of ['/Plan off', '/plan!', '/plan:off', '/plan,', '/', '/ plan', '/2x', '/plän']) {
      assert.throws(() => commands.read(text), { code: 'BAD_COMMAND_NAME' }, text)
    }
    for (const text of ['/usr/bin is full', '// why', '/etc/hosts', 'plan', ' /Plan', '']) {
      assert.equal(commands.read(text), undefined, text)
    }
    assert.deepEqual(commands.read('/plan off'), { name: 'plan', args: ' off' })
    assert.deepEqual(commands.read('/nope'), { name: 'nope', args: '' })
    const said = (text: string) => {
      try {
        commands.read(text)
        return ''
      } catch (error) {
        return String(error)
      }
    }
    assert.match(said('/PLAN off'), /"\/PLAN" is no command\. Did you mean \/plan\? Type \/ to see the commands/)
    assert.doesNotMatch(said('/2x'), /Did you mean/)
  })

  it('says why a command cannot run now, and logs nothing', async () => {
    const { agent, session, runtime } = testAgent()
    const busy = { kind: 'unavailable', why: 'A turn is running. Stop it first.' } as const
    let free = false
    const compact = { ...command('compact'), available: () => (free ? ({ kind: 'available' } as const) : busy) }
    runtime.commands.register(compact)
    assert.deepEqual(runtime.commands.availability(compact, agent), busy)
    await assert.rejects(runtime.commands.run(agent, 'compact', ''), {
      code: 'COMMAND_UNAVAILABLE',
      message: '/compact cannot run now. A turn is running. Stop it first.',
    })
    assert.equal(session.length, 0)
    free = true
    assert.deepEqual(await runtime.commands.run(agent, 'compact', ''), { kind: 'success' })
    assert.deepEqual(runtime.commands.availability(command('plan'), agent), { kind: 'available' })
  })

  it('takes a command that cannot say whether it can run for one that cannot', () => {
    const { agent, runtime } = testAgent()
    const broken = {
      ...command('plan'),
      available: () => {
        throw new Error('The log is damaged.')
      },
    }
    assert.deepEqual(runtime.commands.availability(broken, agent), { kind: 'unavailable', why: 'The log is damaged.' })
  })

  it('gives images only to a command that takes them, and logs nothing otherwise', async () => {
    const { agent, session, runtime } = testAgent()
    const attachment = { attachmentId: 'a', mediaType: 'image/png' as const, bytes: 1, width: 1, height: 1 }
    const images = [{ type: 'image' as const, attachment }]
    const given: CommandCall['attachments'][] = []
    const run: Command['run'] = async ({ attachments }) => {
      given.push(attachments)
      return { kind: 'success' }
    }
    runtime.commands.register(command('words', run))
    runtime.commands.register({ ...command('pictures', run), images: true })
    await assert.rejects(runtime.commands.run(agent, 'words', '', images), { code: 'NO_IMAGES' })
    assert.equal(session.length, 0)
    await runtime.commands.run(agent, 'pictures', '', images)
    assert.deepEqual(given, [images])
  })
})
