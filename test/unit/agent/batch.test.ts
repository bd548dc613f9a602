import assert from 'node:assert/strict'
import { z } from 'zod'
import type { ToolOutcome } from '../../../src/agent/tool.ts'
import { PlanModeError } from '../../../src/session/errors.ts'
import { newUserMessage } from '../../../src/session/messages.ts'
import { assertInvariants } from '../../support/invariants.ts'
import { endsOf, eventsOf, resultsOf, typesOf } from '../../support/reading.ts'
import { testAgent } from '../../support/runtime.ts'
import type { Act } from '../../support/scripted-model.ts'
import { gate, testTool } from '../../support/test-tool.ts'

function batch(...acts: Act[]) {
  const parts = testAgent([acts])
  const run = async () => {
    parts.agent.prompt(newUserMessage('go'))
    await parts.agent.whenIdle()
    assertInvariants(parts.session)
    return resultsOf(parts.session)
  }
  return { ...parts, run }
}

const toolCall = (input: string) => ({ type: 'tool-call' as const, toolCallId: 'a', toolName: 'peek', input })

describe('a tool batch', () => {
  it('answers an unknown name so that the model can choose another', async () => {
    const { runtime, run, session } = batch({ call: 'absent', id: 'a' })
    runtime.tools.register(testTool('peek'))
    assert.deepEqual(await run(), [
      {
        callId: 'a',
        text: 'Error: There is no tool named "absent" in this step. Available: peek.',
        isError: true,
        code: 'ToolNotFoundError/UNKNOWN_TOOL',
      },
    ])
    assert.deepEqual(endsOf(session), [{ kind: 'completed' }], 'the turn goes on')
  })

  it('does not know a tool that is not available in the step', async () => {
    const { runtime, run } = batch({ call: 'exit', id: 'a' })
    runtime.tools.register(testTool('exit', undefined, { available: () => false }))
    const [result] = await run()
    assert.equal(result?.code, 'ToolNotFoundError/UNKNOWN_TOOL')
  })

  it('uses the set that was admitted to the step, even if a call changes availability', async () => {
    let available = true
    const { runtime, run, model } = batch({ call: 'exit', id: 'a' }, { call: 'exit', id: 'b' })
    runtime.tools.register(
      testTool(
        'exit',
        () => {
          available = false
          return { kind: 'success', text: 'left' }
        },
        { available: () => available },
      ),
    )
    assert.deepEqual(
      (await run()).map(result => result.text),
      ['left', 'left'],
    )
    assert.equal(model.requests[1]?.tools, undefined)
  })

  it('says what is wrong with arguments', async () => {
    const { runtime, run } = batch(
      { call: 'read', id: 'a', args: '{"path": ' },
      { call: 'read', id: 'b', args: { path: 7, lines: { from: 'x' } } },
      { call: 'read', id: 'c', args: '[1]' },
      { call: 'read', id: 'd', args: '' },
    )
    let ran = 0
    runtime.tools.register({
      name: 'read',
      description: 'Reads.',
      parameters: z.object({ path: z.string(), lines: z.object({ from: z.number() }).optional() }),
      run: async () => {
        ran++
        return { kind: 'success', text: 'never' }
      },
    })
    const [invalid, mismatch, list, none] = await run()
    for (const result of [invalid, mismatch, list, none]) assert.equal(result?.code, 'ToolArgsError/INVALID_ARGS')
    assert.match(invalid?.text ?? '', /^Error: The arguments of read were refused: they are not valid JSON \(/)
    assert.match(mismatch?.text ?? '', /path: .*expected string.*; lines: from: .*expected number/)
    assert.match(list?.text ?? '', /they are not a JSON object/)
    assert.match(none?.text ?? '', /path: /)
    assert.equal(ran, 0)
  })

  it('refuses arguments nested so deeply that no later request could carry them', async () => {
    const nested = `{"path":${'['.repeat(20_000)}${']'.repeat(20_000)}}`
    const { runtime, run, model } = batch({ part: toolCall(nested) }, { finish: 'tool-calls' })
    runtime.tools.register(testTool('peek'))
    const [result] = await run()
    assert.equal(result?.code, 'ToolArgsError/INVALID_ARGS')
    assert.match(result?.text ?? '', /nested over 100 levels deep/)
    assert.equal(JSON.stringify(model.requests[1]?.prompt).includes('unparsed'), true)
  })

  it('hands parsed arguments and coordinates to the tool, and keeps meta out of the text', async () => {
    const { runtime, run, session, agent } = batch({ call: 'read', id: 'a', args: { path: 'x', extra: 1 } })
    runtime.tools.register(
      testTool('read', (args, call) => {
        assert.deepEqual(args, { path: 'x' })
        assert.equal(call.agent, agent)
        assert.deepEqual([call.callId, call.turn, call.step, call.signal.aborted], ['a', 1, 1, false])
        return { kind: 'success', text: 'fine', meta: { path: 'x', lines: [1, 2] } }
      }),
    )
    assert.deepEqual(await run(), [{ callId: 'a', text: 'fine', isError: false }])
    const [result] = eventsOf(session, 'tool/result')
    assert.deepEqual(result?.data.meta, { path: 'x', lines: [1, 2] })
    assert.deepEqual(result?.sourceEventSeqs, [eventsOf(session, 'tool/call')[0]?.seq])
  })

  it('names failures with a code and leaves others without', async () => {
    const outcomes: (() => ToolOutcome)[] = [
      () => {
        throw new PlanModeError('FS_GONE', 'It is gone.')
      },
      () => {
        throw new Error('odd')
      },
      () => ({ kind: 'failure', text: 'declined', error: { name: 'ReviewError', code: 'KEPT' } }),
      () => ({ kind: 'failure', text: 'plain' }),
    ]
    const { runtime, run } = batch(...outcomes.map((_, index): Act => ({ call: 'act', id: String(index) })))
    runtime.tools.register(testTool('act', () => outcomes.shift()?.() ?? { kind: 'success', text: '' }))
    assert.deepEqual(await run(), [
      { callId: '0', text: 'Error: It is gone.', isError: true, code: 'PlanModeError/FS_GONE' },
      { callId: '1', text: 'Error: odd', isError: true },
      { callId: '2', text: 'Error: declined', isError: true, code: 'ReviewError/KEPT' },
      { callId: '3', text: 'Error: plain', isError: true },
    ])
  })

  it('replaces a result that the log cannot keep', async () => {
    const { runtime, run } = batch({ call: 'act', id: 'a' })
    runtime.tools.register(testTool('act', () => ({ kind: 'success', text: 'ok', meta: Number.NaN })))
    const [result] = await run()
    assert.equal(result?.code, 'ToolOutputError/INVALID_TOOL_OUTPUT')
    assert.match(result?.text ?? '', /act gave a result that cannot be kept/)
  })

  it('runs neighbouring parallel calls side by side, others alone, and commits in model order', async () => {
    const { runtime, run, session, agent } = batch(
      { call: 'look', id: 'a', args: { path: 'a' } },
      { call: 'look', id: 'b', args: { path: 'b' } },
      { call: 'act', id: 'c', args: { path: 'c' } },
      { call: 'look', id: 'd', args: { path: 'd' } },
    )
    const slow = gate()
    const seen: string[] = []
    const body = async ({ path = '' }: { path?: string | undefined }) => {
      seen.push(`${path} in`)
      if (path === 'a') await slow.wait()
      seen.push(`${path} out`)
      if (path === 'b') slow.open()
      return { kind: 'success' as const, text: path }
    }
    runtime.tools.register(testTool('look', body, { parallel: true }))
    runtime.tools.register(testTool('act', body))
    assert.deepEqual(
      (await run()).map(result => result.text),
      ['a', 'b', 'c', 'd'],
    )
    assert.deepEqual(seen, ['a in', 'b in', 'b out', 'a out', 'c in', 'c out', 'd in', 'd out'])
    const step = typesOf(session).filter(type => type.startsWith('tool/'))
    assert.deepEqual(step, [
      ...['tool/call', 'tool/call', 'tool/result', 'tool/result'],
      ...['tool/call', 'tool/result', 'tool/call', 'tool/result'],
    ])
    assert.equal(agent.status, 'idle')
  })

  it('ends the turn when a success says so: the rest never runs, queued input opens the next turn', async () => {
    const { runtime, run, session, agent, model } = batch(
      { call: 'act', id: 'a' },
      { call: 'exit', id: 'b' },
      { call: 'act', id: 'c' },
      { call: 'absent', id: 'd' },
    )
    let ran = 0
    runtime.tools.register(
      testTool('act', () => {
        ran++
        return { kind: 'success', text: 'acted' }
      }),
    )
    runtime.tools.register(
      testTool('exit', () => {
        agent.prompt(newUserMessage('next'))
        return { kind: 'success', text: 'dismissed', endsTurn: true }
      }),
    )
    const results = await run()
    assert.equal(ran, 1)
    assert.deepEqual(
      results.map(result => result.code),
      [undefined, undefined, 'AbortError/ABORTED_BEFORE_DISPATCH', 'AbortError/ABORTED_BEFORE_DISPATCH'],
    )
    assert.equal(eventsOf(session, 'tool/call').length, 4)
    assert.deepEqual(endsOf(session), [{ kind: 'completed' }, { kind: 'completed' }])
    assert.equal(model.requests.length, 2)
  })

  it('goes on after a failure, also when its text would end the turn', async () => {
    const { runtime, run, session } = batch({ call: 'act', id: 'a' }, { call: 'act', id: 'b' })
    const texts = ['one', 'two']
    runtime.tools.register(testTool('act', () => ({ kind: 'failure', text: texts.shift() ?? '' })))
    assert.deepEqual(
      (await run()).map(result => result.text),
      ['Error: one', 'Error: two'],
    )
    assert.equal(eventsOf(session, 'step/start').length, 2)
  })
})
