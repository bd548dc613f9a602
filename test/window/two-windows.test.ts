import assert from 'node:assert/strict'
import { assertInvariants } from '../support/invariants.ts'
import { launch, type Window } from './driver.ts'
import { logWhere, modeHistory } from './logs.ts'
import { ask, composer, modeIs, newConversation, notified } from './walks.ts'

describe('two windows on one workspace', () => {
  let first: Window
  let second: Window

  before(async () => {
    first = await launch({ reconnectionGraceTime: 1 })
    await modeIs(first, 'off')
    second = await first.another()
    await modeIs(second, 'off')
  })
  after(async () => {
    await second.close()
    await first.close()
  })

  it('one writes, the other reads and says so, and writes once the first is gone', async () => {
    const view = await newConversation(first)
    await ask(view, '/plan')
    await modeIs(first, 'on')
    await ask(view, 'Describe the routes')
    await first.page.locator('.statusbar-item', { hasText: 'review waiting' }).waitFor()

    await second.command('Plan: Open Conversation')
    await second.pick('Describe the routes')
    await modeIs(second, 'review waiting')
    const reading = await second.webview({ has: 'conversation-view .banner.warning' })
    await reading.frame.locator('.banner.warning').getByText('Another window is writing this conversation.').waitFor()
    await reading.frame.locator('transcript-entry.user').getByText('Describe the routes').waitFor()
    assert.equal(await composer(reading).count(), 0)
    await second.command('Plan: Exit')
    await notified(second, /Another window is writing/)
    await modeIs(second, 'review waiting')

    await first.page.close()
    await composer(reading).waitFor({ timeout: 30_000 })
    assert.equal(await reading.frame.locator('.banner.warning').count(), 0)
    await second.command('Plan: Exit')
    await modeIs(second, 'off')
    const log = await logWhere(second, 'the mode is off', found => modeHistory(found).at(-1) !== 'presented')
    assert.deepEqual(modeHistory(log), ['mode on', 'presented', 'mode off', 'withdrawn'])
    assertInvariants(log)
  })
})
