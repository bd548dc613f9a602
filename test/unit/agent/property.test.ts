import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Agent } from '../../../src/agent/agent.ts'
import { inboxOf } from '../../../src/agent/live/inbox.ts'
import { openAgent } from '../../../src/agent/live/live-agent.ts'
import { ModelError } from '../../../src/agent/model.ts'
import type { ToolOutcome } from '../../../src/agent/tool.ts'
import { PlanModeError } from '../../../src/session/errors.ts'
import { newUserMessage, type UserMessage } from '../../../src/session/messages.ts'
import type { Session } from '../../../src/session/session.ts'
import { assertInvariants } from '../../support/invariants.ts'
import { eventsOf } from '../../support/reading.ts'
import { assertRequestsFromLog } from '../../support/requests.ts'
import { memorySession, testRuntime } from '../../support/runtime.ts'
import { type Act, type Reply, ScriptedModel } from '../../support/scripted-model.ts'
import { testTool } from '../../support/test-tool.ts'

const names = fc.constantFrom('look', 'act', 'absent')
const behaviours = fc.constantFrom('succeed', 'fail', 'throw', 'code', 'end', 'wait', 'hang')
type Behaviour = 'succeed' | 'fail' | 'throw' | 'code' | 'end' | 'wait' | 'hang'

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('hello', 'two words', ' ').map(text => ({ text })) },
  { weight: 1, arbitrary: fc.constant({ reasoning: 'hm' }) },
  {
    weight: 5,
    arbitrary: fc.record({ call: names, args: fc.constantFrom<unknown>({}, { path: 'x' }, { path: 1 }, '{"pa', '') }),
  },
  { weight: 1, arbitrary: fc.constantFrom<Act>({ error: new Error('odd') }, { cut: new Error('cut') }, { end: true }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Act>({ finish: 'length' }, { finish: 'stop' }, { finish: 'content-filter' }),
  },
  { weight: 1, arbitrary: fc.constant<Act>({ call: 'look', id: 'same' }) },
)

const failing = fc
  .constantFrom('SERVER', 'AUTH', 'RATE_LIMIT')
  .map((code): Reply => ({ throws: new ModelError({ message: 'no', code }) }))

const reply: fc.Arbitrary<Reply> = fc.oneof(
  { weight: 5, arbitrary: fc.array(act, { maxLength: 5 }) },
  { weight: 1, arbitrary: failing },
)

/** What happens at the moment the n-th event of the log is told to its observers: inside the loop, at any place. */
interface Trigger {
  readonly at: number
  readonly what: 'prompt' | 'steer' | 'inject' | 'cancel' | 'unqueue' | 'wake' | 'reopen'
}
const trigger: fc.Arbitrary<Trigger> = fc.record({
  at: fc.nat(90),
  what: fc.constantFrom('prompt', 'steer', 'inject', 'cancel', 'unqueue', 'wake', 'reopen'),
})

const script = fc.record({
  replies: fc.array(reply, { maxLength: 7 }),
  behaviours: fc.array(behaviours, { minLength: 1, maxLength: 6 }),
  triggers: fc.array(trigger, { maxLength: 8 }),
  failedFlushes: fc.uniqueArray(fc.nat(20), { maxLength: 3 }),
  failedBoundaries: fc.uniqueArray(fc.nat(8), { maxLength: 1 }),
  refusals: fc.uniqueArray(fc.nat(8), { maxLength: 1 }),
  refusedAppends: fc.uniqueArray(fc.nat(120), { maxLength: 2 }),
})
type Script = typeof script extends fc.Arbitrary<infer S> ? S : never

const outcomes: Record<Behaviour, (signal: AbortSignal) => Promise<ToolOutcome>> = {
  succeed: async () => ({ kind: 'success', text: 'fine' }),
  fail: async () => ({ kind: 'failure', text: 'no' }),
  throw: () => Promise.reject(new Error('odd')),
  code: () => Promise.reject(new PlanModeError('FS_GONE', 'gone')),
  end: async () => ({ kind: 'success', text: 'enough', endsTurn: true }),
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

class Run {
  readonly session: Session
  readonly model: ScriptedModel
  readonly runtime: ReturnType<typeof testRuntime>
  agent: Agent
  readonly queued: UserMessage[] = []
  readonly closing: Promise<void>[] = []
  #refusing = true

  constructor(given: Script) {
    this.model = new ScriptedModel(given.replies)
    this.runtime = testRuntime(this.model)
    this.session = memorySession({}, this.runtime.now)
    this.model.log = this.session
    this.#equip(given)
    this.agent = openAgent(this.session, this.runtime)
    this.session.observe(({ seq }) => {
      for (const { what } of given.triggers.filter(({ at }) => at === seq)) this.#do(what)
    })
  }

  #equip({ behaviours, failedFlushes, failedBoundaries, refusals, refusedAppends }: Script): void {
    const { runtime, session } = this
    let calls = 0
    const body = (signal: AbortSignal) => outcomes[behaviours[calls++ % behaviours.length] ?? 'succeed'](signal)
    runtime.tools.register(testTool('look', (_, call) => body(call.signal), { parallel: true }))
    runtime.tools.register(testTool('act', (_, call) => body(call.signal)))
    let flushes = 0
    runtime.onFlush = () => {
      if (failedFlushes.includes(flushes++)) throw new Error('no space')
    }
    let boundaries = 0
    runtime.stepBoundary.add(() => {
      if (failedBoundaries.includes(boundaries++)) throw new Error('refused')
      return [newUserMessage('notice', { kind: 'plugin', plugin: 'test' })]
    })
    let entries = 0
    runtime.preStep.add((_, next) =>
      refusals.includes(entries++) ? Promise.resolve({ kind: 'refuse', reason: 'no' }) : next(),
    )
    const append = session.append.bind(session)
    let appends = 0
    session.append = (type, data, options) => {
      if (this.#refusing && refusedAppends.includes(appends++)) throw new PlanModeError('LOCK_BUSY', 'Not now.')
      return append(type, data, options)
    }
  }

  /** A refused append is told to whoever made the input; here it is nobody. */
  #do(what: Trigger['what']): void {
    try {
      this.#act(what)
    } catch (error) {
      assert.ok(error instanceof PlanModeError && ['LOCK_BUSY', 'AGENT_DISPOSED'].includes(error.code), String(error))
    }
  }

  #act(what: Trigger['what']): void {
    const message = newUserMessage(what)
    switch (what) {
      case 'prompt':
      case 'steer':
      case 'inject':
        this.queued.push(message)
        this.agent[what](message)
        break
      case 'cancel':
      case 'wake':
        this.agent[what]()
        break
      case 'unqueue':
        this.agent.unqueue(this.queued.at(-1)?.id ?? '')
        break
      case 'reopen':
        this.closing.push(this.agent.dispose())
        break
    }
  }

  /** Prompts, and wakes what stopped until nothing is pending; a disposed agent is opened anew, as after a reload. */
  async play(): Promise<void> {
    this.#do('prompt')
    for (let round = 0; round < 40; round++) {
      await this.agent.whenIdle()
      await Promise.all(this.closing)
      if (this.agent.status === 'disposed') this.agent = openAgent(this.session, this.runtime)
      const { nextStep, nextTurn } = inboxOf(this.session)
      if (nextStep.length + nextTurn.length === 0) break
      this.#do('wake')
    }
    // The last append may have been refused: the next opening closes whatever is open.
    this.#refusing = false
    await this.agent.dispose()
    this.agent = openAgent(this.session, this.runtime)
  }
}

describe('any conversation', () => {
  it('leaves a balanced log that keeps the invariants, and requests that are functions of it', async () => {
    await fc.assert(
      fc.asyncProperty(script, async given => {
        const run = new Run({ ...given })
        await run.play()
        assertInvariants(run.session)
        assertRequestsFromLog(run.session, run.model)
        assertDelivery(run)
        assert.equal(run.agent.status, 'idle')
      }),
      { numRuns: Number(process.env.AGENT_RUNS ?? 300) },
    )
  })
})

/** Every logged input came through the inbox or the boundary, in one piece and once. */
function assertDelivery({ session }: Run): void {
  const inputs = eventsOf(session, 'user/message').map(({ data }) => data)
  const ids = inputs.map(({ id }) => id)
  assert.equal(new Set(ids).size, ids.length, 'a message was delivered twice')
  const queued = new Map(
    eventsOf(session, 'agent/inbox/spliced').flatMap(({ data }) => data.inserted.map(message => [message.id, message])),
  )
  for (const message of inputs.filter(({ source }) => source.kind === 'user')) {
    assert.deepEqual(message, queued.get(message.id))
  }
}
