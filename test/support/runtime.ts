import assert from 'node:assert/strict'
import type { Agent } from '../../src/agent/agent.ts'
import { CommandRegistry } from '../../src/agent/desks/command-registry.ts'
import { QuestionDesk } from '../../src/agent/desks/question-desk.ts'
import { openAgent } from '../../src/agent/live/live-agent.ts'
import { LiveAgents } from '../../src/agent/live/live-agents.ts'
import { agentProjections } from '../../src/agent/live/projections.ts'
import type { Models } from '../../src/agent/model.ts'
import { Prompt } from '../../src/agent/prompt.ts'
import type { AgentRuntime, PreStepListener, StepBoundaryListener, TurnEndListener } from '../../src/agent/runtime.ts'
import { Tools, type ToolsMode } from '../../src/agent/tool.ts'
import { type NewSession, newHeader } from '../../src/session/header.ts'
import { observeInvariants } from '../../src/session/invariants/invariants.ts'
import { Session } from '../../src/session/session.ts'
import { modelsOf, ScriptedModel } from './scripted-model.ts'

/** A clock that stands still until a test or a sleep moves it. */
export class TestClock {
  #now = 1_700_000_000_000
  readonly #sleepers = new Set<{ readonly until: number; readonly ms: number; readonly wake: () => void }>()
  readonly #watchers = new Set<() => void>()
  /** True: a sleep moves the clock and ends as soon as everything that can run has run. */
  auto = true

  now = (): number => this.#now

  /** Milliseconds of the sleeps that are waiting. */
  get sleeping(): number[] {
    return [...this.#sleepers].map(sleeper => sleeper.ms)
  }

  /** Resolves when something sleeps. */
  async slept(): Promise<void> {
    while (this.#sleepers.size === 0) await new Promise<void>(resolve => this.#watchers.add(resolve))
  }

  advance(ms: number): void {
    this.#now += ms
    for (const sleeper of [...this.#sleepers]) if (sleeper.until <= this.#now) sleeper.wake()
  }

  sleep = async (ms: number, signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted()
    if (this.auto) {
      await new Promise(setImmediate)
      signal.throwIfAborted()
      this.#now += ms
      return
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const sleeper = { until: this.#now + ms, ms, wake: resolve }
    const abort = () => reject(signal.reason)
    this.#sleepers.add(sleeper)
    for (const watcher of this.#watchers) watcher()
    this.#watchers.clear()
    signal.addEventListener('abort', abort, { once: true })
    return promise.finally(() => {
      this.#sleepers.delete(sleeper)
      signal.removeEventListener('abort', abort)
    })
  }
}

/** A runtime in memory, and what it was asked to do. */
export interface TestRuntime extends AgentRuntime {
  readonly model: ScriptedModel
  readonly questions: QuestionDesk
  readonly commands: CommandRegistry
  readonly clock: TestClock
  /** How long the log was at each flush. */
  readonly flushes: number[]
  /** What `onError` was told. */
  readonly errors: unknown[]
  /** Replaces what a flush does; undefined: succeeds at once. */
  onFlush: (() => Promise<void> | void) | undefined
}

export function testRuntime(
  model = new ScriptedModel(),
  given: { readonly models?: Models; readonly toolsMode?: () => ToolsMode } = {},
): TestRuntime {
  const clock = new TestClock()
  const flushes: number[] = []
  const errors: unknown[] = []
  const runtime: TestRuntime = {
    model,
    models: given.models ?? modelsOf(model),
    tools: new Tools(given.toolsMode),
    prompt: new Prompt(),
    questions: new QuestionDesk(),
    commands: new CommandRegistry(),
    projections: agentProjections(),
    agents: new LiveAgents(),
    stepBoundary: new Set<StepBoundaryListener>(),
    preStep: new Set<PreStepListener>(),
    turnEnd: new Set<TurnEndListener>(),
    kept: new Set(),
    clock,
    flushes,
    errors,
    onFlush: undefined,
    async flush(session) {
      flushes.push(session.length)
      await runtime.onFlush?.()
    },
    now: clock.now,
    sleep: clock.sleep,
    onError: (_, error) => void errors.push(error),
  }
  return runtime
}

/** A session in memory, without a store. An append that breaks a rule of the log fails the test that is running. */
export function memorySession(given: NewSession = {}, now?: () => number): Session {
  return watched(looseSession(given, now))
}

/** The same for tests of one fold: its events need not make a whole log. */
export function looseSession(given: NewSession = {}, now?: () => number): Session {
  const header = newHeader({ id: 'test-session', createdAt: 1_700_000_000_000, ...given }, () => 0)
  return new Session(header, [], now ? { now } : {})
}

const violations: string[] = []
if ('afterEach' in globalThis) afterEach('obeys the rules of the log', () => assert.deepEqual(violations.splice(0), []))

/** The same, of a session that a test makes itself. The append stands, as everywhere. */
export function watched(session: Session): Session {
  observeInvariants(session, ({ rule, message }) => violations.push(`${session.id} ${rule}: ${message}`))
  return session
}

/** An agent on a memory session with a scripted model: the shortest way into a loop test. */
export function testAgent(
  replies: ConstructorParameters<typeof ScriptedModel>[0] = [],
  given: Parameters<typeof testRuntime>[1] = {},
): {
  readonly agent: Agent
  readonly session: Session
  readonly runtime: TestRuntime
  readonly model: ScriptedModel
} {
  const model = new ScriptedModel(replies)
  const runtime = testRuntime(model, given)
  const session = memorySession({}, runtime.now)
  model.log = session
  return { agent: openAgent(session, runtime), session, runtime, model }
}
