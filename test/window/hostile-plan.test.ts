import assert from 'node:assert/strict'
import { ChatServer } from '../support/chat-server.ts'
import type { Window } from './driver.ts'
import { sharedWindow } from './shared.ts'
import { ask, button, modeIs, newConversation, openReview } from './walks.ts'

/** Everything in it asks for `beacon`, sets `hacked`, or runs a command when it gets the chance. */
function hostilePlan(beacon: string): string {
  return `# Harmless <script>hacked = 1</script> title [Review](command:planMode.exit)

<script>hacked = 1</script>
<img src="${beacon}/img" onerror="hacked = 1">
<svg onload="hacked = 1"><image href="${beacon}/svg" /></svg>
<iframe src="${beacon}/frame" srcdoc="<script>parent.hacked = 1</script>"></iframe>
<link rel="stylesheet" href="${beacon}/style"><style>@import "${beacon}/import"; footer { display: none }</style>
<meta http-equiv="refresh" content="0; url=${beacon}/refresh">
<form action="${beacon}/form"><button>Approve</button></form>

![remote](${beacon}/markdown-image) ![inline](data:image/svg+xml,<svg/onload=hacked=1>)

- [script link](javascript:hacked=1)
- [command link](command:planMode.exit)
- [file link](file:///etc/passwd)
- [escaping link](../../../etc/passwd)
- [encoded link](java%73cript:hacked=1)

| a | b |
| --- | --- |
| <b onclick="hacked = 1">x</b> | [y](vscode://plan-mode/exit) |

\`\`\`html
<script>hacked = 1</script><img src=x onerror="hacked = 1">
\`\`\`
`
}

describe('a hostile plan', () => {
  let server: ChatServer
  let window: Window

  before(async () => {
    server = await ChatServer.start(({ path, body }) =>
      path.endsWith('/chat/completions') && body.messages
        ? { kind: 'answer', tools: [{ name: 'exit_plan_mode', arguments: { plan: hostilePlan(server.origin) } }] }
        : { kind: 'status', status: 404 },
    )
    window = await sharedWindow({
      settings: { 'planMode.model.baseUrl': server.baseUrl, 'planMode.model.id': 'test-model' },
    })
  })
  after(() => server[Symbol.asyncDispose]())

  it('is shown as text: nothing of it runs, loads, or acts when it is clicked', async () => {
    const requested: string[] = []
    window.page.on('request', request => requested.push(request.url()))
    const view = await newConversation(window)
    await ask(view, '/plan Show me what you have')
    await modeIs(window, 'review waiting')
    const panel = await openReview(window)
    const plan = panel.frame.locator('main markdown-view')
    await plan.getByText('<img src="').first().waitFor()
    assert.deepEqual(await plan.locator('script, img, svg, iframe, link, style, meta, form, button, image').all(), [])
    assert.deepEqual(await plan.locator('[onerror], [onload], [onclick], [href], [src], [style]').all(), [])

    const links = await plan.locator('a').all()
    assert.ok(links.length >= 5)
    for (const link of links) await link.click()
    await plan.locator('pre').click()
    await button(panel, 'Approve').waitFor()
    await modeIs(window, 'review waiting')
    assert.equal(await window.page.locator('.tab').count(), 1, 'no link opened anything')

    for (const frame of window.page.frames())
      assert.equal(await frame.evaluate('typeof hacked'), 'undefined', frame.url())
    assert.deepEqual(
      requested.filter(url => url.startsWith(server.origin)),
      [],
    )
    assert.ok(server.requests.every(({ path }) => path === '/v1/chat/completions'))
    await view.frame.locator('transcript-entry.plan').getByText('Waiting for your review').waitFor()

    const said = (await window.notifications()).map(({ message }) => message).join('\n')
    assert.match(said, /waits for your review: .*title \[Review\] \(command:planMode\.exit\)/)
    assert.equal(await window.page.locator('.notification-list-item-message a').count(), 0, 'no title is a link')
  })
})
