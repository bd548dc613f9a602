// Every state of the two pages that is drawn for the eye and judged by axe.
import { renderMermaidSVG } from 'beautiful-mermaid'
import type { ToConversation } from '../../../src/webview/messages.ts'
import { type Opened, settled } from './open-page.ts'
import type { PageName } from './page-server.ts'
import {
  afterApproval,
  answeredQuestion,
  board,
  bytesFor,
  changes,
  checked,
  conversation,
  forkedWalk,
  openQuestion,
  pinned,
  programWalk,
  reach,
  remark,
  remarks,
  review,
  sketch,
  stoppedQuestion,
  summarised,
  waitingQuestion,
  walk,
} from './samples.ts'

export interface PageState {
  readonly page: PageName
  readonly name: string
  readonly widths: readonly number[]
  show(opened: Opened): Promise<void>
}

const transcript: ToConversation = { kind: 'transcript', items: [...walk] }
const waiting = { reviewId: 'review-2', title: 'Rate limiting for the public API' }
const side = [380, 600]
const panel = [1360, 600, 380]

function talk(name: string, show: (opened: Opened) => Promise<void>, widths: readonly number[] = side): PageState {
  return { page: 'conversation', name, widths, show }
}

function read(name: string, show: (opened: Opened) => Promise<void>): PageState {
  return { page: 'review', name, widths: panel, show }
}

const nested =
  '# Rate limiting\n\n## Context\n\nToday none.\n\n## Steps\n\n### Limiter\n\nOne.\n\n### Router, before authentication costs anything at all\n\nTwo.\n\n## Rollout\n\nCount only.\n\n## Risks\n\n'
const half = '# Rate limiting\n\n## Steps\n\n1. Add `src/http/limiter.ts`.\n2. Wire it into'
const noted =
  '# Rate limiting\n\nOne bucket per key[^key], refilled by the clock[^clock] that is injected.\n\n[^key]: The API key, not the *user*.\n[^clock]: `Date.now` unless a test gives another.\n'
const diagrams = [
  'graph TD\n  A[Request] --> B{Bucket full?}\n  B -->|yes| C[429 Retry-After]\n  B -->|no| D[Router]\n  subgraph Limits\n    C --> E[(Counts)]\n  end',
  'sequenceDiagram\n  Client->>Limiter: GET /items\n  Limiter-->>Client: 429',
  'stateDiagram-v2\n  [*] --> Empty\n  Empty --> Full: refill',
  'classDiagram\n  Limiter <|-- Memory\n  Limiter : +take() bool',
  'erDiagram\n  KEY ||--o{ REQUEST : sends',
]

export const states: readonly PageState[] = [
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
  read('waiting', opened => opened.send(review())),
  read('feedback', async opened => {
    await opened.send(review())
    await opened.page.locator('textarea').fill('Two weeks: the billing run is every second one.\nAnd name the owner.')
  }),
  read('approve-with-text', async opened => {
    await opened.send(review())
    await opened.page.locator('textarea').fill('Two weeks: the billing run is every second one.')
    await opened.page.locator('#approve').click()
  }),
  read('confirm', async opened => {
    await opened.send(review())
    await opened.page.keyboard.press('Alt+Enter')
  }),
  read('sending', async opened => {
    await opened.send(review())
    await opened.page.locator('#approve').click()
  }),
  read('refused', async opened => {
    await opened.send(review(), {
      kind: 'refused',
      reviewId: 'review-2',
      text: 'The plan changed since it was shown. Read the new revision and decide again.',
    })
  }),
  read('remarks', opened =>
    opened.send(review({ revisions: 3, revision: 3, reviewId: 'review-3' }), {
      ...remarks(
        remark('C1', { state: 'open', fate: 'changed', claim: 'done, step 4' }),
        remark('C2', { kind: 'question', state: 'open', fate: 'unchanged', text: 'Which clock?' }),
        remark('C3', { state: 'open', fate: 'gone', range: null }),
        remark('C4', { kind: 'good', quote: null, range: null, state: 'resolved', text: '' }),
        remark('C5', { kind: 'remove', state: 'again', fate: 'unclear', range: null, text: '' }),
        remark('C6'),
      ),
      reviewId: 'review-3',
    }),
  ),
  read('drawer', async opened => {
    await opened.send(
      review(),
      remarks(remark('C1', { text: '' }), remark('C2', { state: 'open', fate: 'gone', range: null })),
    )
    await opened.page.keyboard.press('n')
    await settled(opened.page)
  }),
  read('selection', async opened => {
    await opened.send(review(), remarks())
    await opened.page.locator('main h1').dblclick({ position: { x: 20, y: 14 } })
    await opened.page.getByRole('toolbar').waitFor()
  }),
  read('choices', async opened => {
    await opened.send(review({ fresh: { here: 24_000, plan: 500 } }), remarks(remark('C1')))
    await opened.page.locator('#approve-menu').click()
  }),
  read('unsent', async opened => {
    await opened.send(review(), remarks(remark('C1')))
    await opened.page.locator('#approve').click()
  }),
  read('outline', async opened => {
    await opened.send(
      review({ markdown: nested, planHash: 'n' }),
      remarks(remark('C1', { range: { start: nested.indexOf('Limiter'), end: nested.indexOf('Limiter') + 7 } })),
      { kind: 'reach', reviewId: 'review-2', reach },
    )
    await opened.page.locator('.reach summary').click()
    await opened.page.locator('[role=treeitem]').first().press('ArrowDown')
  }),
  {
    ...{ page: 'review', name: 'outline-menu', widths: [380, 600] },
    async show(opened) {
      await opened.send(review({ markdown: nested, planHash: 'n' }), { kind: 'reach', reviewId: 'review-2', reach })
      const menu = opened.page.getByRole('button', { name: 'Show the outline' })
      // At 200 % zoom the window counts as wide enough for the column.
      if (await menu.isVisible()) await menu.click()
    },
  },
  read('reach', async opened => {
    await opened.send(review(), { kind: 'reach', reviewId: 'review-2', reach })
    await opened.page.getByRole('link', { name: 'src/http/router.ts' }).first().focus()
    await opened.page.locator('file-preview').waitFor({ state: 'visible' })
  }),
  read('search', async opened => {
    await opened.send(review(), remarks(remark('C1')))
    await opened.page.keyboard.press('Control+f')
    await opened.page.keyboard.type('limit')
    await opened.page.getByText(/^1 of \d+$/).waitFor()
  }),
  read('changes', async opened => {
    await opened.send(review(), { kind: 'changes', reviewId: 'review-2', changes })
    await opened.page.locator('change-mark').getByRole('button').first().click()
    await settled(opened.page)
  }),
  read('writing', opened =>
    opened.send(
      review({ state: 'kept', revising: true }),
      { kind: 'act', act: 'watch' },
      { kind: 'writing', text: half },
    ),
  ),
  read('writing-offered', opened =>
    opened.send(review({ state: 'kept', revising: true }), { kind: 'writing', text: half }),
  ),
  read('footnotes', async opened => {
    await opened.send(review({ markdown: noted, planHash: 'f' }))
    await opened.page.getByRole('link', { name: 'Footnote 2' }).click()
  }),
  read('diagrams', async opened => {
    const fence = (text: string) => `\`\`\`mermaid\n${text}\n\`\`\``
    const markdown = `# Diagrams\n\n${[...diagrams, 'gantt\n  title Never'].map(fence).join('\n\n')}\n`
    await opened.send(review({ markdown, planHash: 'd' }))
    for (const text of diagrams)
      await opened.send({ kind: 'diagram', text: `${text}\n`, picture: renderMermaidSVG(text) })
    await opened.send({ kind: 'diagram', text: 'gantt\n  title Never\n', picture: null })
  }),
  read('older', opened => opened.send(review({ reviewId: 'review-1', revision: 1, older: true, state: 'kept' }))),
  read('revising', opened => opened.send(review({ state: 'kept', revising: true, feedback: 'Inject the clock.' }))),
  read('not-live', opened => opened.send(review({ live: false, mode: { active: false, pending: true } }))),
  read('read-only', opened =>
    opened.send(
      review({ readOnly: 'Another window is writing this conversation. It is read-only here.', continueHere: true }),
    ),
  ),
  read('approved', opened => opened.send(review({ state: 'approved', mode: { active: true, pending: true } }))),
  read('kept', opened => opened.send(review({ state: 'kept', feedback: 'Inject the clock, no timers.' }))),
  read('empty', opened => opened.send({ kind: 'empty', text: 'No plan waits for a review.' })),
]
