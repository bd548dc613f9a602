import assert from 'node:assert/strict'
import { assertInvariants } from '../support/invariants.ts'
import { typesOf } from '../support/reading.ts'
import type { Window } from './driver.ts'
import { logWhere, modeHistory } from './logs.ts'
import { sharedWindow } from './shared.ts'
import { ask, modeIs, modeItem, newConversation, rests } from './walks.ts'

describe('plan mode from the palette and the status bar', () => {
  let window: Window

  before(async () => {
    window = await sharedWindow()
  })

  const historyIs = (...history: string[]) =>
    logWhere(window, history.join(', '), log => modeHistory(log).join() === history.join())

  it('goes on and off between turns, and the log agrees', async () => {
    await window.command('Plan: Enter')
    await modeIs(window, 'on')
    await historyIs('mode on')
    await modeItem(window, 'on').click()
    await modeIs(window, 'off')
    await historyIs('mode on', 'mode off')
    await window.command('Plan: Toggle')
    await modeIs(window, 'on')
    await window.command('Plan: Exit')
    await modeIs(window, 'off')
    assertInvariants(await historyIs('mode on', 'mode off', 'mode on', 'mode off'))
  })

  it('waits for the next step of a running turn, can be taken back, and is committed there', async () => {
    const view = await newConversation(window)
    await ask(view, 'Look around, slow please.')
    await view.frame.locator('transcript-entry.assistant').waitFor()

    await modeItem(window, 'off').click()
    await modeIs(window, 'on at next step')
    await view.frame.getByRole('button', { name: 'Plan on at next step' }).waitFor()
    await historyIs('selected on by user')

    await modeItem(window, 'on at next step').click()
    await modeIs(window, 'off')
    await historyIs('selected on by user', 'selected off by user')

    await modeItem(window, 'off').click()
    await modeIs(window, 'on at next step')
    await modeIs(window, 'on')
    await view.frame.getByRole('button', { name: 'Plan on · guided' }).waitFor()
    const log = await historyIs('selected on by user', 'selected off by user', 'selected on by user', 'mode on')
    const types = typesOf(log)
    const at = types.indexOf('plan/mode')
    assert.equal(types[at - 1], 'step/end', 'the mode changed inside a step')
    assert.deepEqual(types.slice(at + 1, at + 3), ['step/start', 'user/message'], 'the model is told in that step')

    await window.command('Plan: Stop the Agent')
    await rests(view)
    await modeIs(window, 'on')
  })
})
