import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { z } from 'zod'
import type { Agent } from '../../../src/agent/agent.ts'
import { inbox, inboxOf } from '../../../src/agent/live/inbox.ts'
import { openAgent } from '../../../src/agent/live/live-agent.ts'
import { agentProjections } from '../../../src/agent/live/projections.ts'
import { PlanModeController } from '../../../src/plan/controller.ts'
import { installPlanMode } from '../../../src/plan/plan-mode.ts'
import { planProjection } from '../../../src/plan/projection.ts'
import type { SessionEvent } from '../../../src/session/events.ts'
import { newHeader } from '../../../src/session/header.ts'
import { newUserMessage } from '../../../src/session/messages.ts'
import { ProjectionRegistry } from '../../../src/session/projection-registry.ts'
import { type Checkpoint, type Projection, resumed } from '../../../src/session/projections.ts'
import { Session } from '../../../src/session/session.ts'
import { todo } from '../../../src/session/todo.ts'
import { turnBoundary } from '../../../src/session/turns.ts'
import { memorySession, testRuntime } from '../../support/runtime.ts'

const KEYS = [
  'approvalPolicy',
  'approvedPlan',
  'compactions',
  'inbox',
  'keptPlans',
  'pictures',
  'plan',
  'planTold',
  'request',
  'review',
  'title',
  'todo',
  'turnBoundary',
]
const unknownPlan = {
  code: 'UNKNOWN_PROJECTION',
  message:
    'The projection "plan" is not part of this composition. Plan mode (installPlanMode) has to register it before it is read.',
}

describe('the projection registry', () => {
  it('holds what the runtime and plan mode bring, and takes plan mode out again', () => {
    const runtime = testRuntime()
    const keys = () => runtime.projections.all.map(({ key }) => key).sort()
    const before = keys()
    const plan = installPlanMode(runtime, () => ({ section: 'Plan.' }))
    assert.deepEqual(keys(), KEYS)
    assert.throws(() => installPlanMode(runtime, () => ({ section: 'Plan.' })), { code: 'PROJECTION_CLASH' })
    plan[Symbol.dispose]()
    assert.deepEqual(keys(), before)
    installPlanMode(runtime, () => ({ section: 'Plan.' }))
    assert.deepEqual(keys(), KEYS)
  })

  it('names the key and who must register it at the first dependent access', () => {
    const session = memorySession()
    const agentWith = (projections: ProjectionRegistry) => ({ session, runtime: { projections } }) as Agent
    const controller = new PlanModeController()
    assert.throws(() => controller.get(agentWith(agentProjections())), unknownPlan)
    assert.throws(() => controller.set(agentWith(agentProjections()), true), unknownPlan)
    const alone = new ProjectionRegistry()
    alone.register(planProjection)
    for (const act of [() => controller.get(agentWith(alone)), () => controller.set(agentWith(alone), true)]) {
      assert.throws(act, { code: 'UNKNOWN_PROJECTION', message: /"turnBoundary".*agentProjections/ })
    }
    const runtime = { ...testRuntime(), projections: new ProjectionRegistry() }
    assert.throws(() => openAgent(session, runtime), { code: 'UNKNOWN_PROJECTION', message: /"inbox"/ })
    assert.equal(session.length, 0)
  })

  it('refuses a second definition of a key', () => {
    const projections = agentProjections()
    const other: Projection<number> = { key: 'todo', version: 1, initial: 0, apply: state => state }
    assert.throws(() => projections.register(other), { code: 'PROJECTION_CLASH' })
    assert.throws(() => projections.state(memorySession(), other), { code: 'PROJECTION_CLASH' })
  })

  it('reads todo as the list written last', () => {
    const projections = agentProjections()
    const session = memorySession()
    assert.deepEqual(projections.state(session, todo), [])
    session.append('turn/start', { turn: 1 })
    session.append('todo/write', { todos: [{ content: 'one', status: 'pending' }] })
    const { todos } = session.append('todo/write', { todos: [{ content: 'one', status: 'completed' }] }).data
    assert.ok(projections.state(session, todo) === todos)
  })
})

describe('a projection of own events only', () => {
  const splice = (seq: number, id: string) =>
    ({
      type: 'agent/inbox/spliced',
      seq,
      time: 0,
      data: { target: 'next-turn', start: 0, inserted: [{ ...newUserMessage('x'), id }] },
    }) as SessionEvent

  it('passes over what a fork inherited, also beside a checkpoint that reaches less far', () => {
    const events = [splice(0, 'a'), splice(1, 'b'), splice(2, 'c')]
    const session = new Session(
      newHeader({ id: 'fork', seedLength: 2 }, () => 0),
      events,
    )
    assert.deepEqual(
      inboxOf(session).nextTurn.map(({ id }) => id),
      ['c'],
    )
    assert.equal(session.checkpoints().find(({ key }) => key === 'inbox')?.next, 3)
  })
})

describe('a checkpoint', () => {
  const own = { key: 'turnBoundary', version: turnBoundary.version, next: 2 }
  const state = { turn: 1, step: 0, turnOpen: true, stepOpen: false }

  it('is gone on from when version, shape and place fit', () => {
    assert.deepEqual(resumed(turnBoundary, [{ ...own, state }], 2), { state, next: 2 })
  })

  it('is not read when it is of another build or no state at all', () => {
    const strange: [string, Partial<Checkpoint>][] = [
      ['an older version', { version: own.version - 1 }],
      ['a newer version', { version: own.version + 1 }],
      ['another key', { key: 'plan' }],
      ['a place behind the log', { next: 3 }],
      ['a place before it', { next: -1 }],
      ['no place', { next: 0.5 }],
      ['an unknown key in its state', { state: { ...state, more: 1 } }],
      ['a missing key', { state: { turn: 1 } }],
      ['no state', { state: null }],
    ]
    for (const [name, change] of strange) {
      assert.equal(resumed(turnBoundary, [{ ...own, state, ...change }], 2), undefined, name)
    }
    assert.equal(resumed({ ...turnBoundary, stored: undefined } as never, [{ ...own, state }], 2), undefined)
  })

  it('of any JSON gives a state that parses, or none', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer(), (any, next) => {
        for (const projection of [turnBoundary, planProjection, inbox, todo] as readonly Projection<unknown>[]) {
          const { key, version, stored } = projection
          const kept = resumed(projection, [{ key, version, next, state: any }], 10)
          if (kept !== undefined) assert.ok((stored as z.ZodType).safeParse(kept.state).success)
        }
      }),
    )
  })
})
