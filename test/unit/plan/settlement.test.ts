// A command's end settles what it selected: a rejected one leaves the mode's future as it was before it ran.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { planProjection, planView, waitingSelection } from '../../../src/plan/projection.ts'
import type { EventData, EventType } from '../../../src/session/events.ts'
import { newHeader } from '../../../src/session/header.ts'
import { newUserMessage } from '../../../src/session/messages.ts'
import { fold } from '../../../src/session/projections.ts'
import { Session } from '../../../src/session/session.ts'
import { gate, PlanningAgent, reopened } from './fixture.ts'

/** In plan mode with a turn open, held inside its request. */
async function planningTurn() {
  const hold = gate()
  const planning = new PlanningAgent([[hold, { text: 'done' }]])
  planning.controller.set(planning.agent, true)
  planning.agent.prompt(newUserMessage('go'))
  await planning.model.requested(1)
  return { planning, hold }
}

/** From now on the handler of `/plan` fails, before it selects or after. */
function failing({ controller }: PlanningAgent, when: 'before' | 'after'): void {
  const set = controller.set.bind(controller)
  controller.set = (agent, active) => {
    if (when === 'after') set(agent, active)
    throw new Error('The other half failed.')
  }
}

const nothingWaits = (planning: PlanningAgent) => {
  assert.deepEqual(planning.controller.view(planning.agent), { active: true, pending: false })
  assert.deepEqual(planning.controller.get(planning.agent), { active: true })
}

describe('A rejected /plan off', () => {
  it('whose handler threw after it selected leaves no pending exit, and no boundary commits one', async () => {
    const { planning, hold } = await planningTurn()
    failing(planning, 'after')
    const outcome = await planning.runtime.commands.run(planning.agent, 'plan', ' off')
    assert.equal(outcome.kind, 'error')
    assert.equal(planning.events('plan/selected').length, 1)
    nothingWaits(planning)
    hold.open()
    await planning.agent.whenIdle()
    await planning.say('next')
    assert.deepEqual(
      planning.events('plan/mode').map(({ data }) => data.active),
      [true],
    )
  })

  it('whose handler threw before it selected leaves no pending exit', async () => {
    const { planning, hold } = await planningTurn()
    failing(planning, 'before')
    await planning.runtime.commands.run(planning.agent, 'plan', ' off')
    assert.deepEqual(planning.events('plan/selected'), [])
    nothingWaits(planning)
    hold.open()
    await planning.agent.whenIdle()
  })

  it('that a crash cut after it selected is settled on resume and leaves no pending exit', async () => {
    const { planning } = await planningTurn()
    const { session } = planning
    session.append('command/run', { commandId: 'cut', name: 'plan', args: ' off', source: { kind: 'user' } })
    planning.controller.set(planning.agent, false)
    const later = new PlanningAgent([], { session: reopened(session) })
    assert.equal(later.events('command/done').at(-1)?.data.kind, 'error')
    nothingWaits(later)
    await later.say('go on')
    assert.deepEqual(
      later.events('plan/mode').map(({ data }) => data.active),
      [true],
    )
    await planning.agent.dispose()
  })

  it('leaves the exit that waited before it', async () => {
    const { planning, hold } = await planningTurn()
    planning.controller.set(planning.agent, false)
    failing(planning, 'after')
    await planning.runtime.commands.run(planning.agent, 'plan', '')
    assert.deepEqual(planning.controller.get(planning.agent), { active: true, pending: false })
    hold.open()
    await planning.agent.whenIdle()
  })
})

type Draft = { [T in EventType]: readonly [T, EventData<T>] }[EventType]

const draft: fc.Arbitrary<Draft> = fc.oneof(
  fc
    .record({ commandId: fc.constantFrom('a', 'b', 'c'), args: fc.constantFrom('', ' off', ' do it') })
    .map(({ commandId, args }): Draft => ['command/run', { commandId, name: 'plan', args, source: { kind: 'user' } }]),
  fc
    .record({ commandId: fc.constantFrom('a', 'b', 'c'), kind: fc.constantFrom('success' as const, 'error' as const) })
    .map((data): Draft => ['command/done', data]),
  fc
    .record({ active: fc.boolean(), by: fc.constantFrom('user' as const, 'user' as const, 'review' as const) })
    .map((data): Draft => ['plan/selected', data]),
  fc.boolean().map((active): Draft => ['plan/mode', { active }]),
)

function logOf(drafts: readonly Draft[]): Session {
  const session = new Session(newHeader({ id: 's' }, () => 0))
  for (const [type, data] of drafts) session.append(type, data as never)
  return session
}

describe('The settlement of commands, over random sequences', () => {
  it('never leaves a pending exit that only a rejected /plan off asked for', () => {
    fc.assert(
      fc.property(fc.array(draft, { maxLength: 14 }), fc.boolean(), fc.boolean(), (before, selects, reviewed) => {
        const start = logOf([...before, ['plan/mode', { active: true }]])
        assert.equal(waitingSelection(start.state(planProjection)), undefined)
        start.append('command/run', { commandId: 'off', name: 'plan', args: ' off', source: { kind: 'user' } })
        if (selects) start.append('plan/selected', { active: false, by: 'user' })
        if (reviewed) start.append('command/done', { commandId: 'other', kind: 'success' })
        start.append('command/done', { commandId: 'off', kind: 'error', text: 'no' })
        const state = start.state(planProjection)
        assert.deepEqual(planView(state), { active: true, pending: false })
        assert.equal(waitingSelection(state), undefined)
      }),
    )
  })

  it('a rejected command that selected leaves what waited before it ran, whatever that was', () => {
    fc.assert(
      fc.property(fc.array(draft, { maxLength: 14 }), fc.boolean(), (before, active) => {
        const start = logOf(before)
        const waited = waitingSelection(start.state(planProjection))
        start.append('command/run', {
          commandId: 'new',
          name: 'plan',
          args: active ? '' : ' off',
          source: { kind: 'user' },
        })
        start.append('plan/selected', { active, by: 'user' })
        start.append('command/done', { commandId: 'new', kind: 'error' })
        assert.equal(waitingSelection(start.state(planProjection)), waited)
      }),
    )
  })

  it('keeps its state through storage, and a waiting selection never equals the mode', () => {
    fc.assert(
      fc.property(fc.array(draft, { maxLength: 20 }), drafts => {
        const state = logOf(drafts).state(planProjection)
        assert.deepEqual(planProjection.stored?.parse(JSON.parse(JSON.stringify(state))), state)
        assert.deepEqual(state, fold(planProjection, logOf(drafts).from()))
        assert.notEqual(waitingSelection(state), state.active)
        if (state.selected !== null) assert.notEqual(state.selected.active, state.active)
      }),
    )
  })
})
