import assert from 'node:assert/strict'
import { installPlanMode } from '../../../src/plan/plan-mode.ts'
import { newUserMessage } from '../../../src/session/messages.ts'
import type { Session } from '../../../src/session/session.ts'
import { assertGolden } from '../../support/golden.ts'
import { assertInvariants } from '../../support/invariants.ts'
import { assertRequestsFromLog } from '../../support/requests.ts'
import type { Reply } from '../../support/scripted-model.ts'
import { testTool } from '../../support/test-tool.ts'
import { gate, PlanningAgent, present, REVISED, reopened, SECTION } from './fixture.ts'

function conversation(replies: readonly Reply[], session?: Session): PlanningAgent {
  const each = new PlanningAgent(replies, session === undefined ? {} : { session })
  each.model.log = each.session
  each.runtime.tools.register(testTool('read_file', undefined, { parallel: true }))
  each.runtime.tools.register(testTool('write_file'))
  return each
}

async function compare(name: string, each: PlanningAgent): Promise<void> {
  await each.agent.whenIdle()
  assertInvariants(each.session)
  assertRequestsFromLog(each.session, each.model)
  assertGolden(name, each.session)
}

/** A turn whose first answer is held until the test opens it. */
async function held(replies: readonly Reply[], session?: Session) {
  const hold = gate()
  const [first, ...more] = replies
  assert.ok(Array.isArray(first))
  const each = conversation([[hold, ...first], ...more], session)
  each.agent.prompt(newUserMessage('Look around'))
  await each.model.requested(1)
  return { each, hold }
}

async function inReview(replies: readonly Reply[]): Promise<PlanningAgent> {
  const each = conversation(replies)
  each.controller.set(each.agent, true)
  each.agent.prompt(newUserMessage('Plan rate limits'))
  await each.reviewed()
  return each
}

/** One conversation for each rule of plan mode and its loop; the file is the documentation of the rule. */
describe('Golden logs of the rules', () => {
  it('a refused step comes after the commit: the turn is blocked and the notice waits for an admitted one', async () => {
    const { each, hold } = await held([[{ text: 'Looked.' }], [{ text: 'I plan.' }]])
    each.controller.set(each.agent, true)
    hold.open()
    await each.agent.whenIdle()
    let refuse = true
    each.runtime.preStep.add(async (_, next) => (refuse ? { kind: 'refuse', reason: 'not now' } : next()))
    await each.say('Plan it')
    refuse = false
    await each.say('Plan it now')
    await compare('rule-blocked-then-told', each)
  })

  it('a header is initial, changed with the mode, left out while it stays, and resumed by the next life', async () => {
    const before = conversation([[{ text: 'Hello.' }], [{ text: 'I plan.' }], [{ text: 'Still planning.' }]])
    await before.say('Hello')
    before.controller.set(before.agent, true)
    await before.say('Plan it')
    await before.say('Go on')
    await before.agent.dispose()
    const each = conversation([[{ text: 'Here again.' }]], reopened(before.session))
    await each.say('And now?')
    await compare('rule-header-reasons', each)
  })

  it('a turn whose input was taken back has no step and commits nothing', async () => {
    const { each, hold } = await held([[{ text: 'Looked.' }], [{ text: 'I plan.' }]])
    each.controller.set(each.agent, true)
    hold.open()
    await each.agent.whenIdle()
    const message = newUserMessage('Never mind')
    using _ = each.session.observe(event => {
      if (event.type === 'turn/start') each.agent.unqueue(message.id)
    })
    each.agent.prompt(message)
    await each.agent.whenIdle()
    assert.deepEqual(each.controller.get(each.agent), { active: false, pending: true })
    await each.say('Plan it')
    await compare('rule-turn-without-step', each)
  })

  it('on, off and on again within a turn is one change', async () => {
    const { each, hold } = await held([[{ call: 'read_file', args: { path: 'a.ts' } }], [{ text: 'I plan.' }]])
    for (const active of [true, false, true]) each.controller.set(each.agent, active)
    hold.open()
    await compare('rule-on-off-on', each)
  })

  it('on and off again within a turn is none', async () => {
    const { each, hold } = await held([[{ call: 'read_file', args: { path: 'a.ts' } }], [{ text: 'Read.' }]])
    for (const active of [true, false]) each.controller.set(each.agent, active)
    hold.open()
    await compare('rule-on-off', each)
  })

  it('an approval that the user takes back before its boundary: plan mode stays, and the model is told', async () => {
    const each = conversation([[present(), { call: 'change_mind' }], [{ text: 'I go on planning.' }]])
    const changeMind = testTool('change_mind', () => {
      each.controller.set(each.agent, true)
      return { kind: 'success', text: 'The user changed their mind.' }
    })
    each.runtime.tools.register(changeMind)
    each.controller.set(each.agent, true)
    each.agent.prompt(newUserMessage('Plan rate limits'))
    await each.reviewed()
    await each.decide('approved')
    await compare('rule-approval-taken-back', each)
  })

  it('a late approval that the user takes back: nothing told the model that plan mode ended', async () => {
    const each = await inReview([[present()], [{ text: 'I go on planning.' }]])
    each.agent.cancel()
    await each.agent.whenIdle()
    using _ = each.session.observe(event => {
      if (event.type === 'plan/selected' && event.data.by === 'review') each.controller.set(each.agent, true)
    })
    await each.decide('approved')
    await compare('rule-late-approval-taken-back', each)
  })

  it('an approval whose result a crash took away ends plan mode at the next boundary, which tells it', async () => {
    const before = await inReview([[present()]])
    before.runtime.onFlush = () => new Promise(() => {})
    void before.decide('approved')
    await before.until(() => before.events('plan/selected').length === 1)
    const each = conversation([[{ text: 'I carry it out.' }]], reopened(before.session))
    await each.say('Go on')
    await compare('rule-approval-result-lost', each)
  })

  it('the rest of an approved batch runs under plan guidance, parallel calls side by side, results in model order', async () => {
    const each = await inReview([
      [
        present(),
        { call: 'read_file', args: { path: 'a.ts' } },
        { call: 'read_file', args: { path: 'b.ts' } },
        { call: 'write_file', args: { path: 'c.ts' } },
      ],
      [{ text: 'Done.' }],
    ])
    await each.decide('approved')
    await compare('rule-rest-of-batch', each)
  })

  it('the second plan of an approved batch is refused', async () => {
    const each = await inReview([[present(), present(REVISED)], [{ text: 'Done.' }]])
    await each.decide('approved')
    await compare('rule-two-plans', each)
  })

  it('a review that is answered after the turn was stopped', async () => {
    const each = await inReview([[present(), { call: 'read_file' }], [{ text: 'Done.' }]])
    each.agent.cancel()
    await each.agent.whenIdle()
    await each.decide('approved')
    await compare('rule-answer-after-stop', each)
  })

  it('plan mode is reloaded while a plan is under review: the call fails and plan mode stays', async () => {
    const each = await inReview([[present()], [{ text: 'I wait.' }]])
    each.installed[Symbol.dispose]()
    using _ = installPlanMode(each.runtime, () => ({ section: SECTION }))
    await compare('rule-reload-in-review', each)
  })

  it('nothing shows the review any more: the call fails and plan mode stays', async () => {
    const each = await inReview([[present()], [{ text: 'I wait.' }]])
    each.provided?.[Symbol.dispose]()
    await compare('rule-provider-lost', each)
  })

  it('a retry of a step sends the frozen request; the selection made meanwhile waits for the next step', async () => {
    const busy = { throws: Object.assign(new Error('busy'), { statusCode: 429, isRetryable: true }) }
    const each = conversation([busy, [{ call: 'read_file', args: { path: 'a.ts' } }], [{ text: 'I plan.' }]])
    using _ = each.session.observe(event => {
      if (event.type === 'llm/retry') each.controller.set(each.agent, true)
    })
    each.agent.prompt(newUserMessage('Look around'))
    await compare('rule-retry', each)
  })
})
