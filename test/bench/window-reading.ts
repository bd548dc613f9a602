// A plan in a real VS Code window: how soon it is readable, against the window's own Markdown preview of the same text.
import { setTimeout as delay } from 'node:timers/promises'
import type { Frame, Page } from 'playwright-core'
import { ChatServer, type ChatStep } from '../support/chat-server.ts'
import { closeAll, launch, type Window } from '../window/driver.ts'
import { quickInput } from '../window/palette.ts'
import { ask, keepPlanning, modeIs, newConversation, openReview } from '../window/walks.ts'
import { report } from './figure.ts'
import { bigPlan, planOf } from './plans.ts'
import { median } from './rounds.ts'

const ROUNDS = 7
/** Milliseconds from the model's call to a review that can be read. */
const READABLE_MS = 1_000

const keybindings = [
  { key: 'ctrl+alt+shift+f11', command: 'planMode.openReview' },
  { key: 'ctrl+alt+shift+f12', command: 'markdown.showPreview' },
]

/** From the key to a heading that is drawn: a plan of 1 MB in the panel, and the same text in the built-in preview. */
export async function preview(): Promise<void> {
  const plan = bigPlan()
  await withWindow({ 'big.md': plan }, async (window, script) => {
    script.push(callOf(plan))
    await askForPlan(window)
    const ours: number[] = []
    const theirs: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      await window.command('View: Close All Editors')
      ours.push(await untilHeading(window.page, 'Control+Alt+Shift+F11', 'markdown-view h1'))
      await window.command('View: Close All Editors')
      await openFile(window, 'big.md')
      theirs.push(await untilHeading(window.page, 'Control+Alt+Shift+F12', '.markdown-body h1'))
    }
    const [mine, peer] = [median(ours), median(theirs)]
    report({ name: 'preview/1mb/to-built-in', unit: 'ms', ours: mine, peer, against: peer, goal: 1 })
  })
}

/** From the model's call of `exit_plan_mode` to the plan in the panel that is open: a revision of 300 lines. */
export async function presented(): Promise<void> {
  await withWindow({}, async (window, script) => {
    script.push(callOf(planOf(300)))
    await askForPlan(window)
    const panel = await openReview(window)
    const times: number[] = []
    for (let round = 1; round <= ROUNDS; round++) {
      const title = `Plan number ${round}`
      script.push(callOf(planOf(300).replace('# A plan', `# ${title}`)))
      await keepPlanning(panel, 'Once more, please')
      await headingIn(window.page, 'markdown-view h1', title)
      times.push(performance.now() - script.answered)
    }
    report({ name: 'presented/300-lines/to-readable', unit: 'ms', ours: median(times), against: READABLE_MS, goal: 1 })
  })
}

/** Answers of the model in turn, and when the last one was given. */
class Script {
  readonly #steps: ChatStep[] = []
  answered = 0

  push(step: ChatStep): void {
    this.#steps.push(step)
  }

  next(): ChatStep {
    this.answered = performance.now()
    return this.#steps.shift() ?? { kind: 'answer', text: 'I wait.' }
  }
}

/** The whole call in one piece: what a stream costs is another figure. */
function callOf(plan: string): ChatStep {
  const chunk = (delta: object, finish: string | null = null) =>
    JSON.stringify({
      ...{ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1 },
      choices: [{ index: 0, delta, finish_reason: finish }],
    })
  const call = { name: 'exit_plan_mode', arguments: JSON.stringify({ plan }) }
  const tools = [{ index: 0, id: `call_${crypto.randomUUID()}`, type: 'function', function: call }]
  return {
    kind: 'events',
    events: [chunk({ role: 'assistant', tool_calls: tools }), chunk({}, 'tool_calls'), '[DONE]'],
  }
}

async function withWindow(
  files: Readonly<Record<string, string>>,
  run: (window: Window, script: Script) => Promise<void>,
): Promise<void> {
  const script = new Script()
  await using server = await ChatServer.start(() => script.next())
  try {
    const settings = { 'planMode.model.baseUrl': server.baseUrl, 'planMode.model.id': 'test-model' }
    const window = await launch({ settings, files, keybindings, viewport: { width: 1360, height: 860 } })
    await modeIs(window, 'off')
    await run(window, script)
  } finally {
    await closeAll()
  }
}

async function askForPlan(window: Window): Promise<void> {
  const view = await newConversation(window)
  await window.command('Plan: Enter')
  await modeIs(window, 'on')
  await ask(view, 'Plan it')
  await modeIs(window, 'review waiting')
}

async function openFile(window: Window, name: string): Promise<void> {
  await window.page.keyboard.press('Control+p')
  await quickInput(window.page).fill(name)
  await window.page.locator('.quick-input-widget .monaco-list-row', { hasText: name }).first().click()
  await window.page.locator('.monaco-editor .view-line').first().waitFor()
}

async function untilHeading(page: Page, key: string, selector: string): Promise<number> {
  const started = performance.now()
  await page.keyboard.press(key)
  await headingIn(page, selector)
  return performance.now() - started
}

/** Resolves when an element is painted in one of the window's pages. */
async function headingIn(page: Page, selector: string, text = ''): Promise<void> {
  const end = performance.now() + 120_000
  while (performance.now() < end) {
    for (const frame of page.frames()) if (await paintedIn(frame, selector, text)) return
    await delay(5)
  }
  throw new Error(`Waited two minutes for ${selector} with "${text}".`)
}

async function paintedIn(frame: Frame, selector: string, text: string): Promise<boolean> {
  try {
    return await frame.evaluate(`(async () => {
      const element = document.querySelector(${JSON.stringify(selector)})
      if (!element?.textContent.includes(${JSON.stringify(text)}) || element.getClientRects().length === 0) return false
      await new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))
      return document.visibilityState === 'visible'
    })()`)
  } catch {
    // A page that goes away while it is asked.
    return false
  }
}
