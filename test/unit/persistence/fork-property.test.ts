import assert from 'node:assert/strict'
import fc from 'fast-check'
import { loggedPolicy } from '../../../src/agent/desks/approval-desk.ts'
import { inboxOf } from '../../../src/agent/live/inbox.ts'
import { requestState } from '../../../src/agent/request/request.ts'
import { PersistenceCoordinator } from '../../../src/persistence/coordinator.ts'
import { SessionStore } from '../../../src/persistence/store.ts'
import { planProjection } from '../../../src/plan/projection.ts'
import { reviewProjection } from '../../../src/plan/review.ts'
import { planTold } from '../../../src/plan/told.ts'
import type { EventData } from '../../../src/session/events.ts'
import { newUserMessage } from '../../../src/session/messages.ts'
import type { Projection } from '../../../src/session/projections.ts'
import { Session } from '../../../src/session/session.ts'
import { deriveMessages } from '../../../src/session/surface.ts'
import { title } from '../../../src/session/title.ts'
import { turnBoundary } from '../../../src/session/turns.ts'
import { MemoryBackend } from '../../support/memory-backend.ts'

/** What happens between turns, or inside one; the ids are the event's own place, so that they are unique. */
type Deed = (session: Session) => void

const say = (text: string) => newUserMessage(text)
const mode = fc.boolean().map(
  (active): Deed =>
    session =>
      void session.append('plan/mode', { active }),
)
const selection = fc
  .constantFrom<EventData<'plan/selected'>>({ active: true, by: 'user' }, { active: false, by: 'review' })
  .map(
    (data): Deed =>
      session =>
        void session.append('plan/selected', data),
  )
const policy = fc.constantFrom('ask' as const, 'never' as const).map(
  (value): Deed =>
    session =>
      void session.append('approval/policy', { policy: value }),
)
const name = fc.constantFrom('One', 'Two').map(
  (words): Deed =>
    session =>
      void session.append('session/title', { title: words, messageSeqs: [], source: { kind: 'user' } }),
)
const queue: fc.Arbitrary<Deed> = fc.constantFrom('next-turn' as const, 'next-step' as const).map(target => session => {
  const { nextTurn, nextStep } = inboxOf(session)
  const start = target === 'next-turn' ? nextTurn.length : nextStep.length
  session.append('agent/inbox/spliced', { target, start, inserted: [say('queued')] })
})
const message: fc.Arbitrary<Deed> = fc.constant(session => void session.append('user/message', say('said')))
const header: fc.Arbitrary<Deed> = fc.constant(
  session =>
    void session.append('request/header', { header: { config: { provider: 'p', model: 'm' } }, reason: 'initial' }),
)
const presented: fc.Arbitrary<Deed> = fc.boolean().map(decided => session => {
  const [callId, reviewId] = [`call-${session.length}`, `review-${session.length}`]
  session.append('tool/call', { turn: 1, step: 1, callId, name: 'exit_plan_mode', arguments: '{"plan":"# P"}' })
  session.append('review/presented', { reviewId, callId, planHash: 'h' })
  if (decided) session.append('review/decided', { reviewId, decision: 'approved', planHash: 'h' })
})
const todo: fc.Arbitrary<Deed> = fc.constant(session => void session.append('todo/write', { todos: [] }))

const between = fc.array(fc.oneof(mode, selection, policy, name, queue), { maxLength: 3 })
const inside = fc.array(fc.oneof(mode, selection, queue, message, header, presented, todo), { maxLength: 5 })
const turns = fc.array(fc.record({ inside, between }), { minLength: 1, maxLength: 5 })

const folds = [planProjection, planTold, reviewProjection, loggedPolicy, title, turnBoundary, requestState]

describe('forking: property', () => {
  it('a fork is its parent up to the cut in every fold, with nothing pending', async () => {
    await fc.assert(
      fc.asyncProperty(between, turns, fc.nat(), async (before, script, at) => {
        const persistence = new PersistenceCoordinator(new MemoryBackend())
        const store = new SessionStore({ root: '/nowhere', persistence })
        const { session: parent } = await store.create({ id: 'p' })
        const cuts: number[] = []
        for (const deed of before) deed(parent)
        for (const [index, turn] of script.entries()) {
          parent.append('turn/start', { turn: index + 1 })
          for (const deed of turn.inside) deed(parent)
          parent.append('turn/end', { turn: index + 1, reason: { kind: 'completed' } })
          for (const deed of turn.between) deed(parent)
          cuts.push(parent.length)
        }
        const turn = (at % script.length) + 1
        const cut = cuts[turn - 1] ?? 0
        const { session: child } = await store.fork('p', { turn })
        const prefix = new Session(parent.header, [...parent.from()].slice(0, cut))
        assert.equal(child.header.seedLength, cut)
        assert.deepEqual([...child.from()].slice(0, cut), [...prefix.from()])
        for (const fold of folds as Projection<unknown>[]) {
          assert.deepEqual(child.state(fold), prefix.state(fold), fold.key)
        }
        assert.deepEqual(deriveMessages(child), deriveMessages(prefix))
        assert.deepEqual(inboxOf(child), { nextTurn: [], nextStep: [] })
        await store.dispose()
      }),
      { numRuns: 100 },
    )
  })
})
