import assert from 'node:assert/strict'
import { follow, Log, only } from './transcript-log.ts'

describe('Transcript: tools', () => {
  const titles: [string, unknown, string][] = [
    ['list_files', {}, 'List the workspace folder'],
    ['list_files', { path: 'src' }, 'List src'],
    ['read_file', { path: 'src/a.ts' }, 'Read src/a.ts'],
    ['read_file', { path: 'src/a.ts', start_line: 3, end_line: 9 }, 'Read src/a.ts, lines 3 to 9'],
    ['read_file', { path: 'src/a.ts', start_line: 3 }, 'Read src/a.ts, from line 3'],
    ['read_file', { path: 'src/a.ts', end_line: 9 }, 'Read src/a.ts, up to line 9'],
    ['search_text', { pattern: 'foo\nbar' }, 'Search for "foo bar"'],
    ['search_text', { pattern: 'foo', glob: '*.ts' }, 'Search for "foo" in *.ts'],
    ['write_file', { path: 'a.md', content: 'x' }, 'Write a.md'],
    ['edit_file', { path: 'a.md' }, 'Edit a.md'],
    ['other_tool', { a: 1 }, 'Use other_tool'],
    ['read_file', '{not json', 'Read a file'],
  ]
  for (const [name, args, title] of titles) {
    it(`says "${title}"`, () => {
      assert.deepEqual(
        only(new Log().open().call('c', name, args), 'tool').map(item => item.title),
        [title],
      )
    })
  }

  it('goes from running to done, with the change that the tool reports', () => {
    const log = new Log().open()
    const { transcript } = follow(log)
    log.call('c', 'edit_file', { path: 'a.md', new_text: 'x\ny' })
    const running = {
      kind: 'tool',
      id: 'tool-2',
      name: 'edit_file',
      title: 'Edit a.md',
      input: 'path: a.md\nnew_text:\nx\ny',
    }
    assert.deepEqual(transcript.items, [{ ...running, status: 'running', output: '' }])
    log.result('c', 'ok', { meta: { path: 'a.md', added: 2, removed: 1, extra: true } })
    const change = { path: 'a.md', added: 2, removed: 1 }
    assert.deepEqual(transcript.items, [{ ...running, status: 'done', output: 'ok', change }])
  })

  const codes: [string | undefined, string][] = [
    [undefined, 'failed'],
    ['INVALID_ARGS', 'failed'],
    ['ABORTED', 'stopped'],
    ['ABORTED_BEFORE_DISPATCH', 'stopped'],
    ['TOOL_OUTCOME_UNKNOWN', 'stopped'],
  ]
  for (const [code, status] of codes) {
    it(`calls a failure with the code ${code} ${status}`, () => {
      const error = code === undefined ? {} : { error: { name: 'E', code } }
      const log = new Log().open().call('c', 'read_file', { path: 'a' }).result('c', 'Error: no', error, true)
      assert.deepEqual(
        only(log, 'tool').map(item => item.status),
        [status],
      )
    })
  }

  it('shows a call that was announced and never began', () => {
    const log = new Log().open()
    log.message([{ type: 'tool-call', id: 'c', name: 'read_file', arguments: '{"path":"a"}' }])
    log.result('c', 'Error: never began', { error: { name: 'ToolNotStartedError', code: 'TOOL_NOT_STARTED' } }, true)
    assert.deepEqual(
      only(log, 'tool').map(item => [item.title, item.status]),
      [['Read a', 'stopped']],
    )
  })

  it('stops what still runs when the turn ends, and leaves finished ones alone', () => {
    const log = new Log().open().call('a', 'read_file', {}).result('a', 'x').call('b', 'read_file', {})
    log.end({ kind: 'interrupted' })
    assert.deepEqual(
      only(log, 'tool').map(item => item.status),
      ['done', 'stopped'],
    )
    assert.match(only(log, 'notice')[0]?.text ?? '', /was cut/)
  })

  it('tells nothing more of a stopped call when a later turn ends', () => {
    const log = new Log().open().call('a', 'read_file', {}).end({ kind: 'interrupted' })
    const { changes } = follow(log)
    log.add('turn/start', { turn: 2 })
    log.add('turn/end', { turn: 2, reason: { kind: 'completed' } })
    assert.deepEqual(changes, [])
  })

  it('bounds input and output', () => {
    const log = new Log()
      .open()
      .call('c', 'write_file', { content: 'x'.repeat(50_000) })
      .result('c', 'é'.repeat(50_000))
    const [tool] = only(log, 'tool')
    assert.ok(tool !== undefined && tool.input.length < 5_000 && tool.output.length < 9_000)
    assert.match(tool.output, /… 42,000 more characters$/)
  })

  it('shows arguments as they came when they are nested too deeply to be laid out', () => {
    const nested = `{"path":${'['.repeat(20_000)}${']'.repeat(20_000)}}`
    const [tool] = only(new Log().open().call('c', 'read_file', nested), 'tool')
    assert.match(tool?.input ?? '', /^\{"path":\[\[/)
  })

  it('keeps the output when a later event replaces the result for the model', () => {
    const log = new Log().open().call('c', 'read_file', { path: 'a' }).result('c', 'the text')
    const old = log.session.at(log.session.length - 1)
    log.call('c', 'read_file', { path: 'b' })
    assert.equal(old.type, 'tool/result')
    if (old.type !== 'tool/result') return
    const content = old.data.message.content.map(part =>
      part.type === 'tool-result' ? { ...part, content: [{ type: 'text' as const, text: 'gone' }] } : part,
    )
    const surfaceOp = { op: 'replace' as const, start: old.seq, end: old.seq }
    const data = { ...old.data, message: { ...old.data.message, content } }
    log.add('tool/result', structuredClone(data), { surfaceOp, sourceEventSeqs: [old.seq] })
    assert.deepEqual(
      only(log, 'tool').map(item => [item.output, item.status]),
      [
        ['the text', 'done'],
        ['', 'running'],
      ],
    )
  })
})
