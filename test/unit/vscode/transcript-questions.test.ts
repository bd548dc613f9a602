import assert from 'node:assert/strict'
import { Transcript } from '../../../src/vscode/transcript/transcript.ts'
import { items, Log, only } from './transcript-log.ts'

const questions = [
  { id: 'store', header: 'Store', question: 'Where?', options: [{ label: 'Redis' }] },
  { id: 'why', question: 'Why?' },
]
const asked = [
  { id: 'store', header: 'Store', question: 'Where?', selected: [] },
  { id: 'why', question: 'Why?', selected: [] },
]

function ask(args: unknown = { questions }): Log {
  return new Log().open().call('c', 'ask_user_question', args)
}

const failed = (code: string, name = 'UserQuestionError') => ({ error: { name, code } })

describe('questions in the transcript', () => {
  it('wait, and are found by their call while it runs', () => {
    const log = ask()
    const transcript = new Transcript(log.session)
    const [question] = transcript.items
    assert.deepEqual(question, { kind: 'question', id: 'tool-2', asked, state: 'waiting' })
    assert.equal(transcript.entryOfCall('c'), 'tool-2')
    assert.equal(transcript.entryOfCall('other'), undefined)
    log.result('c', JSON.stringify({ answers: [] }))
    assert.equal(transcript.entryOfCall('c'), undefined)
  })

  it('become a record of what was answered', () => {
    const answers = [
      { id: 'store', selected: ['Redis'] },
      { id: 'why', selected: [], custom: 'Because' },
    ]
    const [question] = only(ask().result('c', JSON.stringify({ answers })), 'question')
    assert.equal(question?.state, 'answered')
    assert.deepEqual(question?.asked, [
      { ...asked[0], selected: ['Redis'] },
      { ...asked[1], custom: 'Because' },
    ])
  })

  const ends: [string, string, object, string][] = [
    ['closed by the person', 'Error: closed', failed('ASK_CANCELLED'), 'dismissed'],
    ['stopped', 'Error: stopped', failed('ABORTED', 'AbortError'), 'stopped'],
    ['lost in a crash', 'Error: lost', failed('TOOL_OUTCOME_UNKNOWN', 'ToolOutcomeUnknownError'), 'stopped'],
    ['without a surface', 'Error: Nothing is open.', failed('NO_PROVIDER'), 'failed'],
  ]
  for (const [name, text, error, state] of ends) {
    it(`say that they were ${name}`, () => {
      const [question] = only(ask().result('c', text, error, true), 'question')
      assert.equal(question?.state, state)
      assert.equal(question?.trouble, state === 'failed' ? 'Nothing is open.' : undefined)
    })
  }

  it('wait no more once the turn is over without a result', () => {
    assert.deepEqual(
      only(ask().end({ kind: 'interrupted' }), 'question').map(({ state }) => state),
      ['stopped'],
    )
  })

  it('are a call like any other when no question can be read in it', () => {
    for (const args of ['{"questions"', {}, { questions: [] }, { questions: [{ id: 'q' }] }]) {
      const [first] = items(ask(args))
      assert.equal(first?.kind, 'tool')
    }
  })

  it('stand a result that another program wrote', () => {
    for (const text of ['fine', '{"answers":1}', '{}']) {
      const [question] = only(ask().result('c', text), 'question')
      assert.deepEqual([question?.state, question?.asked], ['answered', asked])
    }
  })
})
