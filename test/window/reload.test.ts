import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Session } from '../../src/session/session.ts'
import { assertInvariants } from '../support/invariants.ts'
import { endsOf, eventsOf, resultsOf, typesOf } from '../support/reading.ts'
import type { Window } from './driver.ts'
import { keptAsShown, keptOnDisk } from './kept.ts'
import { endedLog, logWhere, modeHistory } from './logs.ts'
import { sharedWindow } from './shared.ts'
import { until } from './until.ts'
import {
  answer,
  askForPlan,
  button,
  conversation,
  entries,
  feedback,
  modeIs,
  openConversation,
  openReview,
  rests,
  review,
} from './walks.ts'
import type { Webview } from './webviews.ts'

const banner = 'No agent is waiting for this review. Your verdict will be sent as the next turn.'

const cuts: readonly {
  what: string
  cut(window: Window): Promise<void>
  reopen(window: Window): Promise<Webview>
}[] = [
  { what: 'a reload', cut: window => window.reload(), reopen: review },
  // VS Code itself brings no tab back that was open when its page went.
  { what: 'a crash', cut: window => window.crash(), reopen: openReview },
]

for (const { what, cut, reopen } of cuts) {
  describe(`${what} in the middle of a review`, () => {
    let window: Window

    before(async () => {
      window = await sharedWindow()
    })

    it('leaves it waiting with what was typed, and an approval then carries the plan out', async () => {
      await askForPlan(window)
      const words = `Mention the tests too, after ${what}`
      await feedback(await openReview(window)).fill(words)
      await logWhere(window, 'the plan was presented', log => typesOf(log).includes('review/presented'))
      await keptOnDisk(window, words)
      await keptAsShown(window)
      await cut(window)

      await modeIs(window, 'review waiting')
      const panel = await reopen(window)
      await panel.frame.getByRole('heading', { name: 'Plan a small change to the README', level: 1 }).waitFor()
      await panel.frame.getByText(banner).waitFor()
      await until('what was typed', async () => ((await feedback(panel).inputValue()) === words ? true : undefined))
      const view = await openConversation(window)
      await entries(view, 'user').getByText('Plan a small change to the README').waitFor()
      await entries(view, 'notice').getByText('This turn was cut').waitFor()
      await entries(view, 'plan').getByText('Waiting for your review').waitFor()

      await button(panel, 'Approve').click()
      await answer(panel, 'Approve without it')
      await modeIs(window, 'off')
      await button(view, 'Allow').click()
      await entries(view, 'assistant').getByText('I recorded in README.md how this change was planned').waitFor()
      await rests(view)
      assert.match(await readFile(join(window.workspace, 'README.md'), 'utf8'), /## How this change was planned/)
      const log = await endedLog(window)
      assertInvariants(log)
      assertLateApproval(log)
    })
  })
}

/** A turn that was cut under review, then the verdict as the next turn's first message. */
function assertLateApproval(log: Session): void {
  assert.deepEqual(modeHistory(log), ['mode on', 'presented', 'approved', 'selected off by review', 'mode off'])
  assert.deepEqual(
    endsOf(log).map(({ kind }) => kind),
    ['interrupted', 'completed'],
  )
  const exit = eventsOf(log, 'tool/call').find(({ data }) => data.name === 'exit_plan_mode')
  const result = resultsOf(log).find(({ callId }) => callId === exit?.data.callId)
  assert.equal(result?.code, 'ToolOutcomeUnknownError/TOOL_OUTCOME_UNKNOWN')
  const types = typesOf(log)
  const second = types.lastIndexOf('turn/start')
  const first = types.slice(second).filter(type => type !== 'agent/inbox/spliced')
  assert.deepEqual(first.slice(0, 4), ['turn/start', 'plan/mode', 'step/start', 'user/message'])
  const relay = eventsOf(log, 'user/message').find(({ data }) => data.source.kind === 'plugin')
  assert.ok(relay?.data.source.kind === 'plugin' && relay.data.source.form === 'relay')
}

describe('a reload in the middle of a turn', () => {
  let window: Window

  before(async () => {
    window = await sharedWindow()
  })

  it('keeps the transcript, the title, the mode, a waiting selection and what was typed', async () => {
    const view = await openConversation(window)
    const box = view.frame.locator('message-composer textarea')
    await box.fill('Describe the routes, slow please')
    await box.press('Enter')
    // The last answer of this turn: no step follows it that would commit the selection before the reload.
    await entries(view, 'assistant').getByText('I am a scripted demo').waitFor()
    await window.command('Plan: Enter')
    await modeIs(window, 'on at next step')
    await box.pressSequentially('And then the tests')
    await window.reload()

    await modeIs(window, 'on at next step')
    const after = await conversation(window)
    await after.frame.locator('conversation-header .title', { hasText: 'Describe the routes, slow please' }).waitFor()
    await entries(after, 'user').getByText('Describe the routes, slow please').waitFor()
    await after.frame.locator('tool-group').getByText('List the workspace folder').waitFor()
    await entries(after, 'notice').getByText('This turn was cut').waitFor()
    await after.frame.getByRole('button', { name: 'Plan on at next step' }).waitFor()
    assert.equal(await after.frame.locator('message-composer textarea').inputValue(), 'And then the tests')

    await after.frame.locator('message-composer textarea').press('Enter')
    await modeIs(window, 'on')
    const log = await logWhere(window, 'the mode is committed', found => modeHistory(found).includes('mode on'))
    assert.deepEqual(modeHistory(log), ['selected on by user', 'mode on'])
    assertInvariants(log, { balanced: false })
  })
})
