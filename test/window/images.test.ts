import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ChatServer, type ChatStep } from '../support/chat-server.ts'
import { assertInvariants } from '../support/invariants.ts'
import { png } from '../support/pictures.ts'
import { eventsOf, typesOf } from '../support/reading.ts'
import type { Window } from './driver.ts'
import { endedLog, logWhere } from './logs.ts'
import { sharedWindow } from './shared.ts'
import { until } from './until.ts'
import { ask, composer, conversation, entries, modeIs, newConversation, rests } from './walks.ts'
import type { Webview } from './webviews.ts'

const picture = png(320, 200)
const base64 = Buffer.from(picture).toString('base64')
const sha = createHash('sha256').update(picture).digest('hex')
const themes = ['Default Light Modern', 'Default High Contrast', 'Default Dark Modern'] as const

describe('images in a conversation with an endpoint', () => {
  let server: ChatServer
  let window: Window
  let script: ChatStep[] = []

  before(async () => {
    server = await ChatServer.start(() => script.shift() ?? { kind: 'status', status: 500 })
    window = await sharedWindow({
      settings: { 'planMode.model.baseUrl': server.baseUrl, 'planMode.model.id': 'test-model' },
    })
  })
  after(() => server[Symbol.asyncDispose]())

  const held = ({ frame }: Webview) => frame.getByRole('list', { name: 'Images to send' }).getByRole('listitem')

  /** Pastes a picture as the system's clipboard hands it over, and waits until it is stored and drawn. */
  async function paste(view: Webview, bytes = base64, name = 'board.png'): Promise<void> {
    await composer(view).evaluate(`(() => {
      const data = new DataTransfer()
      const file = Uint8Array.from(atob(${JSON.stringify(bytes)}), character => character.charCodeAt(0))
      data.items.add(new File([file], ${JSON.stringify(name)}, { type: 'image/png' }))
      const box = document.querySelector('message-composer textarea')
      box.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))
    })()`)
  }

  /** Resolves when the picture is on the screen, decoded. */
  const drawn = (what: string, view: Webview, within: string) =>
    until(what, async () => {
      const widths: number[] = await view.frame
        .locator('conversation-view')
        .evaluate(`[...document.querySelectorAll('${within} img')].map(image => image.naturalWidth)`)
      return widths.includes(320) || undefined
    })

  it('keeps a pasted one with the draft over a reload, sends it with /plan, and shows it ever after', async () => {
    let view = await newConversation(window)
    await paste(view)
    await drawn('the picture in the composer', view, '.images')
    const file = join(window.workspace, '.plan-mode', 'sessions', '.attachments', `${sha}.png`)
    assert.deepEqual(await readFile(file), Buffer.from(picture))
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    await window.reload()
    view = await conversation(window)
    await held(view).getByText('board.png').waitFor()
    await drawn('the picture after the reload', view, '.images')

    script = [{ kind: 'answer', text: 'I see a blue board.' }]
    await ask(view, '/plan Like this')
    await entries(view, 'assistant').getByText('I see a blue board.').waitFor()
    await rests(view)
    await modeIs(window, 'on')
    const messages = JSON.stringify(server.requests.at(-1)?.body.messages)
    assert.ok(
      messages.includes(
        `[{"type":"image_url","image_url":{"url":"data:image/png;base64,${base64}"}},{"type":"text","text":"Like this"}]`,
      ),
      messages,
    )
    await drawn('the picture in the transcript', view, 'transcript-entry.user')
    assert.equal(await held(view).count(), 0)
    const log = await endedLog(window)
    assertInvariants(log)
    assert.ok(!JSON.stringify([...log.from()]).includes(base64))
    const [block] = eventsOf(log, 'user/message')[0]?.data.content ?? []
    assert.ok(block?.type === 'image')
    assert.deepEqual([block.attachment.attachmentId, block.attachment.width, block.attachment.height], [sha, 320, 200])

    await window.reload()
    view = await conversation(window)
    await drawn('the picture in the transcript after a reload', view, 'transcript-entry.user')
    await view.frame.getByRole('button', { name: 'Open: Image board.png, 320 x 200' }).click()
    await window.page.locator('.tab', { hasText: `${sha}.png` }).waitFor()
    // The editor takes the focus once it has drawn the picture; what is typed next goes into the composer.
    await window.statusBar('320x200').waitFor()
    await window.command('View: Close All Editors')
  })

  it('refuses /plan off with one before any change, and the composer keeps both', async () => {
    const view = await conversation(window)
    await paste(view)
    // Its size is told once it is stored; before that nothing is sent.
    await held(view).getByText('320 x 200').waitFor()
    await ask(view, '/plan off')
    await view.frame.locator('transcript-entry.command').getByText('Images cannot come with /plan off').waitFor()
    await until('the words to be back', async () => (await composer(view).inputValue()) === '/plan off' || undefined)
    assert.equal(await held(view).count(), 1)
    await modeIs(window, 'on')
    const log = await logWhere(window, 'the command is settled', each => typesOf(each).at(-1) === 'command/done')
    assert.deepEqual(typesOf(log).slice(-2), ['command/run', 'command/done'])
  })

  it('keeps the words of what is no command, and says so', async () => {
    const view = await conversation(window)
    await ask(view, '/Plan off')
    await until(
      'the notification',
      async () =>
        (await window.notifications()).some(({ message }) =>
          message.includes('"/Plan" is no command. Did you mean /plan?'),
        ) || undefined,
    )
    await until('the words to be back', async () => (await composer(view).inputValue()) === '/Plan off' || undefined)
    assert.equal(await held(view).count(), 1)
  })

  it('refuses what only its name calls a picture', async () => {
    const view = await conversation(window)
    await paste(view, Buffer.from('<svg/>').toString('base64'), 'evil.png')
    await view.frame.getByRole('alert').getByText('"evil.png" is no PNG, JPEG, WebP or GIF image').waitFor()
    assert.equal(await held(view).count(), 1)
  })

  it('says what to do when the endpoint takes none, and goes on in words', async () => {
    const view = await conversation(window)
    const message = 'image_url is only supported by certain models'
    script = [{ kind: 'status', status: 400, body: { error: { message } } }]
    await ask(view, 'Like this')
    await entries(view, 'notice').getByText('turn the setting planMode.model.images off').waitFor()
    await rests(view)
    await window.configure({ 'planMode.model.images': false })
    await window.reload()
    const after = await conversation(window)
    await entries(after, 'notice').getByText('turn the setting planMode.model.images off').waitFor()
    script = [{ kind: 'answer', text: 'In words, then.' }]
    await ask(after, 'Go on')
    await entries(after, 'assistant').getByText('In words, then.').waitFor()
    const messages = JSON.stringify(server.requests.at(-1)?.body.messages)
    assert.ok(messages.includes('[Image board.png, image/png, 320 x 200]') && !messages.includes(base64))
    assertInvariants(await endedLog(window))
  })

  it('looks right in every theme and in a narrow window, also to axe', async () => {
    const view = await conversation(window)
    await paste(view)
    await held(view).getByText('board.png').waitFor()
    for (const theme of themes) {
      await window.configure({ 'workbench.colorTheme': theme })
      const marker = theme.includes('Contrast')
        ? 'vscode-high-contrast'
        : theme.includes('Light')
          ? 'vscode-light'
          : 'vscode-dark'
      await view.frame.locator(`body.${marker}`).waitFor()
      await drawn('the picture', view, '.images')
      await window.screenshot(`window-images-${marker}`)
      assert.deepEqual(await window.axe(view), [])
    }
    await window.page.setViewportSize({ width: 700, height: 800 })
    await window.screenshot('window-images-narrow')
  })
})
