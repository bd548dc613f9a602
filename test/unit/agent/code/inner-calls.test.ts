import assert from 'node:assert/strict'
import { MAX_PARALLEL } from '../../../../src/agent/loop/inner-calls.ts'
import { PlanModeError } from '../../../../src/session/errors.ts'
import { newUserMessage } from '../../../../src/session/messages.ts'
import { endsOf, eventsOf, typesOf } from '../../../support/reading.ts'
import { gate, testTool } from '../../../support/test-tool.ts'
import { scene } from './scene.ts'

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'no error',
    (error: Error & { code?: string }) => error.code ?? error.message,
  )

/** A tool's body that does something and succeeds. */
const noting =
  (act: () => void, text = 'x') =>
  () => {
    act()
    return { kind: 'success' as const, text }
  }

describe('the calls of a program', () => {
  it('give it the text, and leave a start and an end inside the outer call', async () => {
    const each = scene(async call => `got ${await call('read', { path: 'a.ts' })}`)
    each.runtime.tools.register(testTool('read', undefined, { parallel: true }))
    assert.deepEqual(await each.run(), [{ callId: 'run', text: 'got read a.ts', isError: false }])
    const from = eventsOf(each.session, 'tool/call')[0]?.seq ?? 0
    assert.deepEqual(typesOf(each.session, from).slice(0, 4), [
      'tool/call',
      'tool/code-dispatch-start',
      'tool/code-dispatch',
      'tool/result',
    ])
    const call = {
      rootCallId: 'run',
      parentCallId: 'run',
      subCallId: 'run:code:1',
      name: 'read',
      arguments: { path: 'a.ts' },
    }
    assert.deepEqual(eventsOf(each.session, 'tool/code-dispatch-start')[0]?.data, call)
    assert.deepEqual(each.ended(), [{ ...call, isError: false, content: [{ type: 'text', text: 'read a.ts' }] }])
  })

  it('run side by side when they may, alone when not, and in the order of their submission', async () => {
    const [a, b] = [gate(), gate()]
    const log: string[] = []
    const each = scene(async call => {
      const calls = ['a', 'b', 'write', 'c'].map(path => call(path === 'write' ? 'write' : 'read', { path }))
      return (await Promise.all(calls)).join()
    })
    each.runtime.tools.register(
      testTool(
        'read',
        async ({ path = '' }) => {
          log.push(`${path} begins`)
          await (path === 'a' ? a.wait() : path === 'b' ? b.wait() : undefined)
          log.push(`${path} ends`)
          return { kind: 'success', text: path }
        },
        { parallel: true },
      ),
    )
    each.runtime.tools.register(
      testTool(
        'write',
        noting(() => log.push('write'), 'w'),
      ),
    )
    const done = each.run()
    await Promise.all([a.reached, b.reached])
    b.open()
    a.open()
    assert.equal((await done)[0]?.text, 'a,b,w,c')
    assert.deepEqual(log, ['a begins', 'b begins', 'b ends', 'a ends', 'write', 'c begins', 'c ends'])
    assert.deepEqual(each.dispatches(), [
      'start run:code:1 read',
      'start run:code:2 read',
      'end run:code:2',
      'end run:code:1',
      'start run:code:3 write',
      'end run:code:3',
      'start run:code:4 read',
      'end run:code:4',
    ])
  })

  it(`run at most ${MAX_PARALLEL} at a time`, async () => {
    let [running, most] = [0, 0]
    const each = scene(async call => Promise.all(Array.from({ length: 30 }, () => call('read'))))
    const read = async () => {
      most = Math.max(most, ++running)
      await new Promise(setImmediate)
      running--
      return { kind: 'success' as const, text: 'x' }
    }
    each.runtime.tools.register(testTool('read', read, { parallel: true }))
    await each.run()
    assert.equal(most, MAX_PARALLEL)
    assert.equal(each.ended().length, 30)
  })

  it('throw what the tool says, with its code', async () => {
    const each = scene(async call => {
      try {
        return await call('read')
      } catch (error) {
        return error instanceof Error && 'code' in error ? `${error.message} ${error.code}` : 'odd'
      }
    })
    each.runtime.tools.register(
      testTool('read', () => ({ kind: 'failure', text: 'It is gone.', error: { name: 'FileError', code: 'FS_GONE' } })),
    )
    assert.equal((await each.run())[0]?.text, 'It is gone. FS_GONE')
    assert.deepEqual(each.ended()[0]?.content, [{ type: 'text', text: 'Error: It is gone.' }])
    assert.equal(each.ended()[0]?.isError, true)
  })

  it('are refused as native ones are, and leave nothing when they never start', async () => {
    const each = scene(async (call, print) => {
      print(await codeOf(call('absent')))
      print(await codeOf(call('run_code', { code: 'main', description: 'again' })))
      print(await codeOf(call('read', { path: 7 })))
      print(await codeOf(call('read', '[1]')))
      print(await codeOf(call('read', '{"path":')))
      print(await codeOf(call('loose', '{"n":-0}')))
      print(await codeOf(call('loose', '{"n":1e999}')))
      return await call('read', { path: 'last' })
    })
    each.runtime.tools.register(testTool('read', undefined, { parallel: true }))
    each.runtime.tools.register(testTool('loose'))
    const codes = ['UNKNOWN_TOOL', 'UNKNOWN_TOOL', ...Array.from({ length: 5 }, () => 'INVALID_ARGS')]
    assert.equal((await each.run())[0]?.text, `${codes.join('\n')}\n\nread last`)
    assert.deepEqual(each.dispatches(), ['start run:code:8 read', 'end run:code:8'])
  })

  it('do not know a tool that is not admitted to the step', async () => {
    let available = false
    const each = scene(async call => codeOf(call('exit')))
    each.runtime.tools.register(testTool('exit', undefined, { available: () => available }))
    each.runtime.stepBoundary.add(() => {
      queueMicrotask(() => setImmediate(() => (available = true))) // after the step's set was taken
      return []
    })
    assert.equal((await each.run())[0]?.text, 'UNKNOWN_TOOL')
  })

  it('act only when the log is durable, unless they may run side by side', async () => {
    const lengths: Record<string, number> = {}
    const each = scene(async call => {
      await call('read')
      await call('write')
    })
    const note = (name: string) => () => {
      lengths[name] = each.runtime.flushes.at(-1) ?? 0
      return { kind: 'success' as const, text: 'x' }
    }
    each.runtime.tools.register(testTool('read', note('read'), { parallel: true }))
    each.runtime.tools.register(testTool('write', note('write')))
    await each.run()
    const [read, write] = eventsOf(each.session, 'tool/code-dispatch-start').map(({ seq }) => seq)
    assert.ok((lengths.read ?? 0) <= (read ?? 0), 'a read waits for nothing')
    assert.equal(lengths.write, (write ?? 0) + 1)
  })

  it('end the turn with the storage error when the log cannot be saved before one acts', async () => {
    const each = scene(async call => codeOf(call('write')))
    let ran = 0
    each.runtime.tools.register(
      testTool(
        'write',
        noting(() => ran++),
      ),
    )
    each.runtime.onFlush = () => {
      if (eventsOf(each.session, 'tool/code-dispatch-start').length > 0) throw new PlanModeError('STORAGE', 'No space.')
    }
    assert.equal((await each.run())[0]?.text, 'ABORTED_BEFORE_DISPATCH')
    assert.equal(ran, 0)
    const [end] = endsOf(each.session)
    assert.equal(end?.kind === 'error' && end.error.message, 'No space.')
  })

  it('are waited for when the program ends without them', async () => {
    const held = gate()
    const each = scene(async call => {
      void call('write')
      void call('write')
      return 'early'
    })
    each.runtime.tools.register(testTool('write', () => held.wait().then(() => ({ kind: 'success', text: 'x' }))))
    const done = each.run()
    await held.reached
    held.open()
    assert.equal((await done)[0]?.text, 'early')
    assert.deepEqual(each.dispatches().length, 4)
  })

  it('are stopped when the program fails, and what waits never starts', async () => {
    const held = gate()
    const each = scene(async call => {
      const slow = call('write')
      slow.catch(() => {})
      call('write').catch(() => {})
      await held.reached
      throw new Error('I give up')
    })
    each.runtime.tools.register(
      testTool('write', async (_, call) => {
        const stopped = new Promise<never>((_, reject) =>
          call.signal.addEventListener('abort', () => reject(new Error('stopped')), { once: true }),
        )
        return Promise.race([held.wait().then(() => ({ kind: 'success' as const, text: 'x' })), stopped])
      }),
    )
    const [result] = await each.run()
    assert.deepEqual(result, {
      callId: 'run',
      text: 'Error: The program failed: I give up',
      isError: true,
      code: 'CodeRunFailedError/CODE_RUN_FAILED',
    })
    assert.deepEqual(each.dispatches(), ['start run:code:1 write', 'end run:code:1'])
    assert.deepEqual(endsOf(each.session), [{ kind: 'completed' }], 'the model reads it and goes on')
  })

  it('settle inside the outer call when the turn is stopped, also one that does not wind down', async () => {
    const held = gate()
    const each = scene(async call => call('write'))
    each.runtime.tools.register(testTool('write', () => held.wait().then(() => ({ kind: 'success', text: 'x' }))))
    each.agent.prompt(newUserMessage('go'))
    await held.reached
    each.agent.cancel()
    const [result] = await each.run()
    assert.equal(result?.code, 'AbortError/ABORTED')
    assert.deepEqual(each.dispatches(), ['start run:code:1 write', 'end run:code:1'])
    held.open()
  })

  it('carry the end of the turn out of the program, which stops there', async () => {
    let after = 0
    const each = scene(
      async (call, print) => {
        print('first')
        const last = call('leave')
        void call('write')
        await last
        after++
      },
      'both',
      [
        [
          { call: 'run_code', id: 'run', args: { code: 'main', description: 'x' } },
          { call: 'write', id: 'later' },
        ],
      ],
    )
    each.runtime.tools.register(testTool('leave', () => ({ kind: 'success', text: 'Enough.', endsTurn: true })))
    each.runtime.tools.register(
      testTool(
        'write',
        noting(() => after++),
      ),
    )
    const [result, later] = await each.run()
    assert.equal(result?.text, 'first\n\nEnough.')
    assert.equal(later?.code, 'AbortError/ABORTED_BEFORE_DISPATCH')
    assert.equal(after, 0)
    assert.equal(each.model.requests.length, 1)
    assert.deepEqual(each.dispatches(), ['start run:code:1 leave', 'end run:code:1'])
  })

  it('keep what surfaces show of them in the outer result', async () => {
    const each = scene(async call => void (await call('write', { path: 'a' })))
    const meta = { path: 'a', added: 1, removed: 0 }
    each.runtime.tools.register(testTool('write', () => ({ kind: 'success', text: 'x', meta })))
    await each.run()
    assert.deepEqual(eventsOf(each.session, 'tool/result')[0]?.data.meta, { calls: { 'run:code:1': meta } })
  })

  it('end the turn when the log refuses a record of theirs', async () => {
    const each = scene(async call => call('read'))
    each.runtime.tools.register(testTool('read', undefined, { parallel: true }))
    const append = each.session.append.bind(each.session)
    each.session.append = (type, data, options) => {
      if (type === 'tool/code-dispatch-start') throw new PlanModeError('LOCK_BUSY', 'Not now.')
      return append(type, data, options)
    }
    assert.equal((await each.run())[0]?.text, 'Error: Not now.')
    const [end] = endsOf(each.session)
    assert.equal(end?.kind === 'error' && end.error.code, 'LOCK_BUSY')
  })
})
