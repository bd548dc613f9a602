// Sample states, entries and plans that the page tests draw.

import type { Image } from '../../../src/webview/image-messages.ts'
import type { ConversationState, OpenQuestion, PinnedPlan, ToConversation } from '../../../src/webview/messages.ts'
import type { ChangesView, ReachView, RemarkView, ReviewView } from '../../../src/webview/review-messages.ts'
import type { Item } from '../../../src/webview/transcript-messages.ts'
import { png } from '../../support/pictures.ts'

export function conversation(changes: Partial<ConversationState> = {}): { kind: 'state'; state: ConversationState } {
  return {
    kind: 'state',
    state: {
      sessionId: 'session-1',
      title: 'Rate limiting for the public API',
      mode: { active: true, pending: false },
      running: false,
      waitsForYou: false,
      activity: null,
      reviewWaiting: null,
      plan: null,
      questions: [],
      queue: [],
      model: { label: 'DeepSeek V4', ready: true },
      context: { used: 9920, window: 32_000 },
      readOnly: null,
      continueHere: false,
      problem: null,
      noFolder: false,
      commands: [
        { name: 'plan', description: 'Turn plan mode on, off, or on with a message', input: '[off|message]' },
        { name: 'plans', description: 'List the plans of this conversation' },
        { name: 'compact', description: 'Summarise the conversation so far' },
      ],
      shiftTabTogglesMode: true,
      earlier: 0,
      ...changes,
    },
  }
}

/** A stored picture; its bytes are what `picture` gives. */
export const board: Image = {
  attachmentId: 'b'.repeat(64),
  mediaType: 'image/png',
  bytes: picture('board').length,
  width: 320,
  height: 200,
  name: 'board.png',
}
export const sketch: Image = {
  attachmentId: 'c'.repeat(64),
  mediaType: 'image/png',
  bytes: 1_468_006,
  width: 1600,
  height: 1200,
  name: 'a sketch of the whole screen with a long name.png',
}

export function picture(of: 'board' | 'sketch'): Uint8Array {
  return of === 'board' ? png(320, 200) : png(160, 120, [200, 90, 40])
}

/** The host's answer to `loadImage`. */
export function bytesFor(image: Image): ToConversation {
  const data = Buffer.from(picture(image === board ? 'board' : 'sketch')).toString('base64')
  return { kind: 'imageBytes', attachmentId: image.attachmentId, data }
}

const limiter = { path: 'src/limits/limiter.ts', added: 84, removed: 0, refs: [{ seq: 12 }] }
const router = {
  path: 'src/http/router.ts',
  added: 9,
  removed: 2,
  refs: [{ seq: 20, callId: 'c1:code:1' }, { seq: 24 }],
}

/** An approved plan at work: every state of a step, a note, files under steps and elsewhere. */
export const pinned: PinnedPlan = {
  title: 'Rate limiting for the public API',
  steps: [
    { id: '1', title: 'Write the token bucket', state: 'done', note: null, files: [limiter] },
    { id: '2', title: 'Wire it into the router', state: 'running', note: null, files: [router] },
    { id: '3', title: 'Count requests per key', state: 'skipped', note: 'The bucket counts already.', files: [] },
    { id: '4', title: 'Say in docs/limits.md how limits are set', state: 'open', note: null, files: [] },
  ],
  elsewhere: [{ path: 'package.json', added: 1, removed: 1, refs: [{ seq: 9 }] }],
  check: null,
}

/** The same with its closing check. */
export const checked: PinnedPlan = {
  ...pinned,
  check: {
    outcomes: ['done', 'partly', 'skipped', 'untouched'],
    unplanned: [{ path: 'package.json', added: 1, removed: 1, refs: [{ seq: 9 }] }],
  },
}

type Tool = Extract<Item, { kind: 'tool' }>

export function tool(id: string, name: string, title: string, changes: Partial<Tool> = {}): Tool {
  return { kind: 'tool', id, name, title, status: 'done', input: `{ "path": "${title}" }`, output: 'text', ...changes }
}

export const walk: readonly Item[] = [
  { kind: 'user', id: 'u1', text: 'Add rate limiting to the public API. Keep it in process.' },
  { kind: 'mode', id: 'm1', active: true },
  { kind: 'reasoning', id: 'r1', text: 'The router is the natural place.', streaming: false },
  tool('t1', 'read_file', 'Read src/http/router.ts'),
  tool('t2', 'read_file', 'Read src/http/server.ts'),
  tool('t3', 'search', 'Searched for “limit”'),
  tool('t4', 'read_file', 'Read src/missing.ts', { status: 'failed', output: 'src/missing.ts does not exist' }),
  {
    kind: 'assistant',
    id: 'a1',
    text: 'The router takes every request in `src/http/router.ts`, and there is one place where the key is known before anything costs time. That is where the limiter belongs.',
    streaming: false,
    interrupted: false,
  },
  {
    kind: 'plan',
    id: 'p1',
    reviewId: 'review-1',
    title: 'Rate limiting for the public API',
    excerpt: 'Requests are unbounded today.',
    revision: 1,
    state: 'kept',
    feedback: 'Inject the clock, no timers.\nWhich file are the limits read from?',
  },
  {
    kind: 'plan',
    id: 'p2',
    reviewId: 'review-2',
    title: 'Rate limiting for the public API',
    excerpt:
      'Requests to the router are unbounded today: one client can starve the others. The plan adds a token bucket per API key.',
    revision: 2,
    state: 'waiting',
  },
]

/** A program, what it called, an approval in the middle. */
export const programWalk: readonly Item[] = [
  { kind: 'user', id: 'u1', text: 'Count the routes of every file, and note the total.' },
  tool('p', 'run_code', 'Run a program: count the routes', {
    status: 'running',
    input: 'description: count the routes',
    output: '',
    code: `const paths: string[] = ['a.ts', 'b.ts']\n// one read each, side by side\nconst texts = await Promise.all(paths.map(path => tools.read_file({ path })))\nconst ticks = '\`\`\`'\nreturn texts.length`,
  }),
  tool('p1', 'read_file', 'Read a.ts', { parent: 'p' }),
  tool('p2', 'read_file', 'Read b.ts', { parent: 'p', status: 'failed', output: 'Error: b.ts does not exist' }),
  {
    kind: 'approval',
    id: 'approval-1',
    title: 'The agent wants to create total.md (1 line added, 0 removed).',
    state: 'allowed-once',
  },
  tool('p3', 'write_file', 'Write total.md', { parent: 'p', change: { path: 'total.md', added: 1, removed: 0 } }),
]

export const afterApproval: readonly Item[] = [
  { kind: 'command', id: 'c1', text: '/plan off', status: 'success', result: 'Plan mode ends at the next step.' },
  { kind: 'command', id: 'c2', text: '/plam', status: 'error', result: 'There is no command named plam.' },
  { kind: 'mode', id: 'm2', active: false },
  {
    kind: 'approval',
    id: 'ap1',
    title: 'Edit src/http/router.ts',
    change: { path: 'src/http/router.ts', added: 3, removed: 1 },
    state: 'allowed-once',
  },
  tool('t5', 'edit_file', 'Edited src/http/router.ts', {
    change: { path: 'src/http/router.ts', added: 3, removed: 1 },
  }),
  {
    kind: 'approval',
    id: 'ap2',
    title: 'Write .vscode/settings.json',
    warning: 'Files in .vscode change how this window behaves.',
    change: { path: '.vscode/settings.json', added: 12, removed: 4 },
    state: 'waiting',
  },
  { kind: 'notice', id: 'n1', level: 'info', text: 'Trying again in 2 s: the endpoint answered 429.' },
  {
    kind: 'notice',
    id: 'n2',
    level: 'error',
    text: 'The endpoint http://127.0.0.1:9 could not be reached. Check planMode.model.baseUrl.',
  },
  { kind: 'assistant', id: 'a2', text: 'The limiter is in place, so', streaming: false, interrupted: true },
]

/** Three questions of one call: a single choice, several, and words alone. */
export const openQuestion: OpenQuestion = {
  id: 'tool-9',
  questions: [
    {
      id: 'store',
      header: 'Store',
      question: 'Where should the counters live?',
      options: [
        { label: 'In memory', description: 'Fast and simple; every process counts for itself and a restart forgets.' },
        { label: 'Redis', description: 'One truth for all processes, and one more service to run.' },
      ],
      multiSelect: false,
    },
    {
      id: 'routes',
      question: 'Which routes are limited?',
      options: [{ label: 'Search' }, { label: 'Export' }, { label: 'Everything else under /api' }],
      multiSelect: true,
    },
    { id: 'owner', header: 'Owner', question: 'Who decides on the numbers?', options: [], multiSelect: false },
  ],
  kept: [],
  keptAt: 0,
}

type QuestionItem = Extract<Item, { kind: 'question' }>

export const waitingQuestion: QuestionItem = {
  kind: 'question',
  id: 'tool-9',
  asked: openQuestion.questions.map(({ id, question }) => ({ id, question, selected: [] })),
  state: 'waiting',
}

export const answeredQuestion: QuestionItem = {
  kind: 'question',
  id: 'tool-20',
  asked: [
    { id: 'store', header: 'Store', question: 'Where should the counters live?', selected: ['Redis'] },
    { id: 'routes', question: 'Which routes are limited?', selected: ['Search', 'Export'], custom: 'and the login' },
    { id: 'more', question: 'Which of these too?', selected: [] },
  ],
  state: 'answered',
}

export const stoppedQuestion: QuestionItem = {
  kind: 'question',
  id: 'tool-30',
  asked: [{ id: 'owner', question: 'Who decides on the numbers?', selected: [] }],
  state: 'stopped',
  unsent: 'The team that runs the gateway, I think',
}
/** Two turns that were inherited by a fork, and one of its own with two explorers under way. */
export const forkedWalk: readonly Item[] = [
  { kind: 'user', id: 'f1', text: 'Where are the limits read?' },
  { kind: 'assistant', id: 'f2', text: 'In `src/config.ts`.', streaming: false, interrupted: false, turn: 1 },
  { kind: 'user', id: 'f3', text: 'And who refuses a request?' },
  tool('f4', 'read_file', 'Read src/http/router.ts'),
  { kind: 'notice', id: 'f5', level: 'info', text: 'Stopped.', turn: 2 },
  { kind: 'fork', id: 'f6' },
  { kind: 'user', id: 'f7', text: 'Look at both sides of it.' },
  tool('f8', 'explore', 'Explore: what the router does with a request that is refused', {
    explorer: { sessionId: 'child-1', activity: null },
  }),
  tool('f9', 'explore', 'Explore: callers of the limiter', {
    status: 'running',
    output: '',
    explorer: { sessionId: 'child-2', activity: 'Read src/http/middleware/limits-and-quotas.ts · 4 calls' },
  }),
]

export const summarised: readonly Item[] = [
  {
    kind: 'command',
    id: 'sc1',
    text: '/compact keep the limits in mind',
    status: 'success',
    result: 'The agent goes on with a summary of the older part.',
  },
  {
    kind: 'compaction',
    id: 's1',
    status: 'done',
    text: '## What the user wants\n\nRate limiting for the public API, in process.\n\n## What is known\n\n- `src/http/router.ts` takes every request',
    messages: 42,
    tokens: 31_400,
  },
  { kind: 'compaction', id: 's2', status: 'failed', text: 'The model gave an empty summary.', messages: 0, tokens: 0 },
  { kind: 'compaction', id: 's3', status: 'running', text: '', messages: 0, tokens: 0 },
]

export const plan = `# Rate limiting for the public API

Requests to \`src/http/router.ts\` are unbounded today: one client can starve the others. The plan adds a token bucket per API key, refused requests get 429 with \`Retry-After\`, and the limits are read from [the configuration](src/config.ts) that exists. See [RFC 6585](https://www.rfc-editor.org/rfc/rfc6585).

## Steps

- [x] 1. Add \`src/http/limiter.ts\`: one bucket per key, held in memory, refilled by the clock that is injected, no timers.
- [ ] 2. Wire it into \`src/http/router.ts\` before authentication costs anything.
- [ ] 3. Count refused requests per key in \`src/metrics.ts\`, so that a limit that is set too low is seen.
- [ ] 4. Tests in \`test/http/limiter.test.ts\`: burst, refill, two keys, clock that jumps back.

\`\`\`ts
/** Refills by the clock, never by a timer. */
export function take(bucket: Bucket, now: number): boolean {
  const refill = (now - bucket.at) * 0.5
  return bucket.left + refill > 1 && bucket.name !== 'free'
}
\`\`\`

## Limits

| Key | Requests | Burst |
| :-- | --: | :-: |
| free | 10 | 20 |
| paid | 100 | 200 |

## Rollout

Behind the flag \`limits.enforce\`: first **count only**, for a week, then *refuse*.

> Switching back is one configuration change, without a deployment.

1. Count
2. Compare
   - by key
   - by hour
3. Refuse

## Risks

Several processes share no bucket: a client may get up to the limit times the number of processes.
`

export function review(changes: Partial<ReviewView> = {}): { kind: 'review'; review: ReviewView } {
  return {
    kind: 'review',
    review: {
      reviewId: 'review-2',
      sessionId: 'session-1',
      conversation: 'Rate limiting for the public API',
      title: 'Rate limiting for the public API',
      markdown: plan,
      planHash: 'a'.repeat(64),
      revision: 2,
      revisions: 2,
      history: Array.from({ length: changes.revisions ?? 2 }, (_, index) => ({
        reviewId: `review-${index + 1}`,
        revision: index + 1,
        state: index + 1 === (changes.revisions ?? 2) ? 'waiting' : 'kept',
      })),
      older: false,
      state: 'waiting',
      feedback: null,
      mode: { active: true, pending: false },
      live: true,
      revising: false,
      readOnly: null,
      continueHere: false,
      carriedOutWith: 'DeepSeek V4 · asks before edits',
      fresh: null,
      ...changes,
    },
  }
}

/** A remark on words of the sample plan, not sent yet unless said otherwise. */
export function remark(id: string, changes: Partial<RemarkView> = {}): RemarkView {
  const quote = 'count only'
  const start = plan.indexOf(quote)
  return {
    id,
    kind: 'remark',
    quote,
    under: 'Rollout',
    range: { start, end: start + quote.length },
    text: 'The billing run is every second week.',
    state: 'unsent',
    fate: 'here',
    claim: null,
    images: [],
    ask: null,
    keptBack: false,
    ...changes,
  }
}

export function remarks(...all: readonly RemarkView[]) {
  return { kind: 'remarks' as const, reviewId: 'review-2', remarks: [...all], editedHash: null }
}

const named = { exists: true, test: false, tree: 'clean', preview: '' } as const

export const reach: ReachView = {
  files: [
    { ...named, path: 'src/http/router.ts', preview: 'import http from "node:http"\n\nexport function route() {}' },
    { ...named, path: 'src/config.ts' },
    { ...named, path: 'src/http/limiter.ts', tree: 'untracked' },
    { ...named, path: 'src/metrics.ts', tree: 'changed', preview: 'export const <b>counted</b> = 1' },
    { ...named, path: 'test/http/limiter.test.ts', exists: false, test: true, tree: null },
  ],
  symbols: [
    { name: 'enforce', exists: true, where: 'src/config.ts:4', preview: 'export function enforce(limits: Limits) {' },
  ],
}

const line = (words: string): number => plan.split('\n').findIndex(each => each.includes(words))

/** One step changed, one added, two lines gone before the risks. */
export const changes: ChangesView = {
  base: 1,
  decided: true,
  added: 2,
  removed: 3,
  hunks: [
    { start: line('2. Wire'), end: line('2. Wire') + 1, removed: '- [ ] 2. Wire it in <img src=x>.' },
    { start: line('3. Count'), end: line('3. Count') + 1, removed: '' },
    { start: line('## Risks'), end: line('## Risks'), removed: '## Costs\n\nNone.' },
  ],
}
/** A question that an explorer was asked: at work, or with its answer. */
export function askedRemark(id: string, changes: Partial<NonNullable<RemarkView['ask']>> = {}): RemarkView {
  const ask = { state: 'answered' as const, by: 'child-1', text: answer, attached: false, activity: null, ...changes }
  const keptBack = !ask.attached && (ask.state === 'answered' || ask.state === 'asking')
  return remark(id, { kind: 'question', text: 'Who reads the flag, and where is it set?', ask, keptBack })
}

const answer = `The flag \`limits.enforce\` is read in \`src/http/limits.ts:12\` alone, and set nowhere yet:

1. \`config.get('limits.enforce')\` falls back to \`false\`
2. no environment names it

I did not find a test that turns it on.`
