import assert from 'node:assert/strict'
import { hashPlan } from '../../../src/plan/present-plan.ts'
import { cancelled } from '../../../src/tools/ask-words.ts'
import { Transcript } from '../../../src/vscode/transcript/transcript.ts'
import type { Item } from '../../../src/webview/transcript-messages.ts'
import { follow, items, Log, only } from './transcript-log.ts'

type Arguments = { [key: string]: string | { [key: string]: string }[] }
type ToolItem = Extract<Item, { kind: 'tool' }>
const code = 'const text: string = await tools.read_file({ path: "a.ts" })\nreturn text.length'

function running(): Log {
  return new Log().open().call('run', 'run_code', { code, description: 'Measure a file' })
}

function start(log: Log, n: number, name: string, args: Arguments): Log {
  log.add('tool/code-dispatch-start', of(n, name, args))
  return log
}

function end(log: Log, n: number, name: string, args: Arguments, text: string, isError = false): Log {
  log.add('tool/code-dispatch', { ...of(n, name, args), isError, content: [{ type: 'text', text }] })
  return log
}

function of(n: number, name: string, args: Arguments) {
  return { rootCallId: 'run', parentCallId: 'run', subCallId: `run:code:${n}`, name, arguments: args }
}

const tools = (log: Log): ToolItem[] => only(log, 'tool')

describe('a program in the transcript', () => {
  it('has its description as title, its code apart, and its calls under it', () => {
    const log = running()
    start(log, 1, 'read_file', { path: 'a.ts' })
    start(log, 2, 'edit_file', { path: 'b.ts' })
    end(log, 1, 'read_file', { path: 'a.ts' }, 'text')
    const [outer, read, edit] = tools(log)
    assert.deepEqual(outer, {
      kind: 'tool',
      id: 'tool-2',
      name: 'run_code',
      title: 'Run a program: Measure a file',
      status: 'running',
      input: 'description: Measure a file',
      output: '',
      code,
    })
    assert.deepEqual([read?.title, read?.status, read?.output, read?.parent], ['Read a.ts', 'done', 'text', 'tool-2'])
    assert.deepEqual([edit?.title, edit?.status, edit?.parent], ['Edit b.ts', 'running', 'tool-2'])
  })

  it('tells failed calls from stopped ones, and what they changed once it is over', () => {
    const log = running()
    for (const n of [1, 2, 3]) start(log, n, 'edit_file', { path: `${n}.ts` })
    end(log, 1, 'edit_file', { path: '1.ts' }, 'Changed 1.ts')
    end(log, 2, 'edit_file', { path: '2.ts' }, 'Error: 2.ts does not exist', true)
    end(log, 3, 'edit_file', { path: '3.ts' }, 'Error: The call was stopped before it finished.', true)
    const change = { path: '1.ts', added: 2, removed: 1 }
    log.result('run', '3', { meta: { calls: { 'run:code:1': change, 'run:code:9': change } } })
    const [outer, ...inner] = tools(log)
    assert.deepEqual([outer?.status, outer?.output], ['done', '3'])
    assert.deepEqual(
      inner.map(({ status, change: made }) => [status, made]),
      [
        ['done', change],
        ['failed', undefined],
        ['stopped', undefined],
      ],
    )
  })

  it('leaves no call running once it is over, by a crash as well', () => {
    const log = start(running(), 1, 'read_file', { path: 'a.ts' })
    log.result('run', 'Error: lost', { error: { name: 'ToolOutcomeUnknownError', code: 'TOOL_OUTCOME_UNKNOWN' } }, true)
    assert.deepEqual(
      tools(log).map(({ status }) => status),
      ['stopped', 'stopped'],
    )
    const open = start(running(), 1, 'read_file', { path: 'a.ts' })
    open.add('turn/end', { turn: 1, reason: { kind: 'interrupted' } })
    assert.deepEqual(
      tools(open).map(({ status }) => status),
      ['stopped', 'stopped'],
    )
  })

  it('shows a plan it presented as the card, and one it did not as a failed call', () => {
    const log = running()
    const plan = '# Add limits\n\nOne bucket.'
    start(log, 1, 'exit_plan_mode', { plan })
    log.add('review/presented', { reviewId: 'r', callId: 'run:code:1', planHash: hashPlan(plan) })
    assert.deepEqual(
      only(log, 'plan').map(({ title, excerpt, state }) => [title, excerpt, state]),
      [['Add limits', 'One bucket.', 'waiting']],
    )
    log.add('review/decided', { reviewId: 'r', decision: 'kept', planHash: hashPlan(plan), feedback: 'More.' })
    end(log, 1, 'exit_plan_mode', { plan }, 'Error: More.', true)
    start(log, 2, 'exit_plan_mode', { plan: 'none' })
    end(log, 2, 'exit_plan_mode', { plan: 'none' }, 'Error: no heading', true)
    assert.deepEqual(
      tools(log).map(({ title, status }) => [title, status]),
      [
        ['Run a program: Measure a file', 'running'],
        ['Present a plan', 'failed'],
      ],
    )
    assert.equal(only(log, 'plan')[0]?.state, 'kept')
  })

  it('reads the same live and after a reload', () => {
    const log = running()
    const { transcript } = follow(log)
    start(log, 1, 'edit_file', { path: 'a.ts' })
    end(log, 1, 'edit_file', { path: 'a.ts' }, 'Changed')
    log.result('run', 'ok', { meta: { calls: { 'run:code:1': { path: 'a.ts', added: 1, removed: 0 } } } }).end()
    assert.deepEqual(transcript.items, items(log))
  })

  const ask = { questions: [{ id: 'store', question: 'Where?' }] }
  const asked = [{ id: 'store', question: 'Where?', selected: [] }]

  it('shows a question it asks like one of the model, with a card that is found by its call', () => {
    const log = start(running(), 1, 'ask_user_question', ask)
    const transcript = new Transcript(log.session)
    const [, question] = transcript.items
    assert.deepEqual(question, { kind: 'question', id: 'tool-3', asked, state: 'waiting' })
    assert.equal(transcript.entryOfCall('run:code:1'), 'tool-3')
  })

  const ends: [string, string, boolean, object][] = [
    [
      'answered',
      '{"answers":[{"id":"store","selected":["Redis"]}]}',
      false,
      { asked: [{ ...asked[0], selected: ['Redis'] }] },
    ],
    ['dismissed', `Error: ${cancelled}`, true, {}],
    ['stopped', 'Error: The call was stopped before it finished.', true, {}],
    ['failed', 'Error: Nothing is open.', true, { trouble: 'Nothing is open.' }],
  ]
  for (const [state, text, isError, more] of ends) {
    it(`keeps the record of a question that was ${state}`, () => {
      const log = end(start(running(), 1, 'ask_user_question', ask), 1, 'ask_user_question', ask, text, isError)
      assert.deepEqual(only(log, 'question'), [{ kind: 'question', id: 'tool-3', asked, state, ...more }])
    })
  }

  it('takes records of other programs as they are', () => {
    const log = new Log().open()
    log.add('tool/code-dispatch-start', { ...of(1, 'peek', {}), arguments: null })
    log.add('tool/code-dispatch', { ...of(1, 'peek', {}), arguments: null, isError: false, content: [] })
    log.add('tool/code-dispatch', { ...of(7, 'peek', {}), isError: false, content: [] })
    assert.deepEqual(
      tools(log).map(({ title, parent, input }) => [title, parent, input]),
      [['Use peek', undefined, 'null']],
    )
  })
})
