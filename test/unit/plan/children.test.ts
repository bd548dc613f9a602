import assert from 'node:assert/strict'
import { openAgent } from '../../../src/agent/live/live-agent.ts'
import { planProjection } from '../../../src/plan/projection.ts'
import { newUserMessage } from '../../../src/session/messages.ts'
import { eventsOf, resultsOf } from '../../support/reading.ts'
import { memorySession } from '../../support/runtime.ts'
import { PlanningAgent, present } from './fixture.ts'

/** A planning agent, and a session that it owns as a child does. */
function family(replies: ConstructorParameters<typeof PlanningAgent>[0] = []) {
  const parent = new PlanningAgent(replies)
  const session = memorySession(
    { id: 'child', parentSession: parent.session.id, origin: 'subagent', delegationDepth: 1 },
    parent.runtime.now,
  )
  return { parent, session }
}

describe('plan mode in a child', () => {
  it('begins inactive, whatever its parent is in', () => {
    const { parent, session } = family()
    parent.controller.set(parent.agent, true)
    const child = openAgent(session, parent.runtime, parent.agent)
    assert.deepEqual(parent.controller.get(child), { active: false })
    assert.deepEqual(session.state(planProjection), planProjection.initial)
  })

  it('puts no plan before the user: the call says where the decision belongs', async () => {
    const { parent, session } = family([[present()], [{ text: 'So I report it.' }]])
    session.append('plan/mode', { active: true })
    const child = openAgent(session, parent.runtime, parent.agent)
    child.prompt(newUserMessage('go'))
    await child.whenIdle()
    const [result] = resultsOf(session)
    assert.equal(result?.code, 'UserQuestionError/DELEGATED_CALLER')
    assert.match(result?.text ?? '', /into your final result/)
    assert.deepEqual(eventsOf(session, 'review/presented'), [])
    assert.equal(session.state(planProjection).active, true)
  })

  it('that a person resumed as a root puts its plan before the user', async () => {
    const { parent, session } = family([[present()], [{ text: 'Done.' }]])
    session.append('plan/mode', { active: true })
    await openAgent(session, parent.runtime, parent.agent).dispose()
    const root = openAgent(session, parent.runtime)
    root.prompt(newUserMessage('go'))
    await parent.until(() => parent.desk.isLive(root))
    const [presented] = eventsOf(session, 'review/presented')
    assert.ok(presented)
    const { reviewId, planHash } = presented.data
    await parent.desk.decide(root, { reviewId, planHash, decision: 'approved' })
    await root.whenIdle()
    assert.equal(session.state(planProjection).active, false)
  })
})
