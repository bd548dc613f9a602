import assert from 'node:assert/strict'
import { limitOf } from '../../../src/agent/compaction/compactor.ts'
import { newUserMessage } from '../../../src/session/messages.ts'
import { assertGolden } from '../../support/golden.ts'
import { assertInvariants } from '../../support/invariants.ts'
import { assertRequestsFromLog } from '../../support/requests.ts'
import type { Act, Reply } from '../../support/scripted-model.ts'
import { testTool } from '../../support/test-tool.ts'
import { gate } from '../plan/fixture.ts'
import { Compacting, seen, stepRequests, tokens, tooLong, usage } from './fixture.ts'

const WINDOW = 10_000

/** An answer of so many tokens to a request that had `input`. */
function counted(input: number, output: number, ...more: Act[]): Reply {
  return [
    ...more,
    { text: tokens(output) },
    { finish: more.length > 0 ? 'tool-calls' : 'stop', usage: usage(input, output) },
  ]
}

/** `null`: the window is not known. */
function compacting(replies: readonly Reply[], contextWindow: number | null = WINDOW): Compacting {
  const each = new Compacting(replies, { contextWindow })
  each.model.log = each.session
  each.runtime.tools.register(testTool('look', ({ path }) => ({ kind: 'success', text: tokens(Number(path)) })))
  return each
}

function settled(each: Compacting): Compacting {
  assertInvariants(each.session)
  assertRequestsFromLog(each.session, each.model)
  return each
}

describe('automatic compaction', () => {
  it('begins at nine tenths of a window, earlier where the answer needs the room', () => {
    assert.equal(limitOf(1_000_000), 900_000)
    assert.equal(limitOf(128_000), 112_000)
    assert.equal(limitOf(10_000), 8_000)
    assert.equal(limitOf(128_000, 32_000), 96_000)
    assert.equal(limitOf(8_000, 100_000), 4_000, 'an answer never claims more than half')
  })

  it('makes room before the step whose request would come near the window, and not before', async () => {
    const each = compacting([counted(10, 750), counted(770, 750), counted(1_530, 370), [{ text: 'Short.' }]], 2_500)
    await each.say('One')
    await each.say('Two')
    await each.say('Three')
    assert.deepEqual(each.events('compaction/start'), [], '1,900 tokens of 2,500 leave room')
    await each.say(`Four ${tokens(200)}`)
    const types = each.types(each.events('turn/start').at(-1)?.seq)
    assert.deepEqual(types.slice(0, 7), [
      'turn/start',
      'agent/inbox/spliced',
      'compaction/start',
      'compaction/summary',
      'user/message',
      'compaction/end',
      'step/start',
    ])
    assert.equal(each.events('compaction/start')[0]?.data.turn, 4)
    const [summary] = each.events('compaction/summary')
    assert.ok(Math.abs((summary?.data.shadowedTokenCount ?? 0) - 1_530) < 100, 'counted as the provider counts')
    assert.equal(seen(each.session).length, 4, 'the summary, the newest answer, the input, the answer to it')
    settled(each)
    assertGolden('compact-automatic', each.session)
  })

  it('makes room in the middle of a turn, and never parts a call from its result', async () => {
    const look = (size: number): Act => ({ call: 'look', args: { path: String(size) } })
    const each = compacting([
      counted(10, 10, look(3_000)),
      counted(3_050, 10, look(3_000)),
      counted(6_100, 10, look(2_500)),
      [{ text: 'Done.' }],
    ])
    await each.say('Look around')
    assert.equal(each.events('compaction/summary').length, 1)
    const last = stepRequests(each).at(-1)?.prompt ?? []
    assert.deepEqual(
      last.map(({ role }) => role),
      ['user', 'assistant', 'tool'],
    )
    assert.match(JSON.stringify(last[0]), /Look around/, 'the words at work are carried')
    settled(each)
  })

  it('is not tried where little would be gained: what fills the window stays by right', async () => {
    const each = compacting([counted(10, 10), counted(9_000, 10), counted(9_000, 10), counted(9_000, 10)])
    await each.say('One')
    await each.say(tokens(9_000))
    for (const text of ['Two', 'Three']) await each.say(text)
    const before = each.records.length
    assert.ok(before <= 1)
    assert.equal(stepRequests(each).length, 4)
    settled(each)
  })

  it('lets the turn go on after it failed, and does not try again in that turn', async () => {
    const look: Act = { call: 'look', args: { path: '10' } }
    const each = compacting([
      counted(10, 8_500),
      counted(8_600, 10, look),
      counted(8_700, 10, look),
      counted(8_800, 10),
    ])
    each.summaries[0] = [{ text: '' }]
    await each.say('One')
    await each.say('Two')
    assert.equal(each.records.length, 1)
    assert.match(each.events('compaction/end')[0]?.data.error ?? '', /empty summary/)
    assert.deepEqual(each.events('turn/end').at(-1)?.data.reason, { kind: 'completed' })
    each.summaries[0] = [{ text: 'SUMMARY' }]
    await each.say('Three')
    assert.equal(each.events('compaction/summary').length, 1, 'the next turn may try')
    settled(each)
  })

  it('is stopped with the turn; what the person said is in the conversation all the same', async () => {
    const hold = gate()
    const each = compacting([counted(10, 8_500)])
    each.summaries[0] = [{ text: 'SUMM' }, hold]
    await each.say('One')
    each.agent.prompt(newUserMessage('Two'))
    await each.model.requested(2)
    each.agent.cancel()
    await each.agent.whenIdle()
    assert.equal(each.events('compaction/end')[0]?.data.error, 'Stopped.')
    assert.deepEqual(each.events('turn/end').at(-1)?.data.reason, { kind: 'aborted', reason: { kind: 'user' } })
    assert.equal(seen(each.session).at(-1), 'Two')
    settled(each)
  })

  it('writes nothing more once the agent is disposed, and the next life goes on', async () => {
    const hold = gate()
    const each = compacting([counted(10, 8_500)])
    each.summaries[0] = [hold]
    await each.say('One')
    each.agent.prompt(newUserMessage('Two'))
    await each.model.requested(2)
    const { length } = each.session
    await each.agent.dispose()
    assert.equal(each.session.length, length)
  })
})

describe('a request that is too long', () => {
  it('is sent once more after the older part was summarised; the boundary does not run again', async () => {
    const each = compacting([[{ text: tokens(400) }], tooLong, [{ text: 'Now it fits.' }]], null)
    let boundaries = 0
    each.runtime.stepBoundary.add(() => {
      boundaries++
      return []
    })
    await each.say('One')
    await each.say('Two')
    assert.equal(boundaries, 2)
    assert.equal(each.records.length, 1)
    assert.equal(each.events('step/start').length, 2)
    assert.deepEqual(seen(each.session).slice(1), ['Two', 'Now it fits.'])
    assert.equal(each.events('request/header').length, 1, 'the header is frozen')
    settled(each)
    assertGolden('compact-exceeded', each.session)
  })

  it('is tried like that also where the window was thought to be larger', async () => {
    const each = compacting([[{ text: tokens(400) }], tooLong, [{ text: 'Now it fits.' }]], 100_000)
    await each.say('One')
    await each.say('Two')
    assert.equal(seen(each.session).at(-1), 'Now it fits.')
    settled(each)
  })

  it('ends the turn when it is too long a second time, and says what to do', async () => {
    const each = compacting([[{ text: tokens(400) }], tooLong, tooLong], null)
    await each.say('One')
    await each.say('Two')
    const reason = each.events('turn/end').at(-1)?.data.reason
    assert.equal(reason?.kind, 'error')
    if (reason?.kind !== 'error') return
    assert.equal(reason.error.code, 'CONTEXT_WINDOW_EXCEEDED')
    assert.match(
      reason.error.message,
      /also after its older part was summarised\. Run \/compact .* or start a new conversation\.$/,
    )
    assert.equal(each.records.length, 1)
    assert.equal(stepRequests(each).length, 3)
    settled(each)
  })

  it('ends the turn when the summary fails, and says why', async () => {
    const each = compacting([[{ text: tokens(400) }], tooLong, [{ text: 'Later.' }]], null)
    each.summaries[0] = [{ text: 'SUMM' }, { end: true }]
    await each.say('One')
    const before = seen(each.session)
    await each.say('Two')
    const reason = each.events('turn/end').at(-1)?.data.reason
    if (reason?.kind !== 'error') assert.fail(reason?.kind)
    assert.match(
      reason.error.message,
      /could not be summarised\. The summary was cut off before its end\. Run \/compact/,
    )
    assert.deepEqual(seen(each.session), [...before, 'Two'])
    settled(each)
    assertGolden('compact-failed', each.session)
    each.summaries[0] = [{ text: 'SUMMARY' }]
    assert.equal((await each.compact()).kind, 'success')
    await each.say('Three')
    assert.equal(seen(each.session).at(-1), 'Later.')
  })

  it('ends the turn at once when there is nothing before it', async () => {
    const each = compacting([tooLong], null)
    await each.say(tokens(5_000))
    const reason = each.events('turn/end').at(-1)?.data.reason
    if (reason?.kind !== 'error') assert.fail(reason?.kind)
    assert.match(reason.error.message, /too little before it to summarise\. Send less at once/)
    assert.equal(each.records.length, 0)
    settled(each)
  })

  it('leaves other failures alone', async () => {
    const each = compacting([[{ text: 'Hi.' }], { throws: new Error('no') }], null)
    await each.say('One')
    await each.say('Two')
    assert.equal(each.records.length, 0)
  })

  it('is stopped while it is being shortened', async () => {
    const hold = gate()
    const each = compacting([[{ text: tokens(400) }], tooLong], null)
    each.summaries[0] = [hold]
    await each.say('One')
    each.agent.prompt(newUserMessage('Two'))
    await each.model.requested(3)
    each.agent.cancel()
    await each.agent.whenIdle()
    assert.equal(each.events('turn/end').at(-1)?.data.reason.kind, 'aborted')
    settled(each)
  })
})
