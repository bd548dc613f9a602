// Every state of reading a plan that is drawn for the eye and judged by axe.
import { renderMermaidSVG } from 'beautiful-mermaid'
import { type Opened, settled } from './open-page.ts'
import type { PageState } from './page-states.ts'
import { changes, reach, remark, remarks, review } from './samples.ts'

const panel = [1360, 600, 380]

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

export const readingStates: readonly PageState[] = [
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
]
