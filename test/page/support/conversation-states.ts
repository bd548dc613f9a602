// Every state of the conversation that is drawn for the eye and judged by axe.
import type { ToConversation } from '../../../src/webview/messages.ts'
import { type Opened, settled } from './open-page.ts'
import { nearEveryPicture, type PageState } from './page-states.ts'
import {
  afterApproval,
  answeredQuestion,
  board,
  bytesFor,
  checked,
  conversation,
  forkedWalk,
  openQuestion,
  pinned,
  programWalk,
  sketch,
  stoppedQuestion,
  summarised,
  waitingQuestion,
  walk,
} from './samples.ts'

const transcript: ToConversation = { kind: 'transcript', items: [...walk] }
const waiting = { reviewId: 'review-2', title: 'Rate limiting for the public API' }
const side = [380, 600]

function talk(name: string, show: (opened: Opened) => Promise<void>, widths: readonly number[] = side): PageState {
  return { page: 'conversation', name, widths, show }
}

export const conversationStates: readonly PageState[] = [
  talk('empty', opened =>
    opened.send(conversation({ title: '', mode: { active: false, pending: false }, context: null })),
  ),
  talk('waiting', opened => opened.send(conversation({ reviewWaiting: waiting }), transcript), [300, ...side]),
  talk('tools-open', async opened => {
    await opened.send(conversation(), transcript)
    await opened.page.locator('tool-group .fold').first().click()
    await opened.page.locator('.tool.failed .fold').click()
    await opened.page.locator('transcript-entry.reasoning .fold').click()
    await settled(opened.page)
  }),
  talk('program', async opened => {
    await opened.send(conversation(), { kind: 'transcript', items: [...programWalk] })
    await opened.page.locator('tool-group .fold').first().click()
    await opened.page.locator('.tool .fold').first().click()
    await settled(opened.page)
  }),
  talk('summarised', async opened => {
    await opened.send(conversation({ running: true }), {
      kind: 'transcript',
      items: [...walk.slice(0, 1), ...summarised],
    })
    await opened.page.locator('transcript-entry.compaction .fold').click()
    await settled(opened.page)
  }),
  talk('working', opened =>
    opened.send(
      conversation({
        running: true,
        mode: { active: true, pending: true },
        earlier: 12,
        queue: [
          {
            id: 'q1',
            text: 'And keep the limits in one file, please, so that nobody has to search',
            target: 'next-step',
          },
          { id: 'q2', text: 'Then run the tests', target: 'next-turn' },
        ],
      }),
      { kind: 'transcript', items: [...afterApproval] },
    ),
  ),
  talk(
    'question',
    async opened => {
      await opened.send(conversation({ running: true, waitsForYou: true, questions: [openQuestion] }), {
        kind: 'transcript',
        items: [{ kind: 'user', id: 'u1', text: 'Add rate limiting. Ask me first.' }, waitingQuestion],
      })
      await opened.page.getByRole('radio', { name: 'Redis' }).check()
      await opened.page.getByRole('checkbox', { name: 'Search' }).check()
      await opened.page.getByRole('button', { name: 'Send answer' }).click()
      await settled(opened.page)
    },
    [300, ...side],
  ),
  talk('question-record', opened =>
    opened.send(conversation(), { kind: 'transcript', items: [answeredQuestion, stoppedQuestion] }),
  ),
  talk(
    'images',
    async opened => {
      const gone = { ...sketch, attachmentId: 'd'.repeat(64), name: 'lost.png' }
      await opened.send(
        conversation({
          running: true,
          queue: [{ id: 'q1', text: 'And like this', target: 'next-step', images: [board] }],
        }),
        {
          kind: 'transcript',
          items: [
            { kind: 'command', id: 'c1', text: '/plan Like these', status: 'success', result: 'Plan mode is on.' },
            { kind: 'user', id: 'u1', text: 'Like these', images: [board, sketch] },
            { kind: 'user', id: 'u2', text: '', images: [gone] },
          ],
        },
        { kind: 'composer', text: '/plan off', images: [board, sketch], whenEmpty: false },
      )
      const data = { name: 'diagram.webp', mimeType: 'image/webp', buffer: Buffer.from('x') }
      await opened.page.locator('input[type="file"]').setInputFiles([data])
      await nearEveryPicture(opened)
      await opened.waitForPosted('loadImage', 5)
      await opened.send(bytesFor(board), bytesFor(sketch), {
        kind: 'imageBytes',
        attachmentId: gone.attachmentId,
        data: null,
      })
    },
    [220, ...side],
  ),
  talk('image-refused', async opened => {
    await opened.send(conversation(), transcript)
    const data = { name: 'notes.png', mimeType: 'image/png', buffer: Buffer.from('no picture') }
    await opened.page.locator('input[type="file"]').setInputFiles([data])
    const [asked] = await opened.waitForPosted('addImage')
    await opened.send({
      kind: 'imageRefused',
      key: String(asked?.key),
      text: '"notes.png" is no PNG, JPEG, WebP or GIF image, whatever its name says. Save it as one of these first.',
    })
  }),
  talk(
    'plan-steps',
    opened =>
      opened.send(conversation({ running: true, mode: { active: false, pending: false }, plan: pinned }), {
        kind: 'transcript',
        items: [...afterApproval],
      }),
    [300, ...side],
  ),
  talk('plan-check', opened =>
    opened.send(conversation({ mode: { active: false, pending: false }, plan: checked }), {
      kind: 'transcript',
      items: [...walk.slice(0, 3)],
    }),
  ),
  talk('commands', async opened => {
    const commands = [
      { name: 'plan', description: 'Turn plan mode on, off, or on with a message', input: '[off|message]' },
      { name: 'plans', description: 'List the plans', unavailable: 'No plan was presented yet.' },
    ]
    await opened.send(conversation({ mode: { active: false, pending: true }, commands }), transcript)
    await opened.page.locator('textarea').pressSequentially('/p')
  }),
  talk('scrolled-up', async opened => {
    await opened.send(conversation(), { kind: 'transcript', items: [...walk, ...afterApproval] })
    await opened.page.evaluate(`document.querySelector('.scroll').scrollTop = 40`)
    await settled(opened.page)
  }),
  talk(
    'forked',
    async opened => {
      const title = 'Fork of Rate limiting for the public API, turn 2'
      await opened.send(conversation({ title, running: true }), { kind: 'transcript', items: [...forkedWalk] })
      await opened.page.getByRole('button', { name: 'Fork from here' }).first().focus()
      await opened.page.getByText('Stopped.').hover()
    },
    [300, ...side],
  ),
  talk('problem', opened =>
    opened.send(
      conversation({
        model: { label: 'No model', ready: false },
        problem: {
          text: 'planMode.policy has an unknown key “sektion”. Remove it or name it “section”.',
          action: { label: 'Open settings', command: 'planMode.openSettings' },
        },
      }),
      transcript,
    ),
  ),
  talk('read-only', opened =>
    opened.send(
      conversation({
        readOnly: 'Another window is writing this conversation. It is read-only here.',
        continueHere: true,
      }),
      transcript,
    ),
  ),
  talk('no-folder', opened => opened.send(conversation({ sessionId: null, title: '', noFolder: true, context: null }))),
]
