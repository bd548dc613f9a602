import assert from 'node:assert/strict'
import { assertInvariants } from '../support/invariants.ts'
import { resultsOf } from '../support/reading.ts'
import type { Window } from './driver.ts'
import { keptByWindow } from './kept.ts'
import { logWhere } from './logs.ts'
import { quickInput } from './palette.ts'
import { sharedWindow } from './shared.ts'
import type { ColorTheme } from './user-settings.ts'
import {
  ask,
  askForPlan,
  button,
  conversation,
  entries,
  modeIs,
  newConversation,
  notified,
  openReview,
  rests,
} from './walks.ts'
import type { Webview } from './webviews.ts'

const prompt = 'Ask me something'
const waiting = (window: Window) => window.statusBar(/^\s*Plan: question for you\s*$/).waitFor()
const card = ({ frame }: Webview) => frame.locator('question-card')
const record = ({ frame }: Webview) => frame.locator('transcript-entry.question')
const drawn = (window: Window) =>
  window.page.evaluate('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))')

/** In a new conversation, the demo is told to ask; resolves when its card waits. */
async function askedIn(window: Window): Promise<Webview> {
  const view = await newConversation(window)
  await ask(view, prompt)
  await card(view).waitFor()
  await waiting(window)
  return view
}

describe('questions of the agent', () => {
  let window: Window

  before(async () => {
    window = await sharedWindow()
  })

  it('are answered in their card by keyboard, and the agent goes on with the answer', async () => {
    const view = await askedIn(window)
    await view.frame.locator('message-composer .waiting').getByRole('button', { name: 'Answer' }).press('Enter')
    await view.frame.getByRole('radio', { name: 'Briefly' }).and(view.frame.locator(':focus')).waitFor()
    await window.page.keyboard.press('ArrowDown')
    await view.frame.getByRole('textbox', { name: 'What should I keep in mind' }).fill('The people who use it')
    await window.page.keyboard.press('Control+Enter')
    await record(view).getByText('Thoroughly').waitFor()
    await rests(view)
    await modeIs(window, 'off')
    assert.equal(await card(view).count(), 0)
    const log = await logWhere(window, 'the question has an answer', found => resultsOf(found).length > 0)
    assertInvariants(log)
    assert.deepEqual(JSON.parse(resultsOf(log)[0]?.text ?? ''), {
      answers: [
        { id: 'depth', selected: ['Thoroughly'] },
        { id: 'mind', selected: [], custom: 'The people who use it' },
      ],
    })
  })

  it('are dismissed, and the agent is told so', async () => {
    const view = await askedIn(window)
    await button(view, 'Dismiss').click()
    await record(view).getByText('Dismissed without an answer').waitFor()
    await rests(view)
    await entries(view, 'assistant').getByText('I wait for what you say next.').waitFor()
  })

  it('close with a stop, and leave what was typed beside their record', async () => {
    const view = await askedIn(window)
    await view.frame.getByRole('textbox', { name: 'What should I keep in mind' }).fill('Half a thought')
    await button(view, 'Stop').click()
    await record(view).getByText('Not waiting any more').waitFor()
    await record(view).getByText('Half a thought').waitFor()
    await modeIs(window, 'off')
    await button(view, 'Put into the message').click()
    assert.equal(await view.frame.locator('message-composer textarea').inputValue(), 'Half a thought')
    await record(view).getByText('Half a thought').waitFor({ state: 'detached' })
    await view.frame.locator('message-composer textarea').fill('')
  })

  it('lead to their conversation from the notification, when another one is shown', async () => {
    await newConversation(window)
    await window.command('View: Show Explorer')
    await window.command('Plan: Ask the Agent')
    await quickInput(window.page).fill(prompt)
    await quickInput(window.page).press('Enter')
    await waiting(window)
    await window.command('Plan: New Conversation')
    await modeIs(window, 'off')
    const { press, buttons } = await notified(window, /"Ask me something" has 2 questions for you/)
    assert.deepEqual(buttons, ['Open'])
    await press('Open')
    const view = await conversation(window)
    await view.frame.getByRole('radio', { name: 'Briefly' }).and(view.frame.locator(':focus')).waitFor()
    await waiting(window)
    await button(view, 'Dismiss').click()
    await rests(view)
  })

  it('wait no more after a reload: their card is a record then, with what was typed', async () => {
    const view = await askedIn(window)
    await view.frame.getByRole('textbox', { name: 'What should I keep in mind' }).fill('Typed before the reload')
    await keptByWindow(window, 'Typed before the reload')
    await window.reload()
    const again = await conversation(window)
    await record(again).getByText('Not waiting any more').waitFor()
    await record(again).getByText('Typed before the reload').waitFor()
    assert.equal(await card(again).count(), 0)
    await modeIs(window, 'off')
  })
})

describe('an approval that is asked in a conversation that is not shown', () => {
  let window: Window

  before(async () => {
    window = await sharedWindow()
  })

  it('leads there from its notification', async () => {
    await askForPlan(window)
    const panel = await openReview(window)
    await window.command('Plan: New Conversation')
    await modeIs(window, 'off')
    await button(panel, 'Approve').click()
    const { press, buttons } = await notified(window, /The agent wants to change README\.md/)
    assert.deepEqual(buttons, ['Allow', 'Refuse', 'Open Conversation'])
    await press('Open Conversation')
    const view = await conversation(window)
    await entries(view, 'approval').getByText('The agent wants to change README.md').waitFor()
    await button(view, 'Reject').click()
    await rests(view)
  })
})

describe('the question card in the workbench', () => {
  const themes: readonly { name: string; theme: ColorTheme; marker: string }[] = [
    { name: 'dark', theme: 'Default Dark Modern', marker: 'vscode-dark' },
    { name: 'light', theme: 'Default Light Modern', marker: 'vscode-light' },
    { name: 'high-contrast', theme: 'Default High Contrast', marker: 'vscode-high-contrast' },
  ]
  let window: Window
  let view: Webview

  before(async () => {
    window = await sharedWindow()
    view = await askedIn(window)
    await view.frame.getByRole('radio', { name: 'Briefly' }).check()
  })

  for (const { name, theme, marker } of themes) {
    it(`has no serious fault for axe in the ${name} theme`, async () => {
      await window.configure({ 'workbench.colorTheme': theme })
      await view.frame.locator(`body.${marker}`).waitFor()
      await drawn(window)
      await window.screenshot(`question-${name}`)
      assert.deepEqual(await window.axe(view), [])
    })
  }

  it('is whole in a narrow window', async () => {
    await window.configure({ 'workbench.colorTheme': 'Default Dark Modern' })
    await window.page.setViewportSize({ width: 500, height: 700 })
    await view.frame.locator('body.vscode-dark').waitFor()
    const send = button(view, 'Send answer')
    await send.scrollIntoViewIfNeeded()
    await drawn(window)
    await window.screenshot('question-narrow')
    const box = await send.boundingBox()
    assert.ok(box && box.x >= 0 && box.x + box.width <= 500 && box.y + box.height <= 700)
  })
})
