// Reading a plan in the window: what is there, what is not, a diagram under the page's policy, a plan as it is written.
import assert from 'node:assert/strict'
import { ChatServer, type ChatStep } from '../support/chat-server.ts'
import { launch, type Window } from './driver.ts'
import { answer, ask, button, keepPlanning, modeIs, newConversation, openReview, review, revisionIs } from './walks.ts'

const plan = `# Limit the rate

Requests to \`src/router.ts\` are not limited[^why].

\`\`\`mermaid
graph TD
  A[Request] --> B{Limiter}
\`\`\`

## Steps

- [ ] 1. Add \`src/limiter.ts\`
- [ ] 2. Test it in \`test/router.test.ts\`

## Risks

None.

[^why]: One client can starve the others.
`

describe('reading a plan', () => {
  let server: ChatServer
  let window: Window
  let script: ChatStep[] = []

  before(async () => {
    server = await ChatServer.start(() => script.shift() ?? { kind: 'answer', text: 'I wait.' })
    window = await launch({ settings: { 'planMode.model.baseUrl': server.baseUrl, 'planMode.model.id': 'test-model' } })
    await modeIs(window, 'off')
  })
  after(async () => {
    await window.close()
    await server[Symbol.asyncDispose]()
  })

  const present = (text: string, hold?: Promise<unknown>): ChatStep => ({
    kind: 'answer',
    tools: [{ name: 'exit_plan_mode', arguments: { plan: text } }],
    ...(hold && { hold }),
  })

  it('shows outline, reach, the diagram and what changed, and opens what is named', async () => {
    script = [present(plan), present(plan.replace('None.', 'Several processes share no bucket.'))]
    const view = await newConversation(window)
    await window.command('Plan: Enter')
    await modeIs(window, 'on')
    await ask(view, 'Limit the rate')
    await modeIs(window, 'review waiting')
    const panel = await openReview(window)
    assert.deepEqual(await panel.frame.getByRole('treeitem').allInnerTexts(), ['Steps', 'Risks'])
    const reach = panel.frame.locator('.reach')
    await reach.getByText('3 files named, 2 exist').waitFor()
    await reach.getByText('1 is a test').waitFor()
    await reach.getByText('1 not found').waitFor()
    assert.deepEqual(await panel.frame.locator('main .missing').allInnerTexts(), ['src/limiter.ts'])
    await panel.frame.locator('.diagram svg', { hasText: 'Limiter' }).waitFor()
    await panel.frame.getByRole('link', { name: 'Footnote 1' }).click()
    await panel.frame.locator('.note:focus').waitFor()
    assert.deepEqual(await window.axe(panel), [])
    await window.screenshot('reading')

    await keepPlanning(panel, 'And the risks?')
    await revisionIs(panel, 2)
    await panel.frame.locator('.badge', { hasText: 'since your remarks' }).waitFor()
    await panel.frame.locator('p.is-changed', { hasText: 'share no bucket' }).waitFor()
    await panel.frame.getByRole('link', { name: 'src/router.ts' }).first().click()
    await window.page.locator('.tab.active', { hasText: 'router.ts' }).waitFor()
    await window.command('View: Close Editor')
    // The page was unloaded while the file was before it.
    await button(await review(window), 'Dismiss to talk').click()
    await modeIs(window, 'on')
  })

  it('watches a plan while the model writes it', async () => {
    const gate = Promise.withResolvers<void>()
    script = [present(plan, gate.promise)]
    const view = await newConversation(window)
    await window.command('Plan: Enter')
    await modeIs(window, 'on')
    await ask(view, 'Limit the rate')
    await window.command('Plan: Watch Plan')
    const panel = await window.webview({ has: 'plan-reading' })
    await panel.frame.getByRole('heading', { name: 'Limit the rate', level: 1 }).waitFor()
    assert.equal(await panel.frame.locator('footer').count(), 0, 'what is not presented cannot be decided')
    gate.resolve()
    await button(panel, 'Approve').waitFor()
    await answer(panel, 'Dismiss to talk')
    await modeIs(window, 'on')
  })
})
