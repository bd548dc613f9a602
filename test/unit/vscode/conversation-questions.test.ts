import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ToolsMode } from '../../../src/agent/tool.ts'
import { defaultPolicy } from '../../../src/plan/policy.ts'
import { DraftStore } from '../../../src/review/drafts/draft-store.ts'
import { newUserMessage } from '../../../src/session/messages.ts'
import { ApprovalCards } from '../../../src/vscode/conversations/approval-cards.ts'
import type { Conversation } from '../../../src/vscode/conversations/conversation.ts'
import { Conversations } from '../../../src/vscode/conversations/conversations.ts'
import { Project } from '../../../src/vscode/conversations/project.ts'
import { keepChoices, questionViews, refusalOf, withUnsent } from '../../../src/vscode/pages/conversation-questions.ts'
import { Drafts } from '../../../src/vscode/pages/drafts.ts'
import { assertTypedFor } from '../../../src/vscode/pages/typed-for.ts'
import { WindowQuestions } from '../../../src/vscode/questions/window-questions.ts'
import { engineFiles } from '../../support/engine-files.ts'
import { modelsOf, type Reply, ScriptedModel } from '../../support/scripted-model.ts'

const asking: Reply = [
  {
    call: 'ask_user_question',
    args: { questions: [{ id: 'q', question: 'Which?', options: [{ label: 'A' }, { label: 'B' }] }] },
  },
]
const typed = (custom: string) => [{ id: 'q', selected: ['A'], custom, own: false }]

/** A workspace's storage, which outlives a window. */
function memento() {
  const kept = new Map<string, unknown>()
  return {
    get: (key: string) => kept.get(key),
    update: async (key: string, value: unknown) => void (value === undefined ? kept.delete(key) : kept.set(key, value)),
    kept,
  }
}

describe('the questions of a conversation', () => {
  let home: string
  let project: Project
  let window: { questions: WindowQuestions; conversations: Conversations }
  let store: ReturnType<typeof memento>
  let drafts: Drafts

  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'plan-mode-questions-'))
    store = memento()
    drafts = new Drafts(store)
    await openWindow()
  })

  afterEach(async () => {
    await closeWindow()
    await rm(home, { recursive: true, force: true })
  })

  async function openWindow(reply = asking, toolsMode: ToolsMode = 'native'): Promise<void> {
    window = { questions: new WindowQuestions(), conversations: new Conversations(store) }
    project = await Project.open({
      folder: home,
      name: 'home',
      root: join(home, '.plan-mode', 'sessions'),
      rootByUser: false,
      log: { backend: 'jsonl', compression: 'none', packChunks: true, batchWindow: 0 },
      models: modelsOf(new ScriptedModel([reply])),
      policy: () => defaultPolicy,
      approvalPolicy: () => 'ask',
      cards: new ApprovalCards(),
      questions: window.questions,
      toolsMode: () => toolsMode,
      program: engineFiles,
      reviewDrafts: new DraftStore(join(home, 'drafts')),
      ripgrep: undefined,
      isDirty: () => false,
      onError: error => assert.fail(String(error)),
    })
  }

  async function closeWindow(): Promise<void> {
    await window.conversations.dispose()
    await project.dispose()
  }

  async function asked(): Promise<Conversation> {
    const conversation = await window.conversations.create(project)
    const opened = new Promise<void>(resolve => window.questions.open.opened.on(() => resolve()))
    conversation.agent.prompt(newUserMessage('Ask me'))
    await opened
    return conversation
  }

  const record = (conversation: Conversation) => {
    const item = conversation.transcript.items.find(each => each.kind === 'question')
    assert.ok(item)
    return item
  }
  const unsent = (conversation: Conversation) => {
    const item = withUnsent(record(conversation), conversation.id, drafts)
    return item.kind === 'question' ? item.unsent : undefined
  }

  it('are the same when a program asks them: a card, an answer, a record', async () => {
    await closeWindow()
    const questions = [{ id: 'q', question: 'Which?', options: [{ label: 'A' }, { label: 'B' }] }]
    const code = `return await tools.ask_user_question(${JSON.stringify({ questions })})`
    await openWindow([{ call: 'run_code', args: { code, description: 'Ask' } }], 'both')
    const conversation = await asked()
    const [view] = questionViews(conversation, drafts)
    assert.equal(view?.id, record(conversation).id)
    const answers = [{ id: 'q', selected: ['B'] }]
    const settling = { kind: 'answerQuestion' as const, sessionId: conversation.id, id: view?.id ?? '', answers }
    assert.equal(refusalOf(window, settling), undefined)
    await conversation.agent.whenIdle()
    const { kind: _, ...shown } = record(conversation)
    assert.deepEqual(shown, {
      id: view?.id,
      asked: [{ id: 'q', question: 'Which?', selected: ['B'] }],
      state: 'answered',
    })
  })

  it('have the id of their entry, and what was kept for it', async () => {
    const conversation = await asked()
    const [view] = questionViews(conversation, drafts)
    assert.equal(view?.id, record(conversation).id)
    assert.deepEqual(view?.kept, [])
    keepChoices(drafts, conversation.id, view?.id ?? '', typed('words'))
    assert.deepEqual(questionViews(conversation, drafts)[0]?.kept, typed('words'))
    keepChoices(drafts, conversation.id, view?.id ?? '', [{ id: 'q', selected: [], custom: '', own: false }])
    assert.deepEqual(questionViews(conversation, drafts)[0]?.kept, [])
  })

  it('are settled once; an answer that does not fit says why and ends nothing', async () => {
    const conversation = await asked()
    const { id: sessionId } = conversation
    const { id } = record(conversation)
    const answer = (selected: string[], session = sessionId) =>
      refusalOf(window, { kind: 'answerQuestion', sessionId: session, id, answers: [{ id: 'q', selected }] })
    assert.match(answer(['C']) ?? '', /has no option "C"/)
    assert.match(answer(['A'], 'another') ?? '', /not waiting any more/)
    assert.equal(conversation.questions.length, 1)
    assert.equal(answer(['A']), undefined)
    assert.match(answer(['B']) ?? '', /not waiting any more/)
    assert.match(refusalOf(window, { kind: 'dismissQuestion', sessionId, id }) ?? '', /not waiting any more/)
    await conversation.agent.whenIdle()
    assert.deepEqual(record(conversation), {
      kind: 'question',
      id,
      asked: [{ id: 'q', question: 'Which?', selected: ['A'] }],
      state: 'answered',
    })
  })

  it('let a draft go once its words are in the log, and keep it otherwise', async () => {
    const conversation = await asked()
    const { id } = record(conversation)
    keepChoices(drafts, conversation.id, id, [{ id: 'q', selected: [], custom: 'my words', own: true }])
    assert.equal(unsent(conversation), undefined, 'it waits')
    const answers = [{ id: 'q', selected: [], custom: 'my words' }]
    assert.equal(refusalOf(window, { kind: 'answerQuestion', sessionId: conversation.id, id, answers }), undefined)
    await conversation.agent.whenIdle()
    assert.equal(unsent(conversation), undefined)
    assert.ok(![...store.kept.keys()].some(key => key.includes('question:')))
    keepChoices(drafts, conversation.id, id, typed('other words'))
    assert.equal(unsent(conversation), 'other words')
  })

  it('wait no more in the next window, which shows what was typed', async () => {
    const conversation = await asked()
    const { id } = record(conversation)
    await conversation.flush()
    keepChoices(drafts, conversation.id, id, typed('half a thought'))
    await closeWindow()
    await openWindow()
    const again = await window.conversations.open(project, conversation.id)
    assert.deepEqual(again.questions, [])
    const item = record(again)
    assert.deepEqual([item.id, 'state' in item && item.state], [id, 'stopped'])
    assert.equal(unsent(again), 'half a thought')
  })

  it('take words only for the conversation they were typed in', async () => {
    const [one, other] = [await asked(), await window.conversations.create(project)]
    assertTypedFor(one.id, one)
    assertTypedFor(null, undefined)
    assertTypedFor(null, other)
    for (const [sessionId, shown] of [
      [one.id, other],
      [one.id, undefined],
      [null, one],
    ] as const) {
      assert.throws(() => assertTypedFor(sessionId, shown), { code: 'CONVERSATION_CHANGED' })
    }
  })
})
