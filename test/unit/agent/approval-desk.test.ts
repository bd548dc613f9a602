import assert from 'node:assert/strict'
import type { ApprovalAnswerer, ApprovalOutcome, ApprovalRequest } from '../../../src/agent/approvals.ts'
import { ApprovalDesk } from '../../../src/agent/desks/approval-desk.ts'
import { openAgent } from '../../../src/agent/live/live-agent.ts'
import type { ApprovalPolicy } from '../../../src/session/events.ts'
import { newUserMessage } from '../../../src/session/messages.ts'
import { assertInvariants } from '../../support/invariants.ts'
import { endsOf, eventsOf, resultsOf, typesOf } from '../../support/reading.ts'
import { memorySession, testAgent } from '../../support/runtime.ts'
import { gate, noInnerCalls, testTool } from '../../support/test-tool.ts'

/** A turn whose one call asks the desk and answers with the outcome. */
function scene(answerer: ApprovalAnswerer | undefined, policy: ApprovalPolicy = 'ask') {
  const parts = testAgent([[{ call: 'write', id: 'a' }]])
  const settings = { policy }
  const desk = new ApprovalDesk({ policy: () => settings.policy })
  const registration = answerer && desk.provide(answerer)
  parts.runtime.tools.register(
    testTool('write', async (_, call) => ({
      kind: 'success',
      text: await desk.ask({ toolName: 'write', call, reason: 'Write a.txt.' }),
    })),
  )
  const run = async () => {
    parts.agent.prompt(newUserMessage('go'))
    await parts.agent.whenIdle()
    assertInvariants(parts.session)
    return resultsOf(parts.session)[0]?.text
  }
  return { ...parts, desk, settings, registration, run }
}

const saying = (outcome: ApprovalOutcome): ApprovalAnswerer => ({ answer: async () => outcome })

describe('the approval desk', () => {
  for (const outcome of ['allowed-once', 'rejected', 'cancelled', 'unavailable'] as const) {
    it(`logs the question and the answer "${outcome}"`, async () => {
      const { session, run, runtime } = scene(saying(outcome))
      assert.equal(await run(), outcome)
      const [asked] = eventsOf(session, 'approval/asked')
      const [decided] = eventsOf(session, 'approval/decided')
      const id = asked?.data.id
      assert.deepEqual(asked?.data, { id, toolName: 'write', callId: 'a', reason: 'Write a.txt.' })
      assert.deepEqual(decided?.data, { id, outcome })
      const flushed = runtime.flushes.includes((decided?.seq ?? 0) + 1)
      assert.equal(flushed, outcome === 'allowed-once', 'an approval is durable before it is used')
    })
  }

  it('gives the answerer the whole request', async () => {
    const seen: (ApprovalRequest & { readonly id: string })[] = []
    const { session, run } = scene({
      answer: async request => {
        seen.push(request)
        return 'rejected'
      },
    })
    await run()
    assert.equal(seen[0]?.id, eventsOf(session, 'approval/asked')[0]?.data.id)
    assert.deepEqual([seen[0]?.toolName, seen[0]?.reason, seen[0]?.call.callId], ['write', 'Write a.txt.', 'a'])
  })

  it('is unavailable without an answerer, after it left, and when it throws', async () => {
    assert.equal(await scene(undefined).run(), 'unavailable')
    const left = scene(saying('allowed-once'))
    left.registration?.[Symbol.dispose]()
    assert.equal(await left.run(), 'unavailable')
    const broken = scene({
      answer: () => {
        throw new Error('no window')
      },
    })
    assert.equal(await broken.run(), 'unavailable')
    assert.equal(eventsOf(broken.session, 'approval/decided').length, 1)
  })

  it('refuses without asking under "never", and logs that policy once', async () => {
    const { session, run, model } = scene({ answer: () => assert.fail('it must not ask') }, 'never')
    model.push([{ call: 'write', id: 'b' }])
    assert.equal(await run(), 'rejected')
    await run()
    assert.equal(eventsOf(session, 'approval/asked').length, 0)
    assert.deepEqual(
      eventsOf(session, 'approval/policy').map(({ data }) => data),
      [{ policy: 'never' }],
    )
  })

  it('never asks for a child, says so in its log, and keeps what the delegation logged', async () => {
    const { runtime, desk, agent: parent } = scene(saying('allowed-once'))
    const session = memorySession({ id: 'child', parentSession: parent.session.id }, runtime.now)
    const child = openAgent(session, runtime, parent)
    const call = {
      agent: child,
      callId: 'a',
      turn: 1,
      step: 1,
      signal: new AbortController().signal,
      inner: noInnerCalls,
    }
    const ask = () => desk.ask({ toolName: 'write', call, reason: 'Write a.txt.' })
    assert.equal(await ask(), 'rejected')
    assert.equal(await ask(), 'rejected')
    assert.deepEqual([desk.policyOf(child), desk.policyOf(parent)], ['never', 'ask'])
    assert.deepEqual(
      [...session.from()].map(({ type, data }) => ({ type, data })),
      [{ type: 'approval/policy', data: { policy: 'never', source: 'delegation' } }],
    )
  })

  it('reads the policy anew for each question and logs a change back', async () => {
    const { session, run, settings, desk, model, agent } = scene(saying('allowed-once'), 'never')
    await run()
    settings.policy = 'ask'
    assert.equal(desk.policyOf(agent), 'ask')
    model.push([{ call: 'write', id: 'b' }])
    await run()
    assert.deepEqual(
      eventsOf(session, 'approval/policy').map(({ data }) => data.policy),
      ['never', 'ask'],
    )
    assert.equal(resultsOf(session)[1]?.text, 'allowed-once')
  })

  it('logs exactly one decision, inside the turn, when the turn is cancelled', async () => {
    const asking = gate<ApprovalOutcome>()
    const { agent, session, runtime } = scene({ answer: () => asking.wait() })
    runtime.clock.auto = false
    agent.prompt(newUserMessage('go'))
    await asking.reached
    agent.cancel()
    await agent.whenIdle()
    asking.open('allowed-once')
    await new Promise(setImmediate)
    assert.deepEqual(
      eventsOf(session, 'approval/decided').map(({ data }) => data.outcome),
      ['cancelled'],
    )
    assert.equal(endsOf(session)[0]?.kind, 'aborted')
    assertInvariants(session)
  })

  it('asks nothing for a call that was stopped before', async () => {
    const { agent, session } = testAgent()
    const desk = new ApprovalDesk({ policy: () => 'ask' })
    const inner = { names: [], call: () => assert.fail(), drain: async () => {} }
    const call = { agent, callId: 'a', turn: 1, step: 1, signal: AbortSignal.abort(), inner }
    assert.equal(await desk.ask({ toolName: 'write', call, reason: 'Write.' }), 'cancelled')
    assert.equal(session.length, 0)
  })

  it('writes nothing once the agent is disposed', async () => {
    const asking = gate<ApprovalOutcome>()
    const { agent, session } = scene({ answer: () => asking.wait() })
    agent.prompt(newUserMessage('go'))
    await asking.reached
    await agent.dispose()
    assert.equal(typesOf(session).at(-1), 'approval/asked')
  })
})
