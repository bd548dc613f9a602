import assert from 'node:assert/strict'
import fc from 'fast-check'
import { installCode } from '../../../../src/agent/code/run-code.ts'
import { openAgent } from '../../../../src/agent/live/live-agent.ts'
import type { ToolOutcome, ToolsMode } from '../../../../src/agent/tool.ts'
import { PlanModeError } from '../../../../src/session/errors.ts'
import { newUserMessage } from '../../../../src/session/messages.ts'
import { assertInvariants } from '../../../support/invariants.ts'
import { eventsOf } from '../../../support/reading.ts'
import { assertRequestsFromLog } from '../../../support/requests.ts'
import { memorySession, testRuntime } from '../../../support/runtime.ts'
import { ScriptedEngine, type ScriptedProgram } from '../../../support/scripted-engine.ts'
import { type Act, ScriptedModel } from '../../../support/scripted-model.ts'
import { testTool } from '../../../support/test-tool.ts'

/** One act of a program: `all` goes on at once and is awaited last, `float` is never awaited. */
const line = fc.record({
  call: fc.constantFrom('look', 'look', 'act', 'absent', 'leave', 'run_code', 'hidden'),
  how: fc.constantFrom('await', 'catch', 'all', 'float'),
  args: fc.constantFrom<unknown>({}, { path: 'x' }, { path: 1 }, '{"pa', '{"path":"y","more":-0}'),
})
const programs = fc.record({
  lines: fc.array(line, { maxLength: 6 }),
  end: fc.constantFrom('return', 'return', 'throw', 'hang'),
})
type Lines = typeof programs extends fc.Arbitrary<infer P> ? P : never

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ call: fc.constantFrom('look', 'act', 'absent'), args: fc.constant({}) }) },
  {
    weight: 3,
    arbitrary: programs.map(given => ({ call: 'run_code', args: { code: JSON.stringify(given), description: 'd' } })),
  },
  { weight: 1, arbitrary: fc.constant<Act>({ call: 'run_code', args: { code: 1 } }) },
)

const script = fc.record({
  replies: fc.array(fc.array(act, { maxLength: 4 }), { minLength: 1, maxLength: 5 }),
  modes: fc.array(fc.constantFrom<ToolsMode>('native', 'code', 'both'), { minLength: 1, maxLength: 4 }),
  behaviours: fc.array(fc.constantFrom('succeed', 'fail', 'throw', 'wait', 'hang'), { minLength: 1, maxLength: 6 }),
  triggers: fc.array(fc.record({ at: fc.nat(80), what: fc.constantFrom('cancel', 'steer', 'reopen') }), {
    maxLength: 3,
  }),
  failedFlushes: fc.uniqueArray(fc.nat(20), { maxLength: 2 }),
  refusedAppends: fc.uniqueArray(fc.nat(120), { maxLength: 1 }),
})
type Script = typeof script extends fc.Arbitrary<infer S> ? S : never

function programOf(code: string): ScriptedProgram {
  const { lines, end }: Lines = JSON.parse(code)
  return async call => {
    const all: Promise<string>[] = []
    for (const { call: name, how, args } of lines) {
      const work = call(name, args)
      work.catch(() => {})
      if (how === 'await') await work
      if (how === 'catch') await work.catch(() => {})
      if (how === 'all') all.push(work)
    }
    await Promise.all(all)
    if (end === 'throw') throw new Error('thrown')
    if (end === 'hang') await new Promise(() => {})
    return 'done'
  }
}

const bodies: Record<string, (signal: AbortSignal) => Promise<ToolOutcome>> = {
  succeed: async () => ({ kind: 'success', text: 'fine' }),
  fail: async () => ({ kind: 'failure', text: 'no' }),
  throw: () => Promise.reject(new PlanModeError('FS_GONE', 'gone')),
  wait: () => new Promise(resolve => setImmediate(() => resolve({ kind: 'success', text: 'late' }))),
  hang: signal =>
    new Promise((resolve, reject) => {
      const timer = setImmediate(() => resolve({ kind: 'success', text: 'slow' }))
      signal.addEventListener('abort', () => {
        clearImmediate(timer)
        reject(new Error('stopped'))
      })
    }),
}

async function play({ replies, modes, behaviours, triggers, failedFlushes, refusedAppends }: Script) {
  const model = new ScriptedModel(replies)
  let steps = 0
  let mode: ToolsMode = 'native'
  const runtime = testRuntime(model, { toolsMode: () => mode })
  const session = memorySession({}, runtime.now)
  model.log = session
  runtime.stepBoundary.add(() => {
    mode = modes[steps++ % modes.length] ?? 'native'
    return []
  })
  installCode(runtime, new ScriptedEngine(programOf))
  let calls = 0
  let [reading, acting] = [0, 0]
  const body = (signal: AbortSignal) => bodies[behaviours[calls++ % behaviours.length] ?? 'succeed']?.(signal)
  const counted = async (signal: AbortSignal, alone: boolean): Promise<ToolOutcome> => {
    assert.ok(acting === 0 && (!alone || reading === 0), 'an act runs alone')
    if (alone) acting++
    else reading++
    try {
      return (await body(signal)) ?? { kind: 'failure', text: 'none' }
    } finally {
      if (alone) acting--
      else reading--
    }
  }
  runtime.tools.register(testTool('look', (_, call) => counted(call.signal, false), { parallel: true }))
  runtime.tools.register(testTool('act', (_, call) => counted(call.signal, true)))
  runtime.tools.register(testTool('leave', () => ({ kind: 'success', text: 'enough', endsTurn: true })))
  runtime.tools.register(testTool('hidden', () => assert.fail('it is not admitted'), { available: () => false }))
  let flushes = 0
  runtime.onFlush = () => {
    if (failedFlushes.includes(flushes++)) throw new Error('no space')
  }
  let refusing = true
  let appends = 0
  const append = session.append.bind(session)
  session.append = (type, data, options) => {
    if (refusing && refusedAppends.includes(appends++)) throw new PlanModeError('LOCK_BUSY', 'Not now.')
    return append(type, data, options)
  }
  let agent = openAgent(session, runtime)
  const closing: Promise<void>[] = []
  const trigger = (what: Script['triggers'][number]['what']) => {
    if (what === 'cancel') agent.cancel()
    else if (what === 'reopen') closing.push(agent.dispose())
    else
      try {
        agent.steer(newUserMessage('steer'))
      } catch (error) {
        assert.ok(error instanceof PlanModeError)
      }
  }
  session.observe(({ seq }) => {
    for (const { at, what } of triggers) if (at === seq) trigger(what)
  })
  /** A program that hangs and waits for nobody is stopped, as a person would stop it. */
  const settle = async () => {
    let idle = false
    const done = agent.whenIdle().then(() => {
      idle = true
    })
    for (let quiet = 0, length = -1; !idle; length = session.length) {
      await new Promise(setImmediate)
      quiet = session.length === length ? quiet + 1 : 0
      if (quiet > 20) agent.cancel()
    }
    await done
  }
  try {
    agent.prompt(newUserMessage('go'))
  } catch (error) {
    assert.ok(error instanceof PlanModeError)
  }
  await settle()
  await Promise.all(closing)
  refusing = false
  await agent.dispose()
  agent = openAgent(session, runtime)
  return { session, model, agent }
}

describe('any mix of calls and programs', () => {
  it('leaves a balanced log that keeps the invariants, and calls nothing that was not admitted', async () => {
    await fc.assert(
      fc.asyncProperty(script, async given => {
        const { session, model } = await play(given)
        assertInvariants(session, { refusing: given.refusedAppends.length > 0 })
        assertRequestsFromLog(session, model)
        for (const { data } of eventsOf(session, 'tool/code-dispatch-start')) {
          assert.ok(['look', 'act', 'leave'].includes(data.name), data.name)
        }
      }),
      { numRuns: Number(process.env.AGENT_RUNS ?? 150) },
    )
  })
})
