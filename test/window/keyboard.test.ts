import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { launch, type Window } from './driver.ts'
import { quickInput } from './palette.ts'
import { sharedWindow } from './shared.ts'
import { until } from './until.ts'
import { composer, entries, modeIs, newConversation, openConversation, request, rests, review } from './walks.ts'
import type { Webview } from './webviews.ts'

const focused = (view: Webview, selector: string) => view.frame.locator(`${selector}:focus`).waitFor()

/** Presses Tab until the control with this text has the focus. */
async function tabTo(window: Window, view: Webview, text: string): Promise<void> {
  await until(`Tab to reach ${text}`, async () => {
    await window.page.keyboard.press('Tab')
    const here = view.frame.locator(':focus')
    return (await here.count()) > 0 && (await here.textContent())?.trim() === text ? true : undefined
  })
}

describe('the keyboard alone', () => {
  let window: Window

  before(async () => {
    window = await sharedWindow()
  })

  /** What the three context keys say, as the keybindings of the shared window tell it. */
  async function contextKeys(): Promise<string[]> {
    const told: string[] = []
    for (const key of ['F7', 'F8', 'F9']) {
      await window.page.keyboard.press(key)
      told.push(await quickInput(window.page).inputValue())
      await window.page.keyboard.press('Escape')
      await quickInput(window.page).waitFor({ state: 'hidden' })
    }
    return told
  }

  it('toggles the mode with Shift+Tab, and Escape lets the focus leave', async () => {
    const view = await openConversation(window)
    await focused(view, 'textarea')
    await window.page.keyboard.press('Shift+Tab')
    await modeIs(window, 'on')
    await focused(view, 'textarea')
    await window.page.keyboard.press('Shift+Tab')
    await modeIs(window, 'off')
    await window.page.keyboard.press('Escape')
    await focused(view, 'conversation-header button')
    await window.page.keyboard.press('Shift+Tab')
    await view.frame.locator('conversation-header button:focus').waitFor({ state: 'detached' })
    await modeIs(window, 'off')
  })

  it('completes and runs a command', async () => {
    const view = await newConversation(window)
    await focused(view, 'textarea')
    await window.page.keyboard.type('/p')
    await view.frame.getByRole('option', { name: '/plan' }).waitFor()
    await window.page.keyboard.press('Enter')
    assert.equal(await composer(view).inputValue(), '/plan ')
    await view.frame.getByRole('listbox').waitFor({ state: 'detached' })
    await window.page.keyboard.press('Enter')
    await modeIs(window, 'on')
    await view.frame.locator('transcript-entry.command').getByText('Plan mode is on.').waitFor()
  })

  it('walks from the prompt to the change, and approves only after asking', async () => {
    const view = await newConversation(window)
    assert.deepEqual(await contextKeys(), ['not active', 'not pending', 'no review'])
    await openConversation(window)
    await focused(view, 'textarea')
    await window.page.keyboard.press('Shift+Tab')
    await modeIs(window, 'on')
    await window.page.keyboard.type(request)
    await window.page.keyboard.press('Enter')
    await modeIs(window, 'review waiting')
    assert.deepEqual(await contextKeys(), ['active', 'not pending', 'review waiting'])

    await window.command('Plan: Open Review')
    const panel = await review(window)
    await panel.frame.getByRole('heading', { level: 1 }).waitFor()
    await window.page.keyboard.press('Alt+Enter')
    await panel.frame.getByText('Approve the plan as it is shown?').waitFor()
    await modeIs(window, 'review waiting')
    await window.page.keyboard.press('Enter')
    await modeIs(window, 'off')

    await entries(view, 'approval').getByText('The agent wants to change README.md').waitFor()
    await openConversation(window)
    await focused(view, 'textarea')
    await window.page.keyboard.press('Escape')
    await tabTo(window, view, 'Allow')
    await window.page.keyboard.press('Enter')
    await entries(view, 'assistant').getByText('I recorded in README.md how this change was planned').waitFor()
    await rests(view)
    assert.match(await readFile(join(window.workspace, 'README.md'), 'utf8'), /## How this change was planned/)
  })

  it('tells a selection that waits by its context key', async () => {
    const view = await newConversation(window)
    await focused(view, 'textarea')
    await window.page.keyboard.type('Describe the routes, slow please')
    await window.page.keyboard.press('Enter')
    await entries(view, 'assistant').waitFor()
    await window.page.keyboard.press('Shift+Tab')
    await modeIs(window, 'on at next step')
    assert.equal((await contextKeys())[1], 'pending')
  })
})

describe('the keyboard with planMode.shiftTabTogglesMode off', () => {
  let window: Window

  before(async () => {
    window = await launch({ settings: { 'planMode.shiftTabTogglesMode': false } })
    await modeIs(window, 'off')
  })
  after(() => window.close())

  it('moves the focus back with Shift+Tab', async () => {
    const view = await openConversation(window)
    await focused(view, 'textarea')
    await window.page.keyboard.press('Shift+Tab')
    await view.frame.locator('textarea:focus').waitFor({ state: 'detached' })
    await view.frame.locator(':focus').waitFor()
    await modeIs(window, 'off')
  })
})
