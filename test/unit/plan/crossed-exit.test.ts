import assert from 'node:assert/strict'
import { noticeOff, noticeOn } from '../../../src/plan/words.ts'
import { newUserMessage } from '../../../src/session/messages.ts'
import { testTool } from '../../support/test-tool.ts'
import { PlanningAgent, present, settled } from './fixture.ts'

/** Up to three selections of the user, in every order. */
const selections = [
  [],
  ...['on', 'off'].flatMap(a => [
    [a],
    ...['on', 'off'].flatMap(b => [
      [a, b],
      [a, b, 'on'],
      [a, b, 'off'],
    ]),
  ]),
]

/** An approved exit whose boundary is still to come, crossed by the user: `after` is selected behind the approval. */
async function crossed(before: readonly string[], after: readonly string[]): Promise<PlanningAgent> {
  const planning = new PlanningAgent([[{ call: 'before' }, present(), { call: 'after' }], [{ text: 'Going on.' }]])
  const select = (which: readonly string[]) => () => {
    for (const each of which) planning.controller.set(planning.agent, each === 'on')
    return { kind: 'success' as const, text: 'selected' }
  }
  planning.runtime.tools.register(testTool('before', select(before)))
  planning.runtime.tools.register(testTool('after', select(after)))
  planning.controller.set(planning.agent, true)
  planning.agent.prompt(newUserMessage('Plan rate limits'))
  await planning.reviewed()
  await planning.decide('approved')
  return settled(planning)
}

describe('The silent exit, crossed by the user', () => {
  for (const before of [[], ['off'], ['off', 'on']]) {
    for (const after of selections) {
      const name = `${before.join(', ') || 'nothing'} before, ${after.join(', ') || 'nothing'} after`
      it(`${name}: ends in the user's last word, told once`, async () => {
        const planning = await crossed(before, after)
        const on = after.at(-1) === 'on'
        assert.deepEqual(planning.controller.get(planning.agent), { active: on })
        const modes = planning.events('plan/mode').map(({ data }) => data.active)
        assert.deepEqual(modes, on ? [true] : [true, false], 'at most one change')
        assert.deepEqual(planning.notices(), on ? [noticeOn] : [], 'the result told of the exit')
        await planning.say('and now?')
        assert.equal(planning.notices().length, on ? 1 : 0, 'never again')
        assert.ok(!planning.notices().includes(noticeOff))
      })
    }
  }
})
