import assert from 'node:assert/strict'
import { assertInvariants } from '../support/invariants.ts'
import { endsOf, eventsOf, inputsOf, resultsOf } from '../support/reading.ts'
import type { Window } from './driver.ts'
import { endedLog, logWhere, modeHistory } from './logs.ts'
import { sharedWindow } from './shared.ts'
import {
  ask,
  askForPlan,
  button,
  entries,
  keepPlanning,
  modeIs,
  openReview,
  request,
  rests,
  revisionIs,
} from './walks.ts'

describe('a review that is not approved', () => {
  let window: Window

  before(async () => {
    window = await sharedWindow()
  })

  it('is dismissed: the turn ends, plan mode stays, and what was queued opens the next turn', async () => {
    const view = await askForPlan(window)
    await view.frame.locator('message-composer .waiting').getByText('What you send is queued').waitFor()
    await ask(view, 'Which files did you read?')
    const queued = view.frame.locator('message-composer .queue')
    await queued.getByText('Which files did you read?', { exact: true }).waitFor()

    const panel = await openReview(window)
    await button(panel, 'Dismiss to talk').click()
    await panel.frame.locator('footer').getByText('You dismissed this review.').waitFor()
    await queued.waitFor({ state: 'detached' })
    await entries(view, 'user').getByText('Which files did you read?').waitFor()
    await entries(view, 'plan').getByText('Dismissed to talk').waitFor()

    const log = await logWhere(window, 'the queued prompt opens a turn', found => inputsOf(found).length === 2)
    assert.deepEqual(modeHistory(log).slice(0, 3), ['mode on', 'presented', 'dismissed'])
    assert.equal(resultsOf(log).at(-1)?.isError, false)
    const [first, second] = eventsOf(log, 'turn/start')
    const [end] = eventsOf(log, 'turn/end')
    assert.ok(first && second && end && end.seq < second.seq)
    assert.deepEqual(endsOf(log)[0], { kind: 'completed' })
    assert.ok(!modeHistory(log).includes('mode off'))
    await window.command('Plan: Stop the Agent')
    await rests(view)
    assertInvariants(await endedLog(window))
  })

  it('stays waiting when its tab is closed, and is opened again from the status bar', async () => {
    await askForPlan(window)
    await openReview(window)
    await window.command('View: Close Editor')
    await window.page.locator('.tab', { hasText: `Plan: ${request}` }).waitFor({ state: 'detached' })
    await modeIs(window, 'review waiting')
    const panel = await openReview(window)
    await panel.frame.getByRole('heading', { name: request, level: 1 }).waitFor()
    const log = await logWhere(window, 'the plan waits', found => modeHistory(found).includes('presented'))
    assert.deepEqual(modeHistory(log), ['mode on', 'presented'])
  })

  it('can be sent back after a stop: the feedback starts a turn, and the plan is revised', async () => {
    const view = await askForPlan(window)
    await button(view, 'Stop').click()
    await rests(view)
    await modeIs(window, 'review waiting')
    const panel = await openReview(window)
    await panel.frame.getByText('No agent is waiting for this review.').waitFor()
    await keepPlanning(panel, 'Start with the tests')
    await revisionIs(panel, 2)
    await panel.frame.locator('main').getByText('Start with the tests', { exact: true }).waitFor()

    const log = await logWhere(window, 'the revision waits', found => modeHistory(found).length === 4)
    assert.deepEqual(modeHistory(log), ['mode on', 'presented', 'kept', 'presented'])
    assert.deepEqual(endsOf(log), [{ kind: 'aborted', reason: { kind: 'user' } }])
    assert.equal(resultsOf(log).find(({ code }) => code !== undefined)?.code, 'AbortError/ABORTED')
    assert.match(inputsOf(log).at(-1) ?? '', /Start with the tests/)
  })

  it('is withdrawn by "Plan: Exit": the plan is not approved, and plan mode ends at the next step', async () => {
    const view = await askForPlan(window)
    const panel = await openReview(window)
    await window.command('Plan: Exit')
    await modeIs(window, 'off')
    await panel.frame.locator('footer').getByText('This review was withdrawn. The plan is not approved.').waitFor()
    await entries(view, 'plan').getByText('Withdrawn').waitFor()
    await rests(view)
    const log = await endedLog(window)
    assertInvariants(log)
    const history = modeHistory(log)
    assert.deepEqual(history.slice(0, 2), ['mode on', 'presented'])
    assert.deepEqual(new Set(history.slice(2, 4)), new Set(['withdrawn', 'selected off by user']))
    assert.deepEqual(history.slice(4), ['mode off'])
    assert.equal(eventsOf(log, 'approval/asked').length, 0)
  })
})
