// What a person does in a window, step by step: the words of the walks that the window tests tell.
import type { Locator } from 'playwright-core'
import type { Window } from './driver.ts'
import type { Notification } from './notifications.ts'
import { until } from './until.ts'
import type { Webview } from './webviews.ts'

/** A request that the demo answers with a plan for the README, while plan mode is on. */
export const request = 'Plan a small change to the README'

/** The conversation view, opened and ready to be typed into. */
export async function openConversation(window: Window): Promise<Webview> {
  await window.command('Plan: Show Conversation')
  return conversation(window)
}

/** The conversation view as it is, with its composer. */
export function conversation(window: Window): Promise<Webview> {
  return window.webview({ has: 'message-composer textarea' })
}

/** A conversation of its own for the test that comes, with nothing of the last one running or typed. */
export async function newConversation(window: Window): Promise<Webview> {
  await window.command('View: Close All Editors')
  await window.command('Plan: New Conversation')
  await modeIs(window, 'off')
  const view = await conversation(window)
  await view.frame.locator('conversation-header .title', { hasText: 'New conversation' }).waitFor()
  return view
}

export function composer({ frame }: Webview): Locator {
  return frame.locator('message-composer textarea')
}

/** Types a prompt or a /command and sends it. */
export async function ask(view: Webview, text: string): Promise<void> {
  await composer(view).fill(text)
  await composer(view).press('Enter')
}

export function button({ frame }: Webview, name: string): Locator {
  return frame.getByRole('button', { name, exact: true })
}

export type Mode = 'off' | 'on' | 'on at next step' | 'off at next step' | 'review waiting'

/** The status bar item that says exactly this of the mode. */
export function modeItem(window: Window, mode: Mode): Locator {
  return window.statusBar(new RegExp(`^\\s*Plan: ${mode}\\s*$`))
}

/** Resolves when the status bar says so. */
export async function modeIs(window: Window, mode: Mode): Promise<void> {
  await modeItem(window, mode).waitFor()
}

/** Turns plan mode on in a new conversation and asks for a plan; resolves when its review waits. */
export async function askForPlan(window: Window, prompt = request): Promise<Webview> {
  const view = await newConversation(window)
  await window.command('Plan: Enter')
  await modeIs(window, 'on')
  await ask(view, prompt)
  await modeIs(window, 'review waiting')
  return view
}

/** Opens the review that waits by a click on the status bar; resolves when it can be decided. */
export async function openReview(window: Window): Promise<Webview> {
  await modeItem(window, 'review waiting').click()
  const panel = await review(window)
  await button(panel, 'Approve').waitFor()
  return panel
}

/** The review panel that is open. */
export function review(window: Window): Promise<Webview> {
  return window.webview({ has: 'review-panel footer' })
}

export function feedback({ frame }: Webview): Locator {
  return frame.getByRole('textbox', { name: 'Feedback on the plan' })
}

/** Types feedback and sends the plan back with it. */
export async function keepPlanning(panel: Webview, text: string): Promise<void> {
  await feedback(panel).fill(text)
  await button(panel, 'Keep planning').click()
}

/** Answers the panel's question by key: a click that comes at once after it may be half of a double click. */
export async function answer(panel: Webview, name: string): Promise<void> {
  await button(panel, name).press('Enter')
}

/** Resolves when the panel shows this revision, ready to be decided. */
export async function revisionIs(panel: Webview, revision: number): Promise<void> {
  await panel.frame.locator('.revision', { hasText: `Revision ${revision} of` }).waitFor()
  await button(panel, 'Approve').waitFor()
}

/** Resolves with the newest notification that says so, once there is one. */
export function notified(window: Window, message: RegExp): Promise<Notification> {
  return until(`a notification ${message}`, async () =>
    (await window.notifications()).find(notification => message.test(notification.message)),
  )
}

type Entry = 'user' | 'assistant' | 'plan' | 'approval' | 'notice' | 'compaction'

/** The transcript's entries of one kind, oldest first. */
export function entries({ frame }: Webview, kind: Entry): Locator {
  return frame.locator(`transcript-entry.${kind}`)
}

/** Resolves when the agent rests: nothing can be stopped any more. */
export async function rests(view: Webview): Promise<void> {
  await button(view, 'Stop').waitFor({ state: 'detached' })
}
