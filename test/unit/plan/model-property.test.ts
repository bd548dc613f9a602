import assert from 'node:assert/strict'
import fc from 'fast-check'
import { foldPlanMode, planProjection, planView } from '../../../src/plan/projection.ts'
import { reviewProjection } from '../../../src/plan/review.ts'
import { fold } from '../../../src/session/projections.ts'
import { conversationState } from '../../../src/vscode/pages/conversation-state.ts'
import { phaseOf } from '../../../src/vscode/window-view.ts'
import { assertInvariants } from '../../support/invariants.ts'
import { type Deed, deeds } from './model/deeds.ts'
import { Reference } from './model/reference.ts'
import { World } from './model/world.ts'

/** How long to try, in seconds. `PROPERTY_MINUTES` makes it long, `PROPERTY_SEED` repeats a run. */
const SECONDS = process.env.PROPERTY_MINUTES === undefined ? 30 : Number(process.env.PROPERTY_MINUTES) * 60
const seed = process.env.PROPERTY_SEED === undefined ? Date.now() % 2 ** 31 : Number(process.env.PROPERTY_SEED)

/** One deed, done in the reference and for real, and everything that can be seen of it compared. */
class Done implements fc.AsyncCommand<Reference, World> {
  readonly #deed: Deed
  readonly #count: (name: string) => void

  constructor(deed: Deed, count: (name: string) => void) {
    this.#deed = deed
    this.#count = count
  }

  check(reference: Readonly<Reference>): boolean {
    return this.#deed.when?.(reference) ?? true
  }

  async run(reference: Reference, world: World): Promise<void> {
    this.#count(this.#deed.name)
    const expected = this.#deed.told(reference)
    const outcome = await this.#deed.real(world)
    await world.quiet()
    assert.equal(outcome, expected, 'the outcome')
    compareSurfaces(reference, world)
    const guided = reference.requests.map(({ guidance, notices }) => ({ guidance, exit: guidance, notices }))
    assert.deepEqual(world.requests.slice(-2), guided.slice(-2), 'what the model read')
    assert.equal(world.rewritten, undefined, 'a request only appends')
    assert.equal(world.requests.length, guided.length, 'how often the model was asked')
  }

  toString(): string {
    return this.#deed.name
  }
}

/** The state is the fold of the log, and every surface draws it. */
function compareSurfaces({ now, at }: Reference, { session, controller, agent, conversation }: World): void {
  const { active, waiting } = now
  const view = { active, pending: waiting !== null }
  assert.deepEqual(
    controller.get(agent),
    waiting === null ? { active } : { active, pending: waiting },
    'controller.get',
  )
  assert.deepEqual(controller.view(agent), view, 'controller.view')
  assert.deepEqual(conversation.mode, view, 'the conversation')
  const around = {
    model: { label: 'm', ready: true },
    problem: null,
    noFolder: false,
    shiftTabTogglesMode: true,
    earlier: 0,
    questions: [],
  }
  const state = conversationState(conversation, around)
  assert.deepEqual(state.mode, view, 'the conversation view')
  assert.equal(state.reviewWaiting !== null, now.review, 'the waiting review')
  assert.equal(state.running, at !== 'idle', 'the running turn')
  const phase = phaseOf({ problem: undefined, reviewWaiting: undefined, mode: conversation.mode })
  const name = active ? 'on' : 'off'
  assert.equal(phase, waiting === null ? name : active ? 'offNext' : 'onNext', 'the status bar')
  const cold = [...session.from()]
  assert.deepEqual(planView(fold(planProjection, cold)), view, 'a cold read')
  assert.equal(foldPlanMode(cold), active)
  assert.equal(fold(reviewProjection, cold).waiting !== null, now.review)
}

describe('Plan mode and its reference', () => {
  it('agree whatever happens in whatever order', async () => {
    const seen = new Map<string, number>()
    const count = (name: string) => void seen.set(name, (seen.get(name) ?? 0) + 1)
    const each = deeds.flatMap(deed =>
      Array.from({ length: deed.weight ?? 1 }, () => fc.constant(new Done(deed, count))),
    )
    let runs = 0
    const property = fc.asyncProperty(fc.commands(each, { maxCommands: 60, size: 'max' }), async commands => {
      const reference = new Reference()
      const world = await World.begin()
      await fc.asyncModelRun(() => ({ model: reference, real: world }), commands)
      if (reference.at === 'idle') assertInvariants(world.session)
      await world.end()
      runs++
    })
    try {
      await fc.assert(property, {
        seed,
        numRuns: Number.MAX_SAFE_INTEGER,
        interruptAfterTimeLimit: SECONDS * 1000,
        endOnFailure: false,
      })
      // On a slow machine the time may be over before everything has happened once.
      const missing = () => SECONDS >= 30 && deeds.some(({ name }) => !seen.has(name))
      for (let more = 1; missing() && more <= 40; more++) await fc.assert(property, { seed: seed + more, numRuns: 25 })
    } finally {
      console.log(`      ${runs} conversations, ${[...seen.values()].reduce((a, b) => a + b, 0)} deeds, seed ${seed}`)
    }
    assert.ok(runs >= SECONDS, `something never ended: ${runs} conversations in ${SECONDS} s`)
    if (SECONDS < 30) return
    for (const { name } of deeds) assert.ok((seen.get(name) ?? 0) > 0, `"${name}" never happened`)
  }).timeout(SECONDS * 3000 + 120_000)
})
