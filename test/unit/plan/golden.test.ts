import assert from 'node:assert/strict'
import { newUserMessage } from '../../../src/session/messages.ts'
import type { Session } from '../../../src/session/session.ts'
import { assertGolden } from '../../support/golden.ts'
import { assertInvariants } from '../../support/invariants.ts'
import type { Reply } from '../../support/scripted-model.ts'
import { testTool } from '../../support/test-tool.ts'
import { gate, PlanningAgent, present, REVISED, reopened } from './fixture.ts'

const LAST = '# Add rate limits\n\nOne bucket per user, in memory.\n\n1. Write the limiter.\n2. Test it.\n'
const prompt = 'Plan rate limits for the API'
const explore: Reply = [
  { reasoning: 'I look first.' },
  { text: 'I read the router.' },
  { call: 'read_file', args: { path: 'src/router.ts' } },
]

/** Whole conversations, event by event: what is read here is what a person finds in the workspace. */
function conversation(replies: readonly Reply[], session?: Session): PlanningAgent {
  const each = new PlanningAgent(replies, session === undefined ? {} : { session })
  each.runtime.tools.register(testTool('read_file', undefined, { parallel: true }))
  each.runtime.tools.register(testTool('write_file'))
  return each
}

function compare(name: string, { session }: PlanningAgent): void {
  assertInvariants(session)
  assertGolden(name, session)
}

describe('Golden logs of plan mode', () => {
  it('enter in the middle of a turn', async () => {
    const hold = gate()
    const each = conversation([
      [{ text: 'I read.' }, hold, { call: 'read_file', args: { path: 'a.ts' } }],
      [{ text: 'I plan now.' }],
    ])
    each.agent.prompt(newUserMessage('Add rate limits to the API'))
    await each.model.requested(1)
    assert.equal(each.controller.set(each.agent, true), 'queued')
    hold.open()
    await each.agent.whenIdle()
    compare('plan-enter-mid-turn', each)
  })

  it('/plan with a message, explore, present, approve, carry out', async () => {
    const each = conversation([
      explore,
      [present()],
      [{ call: 'write_file', args: { path: 'src/limiter.ts' } }],
      [{ text: 'Done.' }],
    ])
    await each.runtime.commands.run(each.agent, 'plan', ` ${prompt}`)
    await each.reviewed()
    await each.decide('approved')
    await each.agent.whenIdle()
    compare('plan-approve', each)
  })

  it('revise twice, then approve', async () => {
    const each = conversation([[present()], [present(REVISED)], [present(LAST)], [{ text: 'Carried out.' }]])
    each.controller.set(each.agent, true)
    each.agent.prompt(newUserMessage(prompt))
    await each.reviewed()
    await each.decide('kept', 'Per user, not per key.')
    await each.reviewed()
    await each.decide('kept')
    await each.reviewed()
    await each.decide('approved')
    await each.agent.whenIdle()
    compare('plan-revise-twice', each)
  })

  it('dismiss, talk, and leave by hand', async () => {
    const each = conversation([
      [present(), { call: 'read_file', args: { path: 'a.ts' } }],
      [{ text: 'Because of abuse.' }],
      [{ text: 'Yes.' }],
    ])
    each.controller.set(each.agent, true)
    each.agent.prompt(newUserMessage(prompt))
    await each.reviewed()
    await each.decide('dismissed')
    await each.agent.whenIdle()
    await each.say('Why at all?')
    each.controller.set(each.agent, false)
    await each.say('Start then')
    compare('plan-dismiss', each)
  })

  it('leave while a review waits', async () => {
    const each = conversation([[present()], [{ text: 'What should I do?' }]])
    each.controller.set(each.agent, true)
    each.agent.prompt(newUserMessage(prompt))
    await each.reviewed()
    await each.runtime.commands.run(each.agent, 'plan', ' off')
    await each.agent.whenIdle()
    compare('plan-withdrawn', each)
  })

  it('a crash during the review', async () => {
    compare('plan-crash', await crashed())
  })

  it('resume after the crash, approve late, carry out', async () => {
    const { session } = await crashed()
    const each = conversation(
      [[{ call: 'write_file', args: { path: 'src/limiter.ts' } }], [{ text: 'Done.' }]],
      session,
    )
    await each.decide('approved')
    await each.agent.whenIdle()
    compare('plan-late-approval', each)
  })

  it('a selection made after the last step of a turn survives the process', async () => {
    const hold = gate()
    const before = conversation([[{ text: 'Nearly done.' }, hold]])
    before.agent.prompt(newUserMessage('Look around'))
    await before.model.requested(1)
    before.controller.set(before.agent, true)
    hold.open()
    await before.agent.whenIdle()
    await before.agent.dispose()
    const each = conversation([[{ text: 'I plan.' }]], reopened(before.session))
    await each.say('And now?')
    compare('plan-selected-survives', each)
  })
})

/** The conversation as the next process opens it, with a review whose call the crash took away. */
async function crashed(): Promise<PlanningAgent> {
  const before = conversation([explore, [present()]])
  before.controller.set(before.agent, true)
  before.agent.prompt(newUserMessage(prompt))
  await before.reviewed()
  return conversation([], reopened(before.session))
}
