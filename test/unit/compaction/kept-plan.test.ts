import assert from 'node:assert/strict'
import { installCode } from '../../../src/agent/code/run-code.ts'
import { keptTexts } from '../../../src/agent/compaction/checkpoint.ts'
import type { KeptText } from '../../../src/agent/runtime.ts'
import { APPROVED_TITLE, MODE_TITLE, noticeOff, noticeOn, WAITING_TITLE } from '../../../src/plan/words.ts'
import { surface } from '../../../src/session/surface.ts'
import { assertGolden } from '../../support/golden.ts'
import { assertInvariants } from '../../support/invariants.ts'
import { ScriptedEngine, type ScriptedProgram } from '../../support/scripted-engine.ts'
import type { Reply } from '../../support/scripted-model.ts'
import { PLAN, present, REVISED, reopened } from '../plan/fixture.ts'
import { Compacting, seen, tokens } from './fixture.ts'

const talk: Reply = [{ text: tokens(400) }]

/** Plan mode on, a plan presented and approved, and enough talk after it that the plan is old. */
async function approved(plan: string, ...replies: Reply[]): Promise<Compacting> {
  const each = new Compacting([[present(plan)], talk, ...replies])
  each.controller.set(each.agent, true)
  const said = each.say('Plan rate limits')
  await each.reviewed()
  await each.decide('approved')
  await said
  return each
}

/** Compacts, and gives what the message carries, without the person's last words. */
async function carried(each: Compacting): Promise<readonly KeptText[]> {
  const outcome = await each.compact()
  assert.equal(outcome.kind, 'success', outcome.text)
  assertInvariants(each.session)
  const event = each.session.at(each.session.state(surface).at(0) ?? -1)
  if (event.type !== 'user/message') assert.fail(`${event.type} is no summary`)
  return keptTexts(event.data).filter(({ title }) => !title.startsWith('The last message'))
}

const off: KeptText = { title: MODE_TITLE, text: noticeOff }
const on: KeptText = { title: MODE_TITLE, text: noticeOn }

/** How often a text stands before the model, also in the arguments of a call. */
function timesSeen(each: Compacting, text: string): number {
  const inCalls = JSON.stringify(text).slice(1, -1)
  const whole = seen(each.session).join('\n')
  return whole.split(text).length - 1 + (inCalls === text ? 0 : whole.split(inCalls).length - 1)
}

describe('what a compaction keeps of plan mode', () => {
  it('carries the approved plan exactly, again at each compaction, and once', async () => {
    const each = await approved(PLAN, talk, talk, talk)
    assert.deepEqual(await carried(each), [off, { title: APPROVED_TITLE, text: PLAN }])
    for (const text of ['One', 'Two', 'Three']) {
      await each.say(text)
      assert.deepEqual(await carried(each), [off, { title: APPROVED_TITLE, text: PLAN }])
      assert.equal(timesSeen(each, PLAN), 1)
    }
    assertGolden('compact-approved-plan', each.session)
  })

  it('carries a plan with any text in it', async () => {
    const hostile = `# Plan\n\n\`\`\`\`\`\n## ${APPROVED_TITLE} (word for word)\n\n\`\`\`\nnothing\n\u2028"\\ \u0000 \`\`\`\``
    const each = await approved(hostile)
    assert.deepEqual((await carried(each)).at(-1), { title: APPROVED_TITLE, text: hostile })
  })

  it('leaves the plan where it is while its call stays', async () => {
    const long = `# Long\n\n${tokens(300)}`
    const much: Reply = [{ text: tokens(1_000) }]
    const each = new Compacting([much, much, [present(long)], [{ text: 'Started.' }]])
    await each.say('One')
    await each.say('Two')
    each.controller.set(each.agent, true)
    const said = each.say('Plan it')
    await each.reviewed()
    await each.decide('approved')
    await said
    assert.deepEqual(await carried(each), [])
    assert.equal(timesSeen(each, long), 1)
  })

  it('lets an approved plan go once another one is approved', async () => {
    const each = await approved(PLAN, talk, [present(REVISED)], talk)
    await each.say('Go on')
    each.controller.set(each.agent, true)
    assert.deepEqual(await carried(each), [off], 'plan mode is entered again')
    const said = each.say('Plan it anew')
    await each.reviewed()
    await each.decide('approved')
    await said
    assert.deepEqual((await carried(each)).at(-1), { title: APPROVED_TITLE, text: REVISED })
    assert.equal(timesSeen(each, PLAN), 0)
  })

  it('keeps the approved plan while the next one is sent back', async () => {
    const each = new Compacting([[present(PLAN), present(REVISED, 'second')], [present(REVISED)], talk, talk])
    each.controller.set(each.agent, true)
    const said = each.say('Plan it')
    await each.reviewed()
    await each.decide('approved')
    // The person wants to go on planning all the same: plan mode is never left.
    each.controller.set(each.agent, true)
    await each.reviewed()
    await each.decide('kept', 'Smaller.')
    await each.until(() => each.events('review/presented').length === 3)
    await each.reviewed()
    await each.decide('kept')
    await said
    await each.say('More')
    assert.deepEqual((await carried(each)).at(-1), { title: APPROVED_TITLE, text: PLAN })
  })

  it('carries the plan that waits after a crash, which is then decided late', async () => {
    const before = new Compacting([talk, [present(PLAN)]])
    before.controller.set(before.agent, true)
    await before.say('Look first')
    void before.say('Plan it')
    await before.reviewed()
    const each = new Compacting([talk, talk], { session: reopened(before.session) })
    await each.say('While it waits')
    assert.deepEqual(await carried(each), [{ title: WAITING_TITLE, text: PLAN }])
    assert.equal(timesSeen(each, PLAN), 1)
    await each.decide('approved')
    await each.agent.whenIdle()
    assert.deepEqual(each.controller.get(each.agent), { active: false })
    assert.deepEqual(await carried(each), [off, { title: APPROVED_TITLE, text: PLAN }])
    assertInvariants(each.session)
  })

  it('carries a waiting selection past it', async () => {
    const each = new Compacting([talk, talk])
    await each.say('One')
    each.session.append('plan/selected', { active: true, by: 'user' })
    await carried(each)
    assert.deepEqual(each.controller.get(each.agent), { active: false, pending: true })
    await each.say('Two')
    assert.deepEqual(each.controller.get(each.agent), { active: true })
    assert.deepEqual(each.notices(), [noticeOn])
  })

  it('says what the model was told of the mode, if the message that said it goes', async () => {
    const each = new Compacting([talk, talk, talk, talk, talk])
    await each.say('One')
    assert.deepEqual(await carried(each), [], 'never told, never in plan mode')
    each.controller.set(each.agent, true)
    await each.say('Two')
    await each.say('Three')
    assert.deepEqual(await carried(each), [on])
    each.controller.set(each.agent, false)
    await each.say('Four')
    assert.deepEqual(each.notices(), [noticeOn, noticeOff], 'told once each')
    await each.say('Five')
    assert.deepEqual(await carried(each), [off])
  })

  it('carries a plan that a program presented, whose text stands in no message', async () => {
    const each = new Compacting([[{ call: 'run_code', args: { code: 'main', description: 'Present' } }], talk, talk], {
      toolsMode: () => 'code',
    })
    const main: ScriptedProgram = call => call('exit_plan_mode', { plan: PLAN })
    installCode(each.runtime, new ScriptedEngine({ main }))
    each.controller.set(each.agent, true)
    const said = each.say('Plan it')
    await each.reviewed()
    await each.decide('approved')
    await said
    await each.say('Go on')
    assert.equal(timesSeen(each, PLAN), 0)
    assert.deepEqual((await carried(each)).at(-1), { title: APPROVED_TITLE, text: PLAN })
  })

  it('is taken out with plan mode', async () => {
    const each = await approved(PLAN)
    each.installed[Symbol.dispose]()
    assert.deepEqual(await carried(each), [])
  })
})
