import assert from 'node:assert/strict'
import fc from 'fast-check'
import { foldPlanMode, planProjection, planView } from '../../../src/plan/projection.ts'
import { reviewProjection } from '../../../src/plan/review.ts'
import { fold } from '../../../src/session/projections.ts'
import { conversationState } from '../../../src/vscode/pages/conversation-state.ts'
import { phaseOf } from '../../../src/vscode/window-view.ts'
import { assertInvariants } from '../../support/invariants.ts'
import { Course } from './model/course.ts'
import { type Deed, deeds } from './model/deeds.ts'
import { planOf, World } from './model/world.ts'

/** How long to try, in seconds. `PROPERTY_MINUTES` makes it long, `PROPERTY_SEED` (or `SEED`, of the long profile) repeats a run. */
const SECONDS = process.env.PROPERTY_MINUTES === undefined ? 30 : Number(process.env.PROPERTY_MINUTES) * 60
const RUNS = process.env.PROPERTY_MINUTES === undefined ? 3000 : Number.MAX_SAFE_INTEGER
// The same lives in each run of `npm test`; `npm run test:long` draws others.
const seed = Number(process.env.PROPERTY_SEED ?? process.env.SEED ?? 20_261_201)

/** One deed, done in the reference and for real, and everything that can be seen of it compared. */
class Done implements fc.AsyncCommand<Course, World> {
  readonly #deed: Deed
  readonly #count: (name: string) => void

  constructor(deed: Deed, count: (name: string) => void) {
    this.#deed = deed
    this.#count = count
  }

  check(course: Readonly<Course>): boolean {
    return this.#deed.when?.(course) ?? true
  }

  async run(course: Course, world: World): Promise<void> {
    this.#count(this.#deed.name)
    let expected: unknown
    const outcome = await world.live(
      () => this.#deed.real(world),
      () => {
        expected = course.live(() => this.#deed.told(course))
      },
    )
    assert.equal(outcome, expected, 'the outcome')
    compareSurfaces(course, world)
    compareRequests(course, world)
  }

  toString(): string {
    return this.#deed.name
  }
}

/** Told neither twice nor never, guided while the mode is on, and every kept plan there word for word. */
function compareRequests({ requests }: Course, { model }: World): void {
  const latest = requests.slice(-2).map(({ plans: _, ...told }) => told)
  const seen = model.requests.slice(-2).map(({ texts: _, ...told }) => told)
  assert.deepEqual(seen, latest, 'what the model read')
  assert.equal(model.requests.length, requests.length, 'how often the model was asked')
  for (const plan of requests.at(-1)?.plans ?? []) {
    assert.ok(model.requests.at(-1)?.texts.has(planOf(plan)), `plan ${plan} is before the model word for word`)
  }
  assert.equal(model.rewritten, undefined, 'a request only appends, or begins with a summary')
}

/** The state is the fold of the log, and every surface draws it. */
function compareSurfaces({ now, at }: Course, { session, controller, agent, conversation }: World): void {
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
  assert.equal(state.reviewWaiting !== null, now.review !== null, 'the waiting review')
  assert.equal(state.running, at !== 'idle', 'the running turn')
  const phase = phaseOf({ problem: undefined, reviewWaiting: undefined, mode: conversation.mode })
  const name = active ? 'on' : 'off'
  assert.equal(phase, waiting === null ? name : active ? 'offNext' : 'onNext', 'the status bar')
  const cold = [...session.from()]
  assert.deepEqual(planView(fold(planProjection, cold)), view, 'a cold read')
  assert.equal(foldPlanMode(cold), active)
  assert.equal(fold(reviewProjection, cold).waiting !== null, now.review !== null)
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
      const world = new World()
      await world.begin()
      const course = new Course(() => world.summaryBegun)
      await fc.asyncModelRun(() => ({ model: course, real: world }), commands)
      if (course.at === 'idle') assertInvariants(world.session)
      await world.end()
      runs++
    })
    try {
      await fc.assert(property, {
        seed,
        numRuns: RUNS,
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
