import assert from 'node:assert/strict'
import { hashPlan } from '../../../src/plan/present-plan.ts'
import type { EventData } from '../../../src/session/events.ts'
import { newUserMessage } from '../../../src/session/messages.ts'
import { activity } from '../../../src/vscode/transcript/activity.ts'
import { at, follow, items, Log, only } from './transcript-log.ts'

describe('Transcript: messages', () => {
  it('shows what the user wrote, with the image that came along', () => {
    const log = new Log()
    const { content, ...rest } = newUserMessage('Look at this')
    const attachment = {
      attachmentId: 'a',
      mediaType: 'image/png' as const,
      bytes: 1,
      width: 1,
      height: 1,
      name: 'x.png',
    }
    log.add('user/message', { ...rest, content: [{ type: 'image', attachment }, ...content] })
    assert.deepEqual(items(log), [{ kind: 'user', id: 'user-0', text: 'Look at this', images: [attachment] }])
  })

  it('shows what the user wrote when its turn ended before any step took it in, once, and not what was discarded', () => {
    const log = new Log()
    const [lost, discarded, sent] = [newUserMessage('Lost words'), newUserMessage('Taken back'), newUserMessage('Sent')]
    const claim = { target: 'next-turn' as const, start: 0, removedCount: 1, inserted: [] }
    log.add('agent/inbox/spliced', { target: 'next-turn', start: 0, inserted: [lost, discarded, sent] })
    log.add('turn/start', { turn: 1 })
    log.add('agent/inbox/spliced', claim)
    log.add('turn/end', { turn: 1, reason: { kind: 'aborted', reason: { kind: 'user' } } })
    log.add('agent/inbox/spliced', { ...claim, outcome: 'canceled' })
    log.add('turn/start', { turn: 2 })
    log.add('agent/inbox/spliced', claim)
    log.add('step/start', { turn: 2, step: 1 })
    log.add('user/message', sent)
    log.add('step/end', { turn: 2, step: 1 })
    log.add('turn/end', { turn: 2, reason: { kind: 'completed' } })
    assert.deepEqual(
      items(log).map(item => ('text' in item ? `${item.kind}: ${item.text}` : item.kind)),
      ['user: Lost words', 'notice: Stopped.', 'user: Sent'],
    )
  })

  it('streams text as deltas and settles it with the message', () => {
    const log = new Log().open()
    const { transcript, changes } = follow(log)
    log.chunk({ type: 'block-start', index: 0, blockType: 'text' }).text(0, '\n').text(0, 'One').text(0, ' two')
    const id = 'assistant-4'
    assert.deepEqual(changes, [
      { kind: 'upsert', items: [{ kind: 'assistant', id, text: '\nOne', streaming: true, interrupted: false }] },
      { kind: 'delta', id, text: ' two' },
    ])
    log.chunk({ type: 'block-end', index: 0, block: { type: 'text', text: 'One two.' } }).text(0, 'late')
    assert.deepEqual(
      transcript.items.map(item => item.kind === 'assistant' && item.text),
      ['One two.'],
    )
    log.message([{ type: 'text', text: 'One two.' }]).end()
    assert.deepEqual(transcript.items, [
      { kind: 'assistant', id, text: 'One two.', streaming: false, interrupted: false, turn: 1 },
    ])
  })

  it('keeps reasoning and text apart and in order', () => {
    const log = new Log().open()
    log.chunk({ type: 'reasoning-delta', index: 0, text: 'Hm' }).text(1, 'Yes')
    log
      .message([
        { type: 'reasoning', text: 'Hm' },
        { type: 'text', text: 'Yes' },
      ])
      .end()
    assert.deepEqual(
      items(log).map(({ kind, id }) => [kind, id]),
      [
        ['reasoning', 'reasoning-2'],
        ['assistant', 'assistant-3'],
      ],
    )
  })

  it('shows a message that came without chunks', () => {
    const log = new Log()
      .open()
      .message([
        { type: 'text', text: 'A' },
        { type: 'text', text: 'B' },
      ])
      .end()
    assert.deepEqual(
      only(log, 'assistant').map(item => item.text),
      ['A', 'B'],
    )
    assert.equal(new Set(items(log).map(item => item.id)).size, 2)
  })

  it('marks the text that a stop cut, and only that', () => {
    const log = new Log().open().text(0, 'whole')
    log.chunk({ type: 'block-end', index: 0, block: { type: 'text', text: 'whole' } }).text(1, 'cut he')
    log.message(
      [
        { type: 'text', text: 'whole' },
        { type: 'text', text: 'cut he' },
      ],
      true,
    )
    log.end({ kind: 'aborted', reason: { kind: 'user' } })
    assert.deepEqual(
      only(log, 'assistant').map(item => item.interrupted),
      [false, true],
    )
    assert.deepEqual(
      only(log, 'notice').map(item => item.text),
      ['Stopped.'],
    )
  })

  it('settles text that no message settled when the request failed', () => {
    const log = new Log().open().text(0, 'half an ans')
    log.end({ kind: 'error', error: { message: 'The answer was cut off.', code: 'SERVER' } })
    assert.deepEqual(
      only(log, 'assistant').map(item => [item.streaming, item.interrupted]),
      [[false, true]],
    )
    assert.deepEqual(
      only(log, 'notice').map(item => [item.level, item.text]),
      [['error', 'The answer was cut off.']],
    )
  })

  it('lets a repeated request take its entries over instead of showing the text twice', () => {
    const log = new Log().open().text(0, 'first try')
    const failure = { message: 'busy', code: 'RATE_LIMIT' }
    const retry = { retryId: 'r', ...at, provider: 'test', retry: 1 }
    log.add('llm/retry', { ...retry, mode: 'normal', policyKey: 'k', maxRetries: 2, delayMs: 1, failure })
    log
      .text(0, 'second try')
      .message([{ type: 'text', text: 'second try' }])
      .end()
    assert.deepEqual(
      only(log, 'assistant').map(item => [item.id, item.text]),
      [['assistant-2', 'second try']],
    )
  })
})

describe('Transcript: plans', () => {
  const plan = '# Rate limits\n\n## Context\n\nBuckets per key.\n\n- [ ] One\n- [ ] Two\n'

  it('makes a card of a presented plan and no tool entry', () => {
    const log = new Log().open().present('c', 'r1', plan)
    const card = { kind: 'plan', id: 'plan-3', reviewId: 'r1', title: 'Rate limits', revision: 1 }
    const excerpt = 'Context\nBuckets per key.\n- [ ] One'
    assert.deepEqual(items(log), [{ ...card, excerpt, state: 'waiting' }])
    log.add('review/decided', { reviewId: 'r1', decision: 'kept', planHash: hashPlan(plan), feedback: 'Per user.' })
    log.result('c', 'Error: keep planning', {}, true)
    assert.deepEqual(items(log), [{ ...card, excerpt, state: 'kept', feedback: 'Per user.' }])
  })

  it('counts revisions and keeps each with its own state', () => {
    const log = new Log().open().present('a', 'r1', plan).present('b', 'r2', plan)
    log.add('review/decided', { reviewId: 'r2', decision: 'approved', planHash: hashPlan(plan) })
    log.add('review/decided', { reviewId: 'r1', decision: 'approved', planHash: hashPlan(plan) })
    assert.deepEqual(
      only(log, 'plan').map(item => [item.revision, item.state]),
      [
        [1, 'waiting'],
        [2, 'approved'],
      ],
    )
  })

  it('shows a failed exit call that presented nothing as a tool', () => {
    const log = new Log().open().call('c', 'exit_plan_mode', { plan: '' })
    assert.deepEqual(items(log), [])
    log.result('c', 'Error: no heading', {}, true)
    assert.deepEqual(
      only(log, 'tool').map(item => [item.title, item.status]),
      [['Present a plan', 'failed']],
    )
  })

  it('tells a late verdict in plain words', () => {
    const log = new Log().open().present('c', 'r1', plan)
    log.add('review/decided', { reviewId: 'r1', decision: 'approved', planHash: hashPlan(plan) })
    const relay = { kind: 'plugin' as const, plugin: 'plan-mode', form: 'relay', reviewId: 'r1' }
    log.add('user/message', newUserMessage('words for the model', relay))
    const told = only(log, 'notice').map(item => item.text)
    assert.deepEqual(told, ['The agent was told that you approved the plan "Rate limits".'])
  })
})

describe('Transcript: mode, commands, approvals, notices', () => {
  it('shows each change of the mode once; the notice to the model adds nothing', () => {
    const log = new Log()
    log.add('plan/mode', { active: false })
    log.add('plan/mode', { active: true })
    const notice = { kind: 'plugin' as const, plugin: 'plan-mode', form: 'notice', summary: 'on' }
    log.add('user/message', newUserMessage('on', notice))
    log.add('plan/mode', { active: false })
    assert.deepEqual(items(log), [
      { kind: 'mode', id: 'mode-1', active: true },
      { kind: 'mode', id: 'mode-3', active: false },
    ])
  })

  it('shows the summary of another plugin, and nothing of its other messages', () => {
    const log = new Log()
    log.add(
      'user/message',
      newUserMessage('x', { kind: 'plugin', plugin: 'other', form: 'notice', summary: 'Changed.' }),
    )
    log.add('user/message', newUserMessage('x', { kind: 'plugin', plugin: 'other', form: 'snapshot' }))
    assert.deepEqual(items(log), [{ kind: 'notice', id: 'notice-0', level: 'info', text: 'Changed.' }])
  })

  it('shows a command with its result', () => {
    const log = new Log()
    log.add('command/run', { commandId: 'c1', name: 'plan', args: ' off', source: { kind: 'user' } })
    assert.deepEqual(items(log), [{ kind: 'command', id: 'command-0', text: '/plan off', status: 'running' }])
    log.add('command/done', { commandId: 'c1', kind: 'success', text: 'Plan mode is off.' })
    assert.deepEqual(
      only(log, 'command').map(item => [item.status, item.result]),
      [['success', 'Plan mode is off.']],
    )
  })

  it('shows an approval until it is decided, or the turn is over', () => {
    const log = new Log().open()
    log.add('approval/asked', { id: 'a1', toolName: 'write_file', reason: 'Write a.md?' })
    log.add('approval/asked', { id: 'a2', toolName: 'edit_file' })
    log.add('approval/decided', { id: 'a1', outcome: 'allowed-once' })
    const seen = () => only(log, 'approval').map(item => [item.title, item.state])
    assert.deepEqual(seen(), [
      ['Write a.md?', 'allowed-once'],
      ['Allow edit_file?', 'waiting'],
    ])
    log.end({ kind: 'interrupted' })
    assert.deepEqual(seen(), [
      ['Write a.md?', 'allowed-once'],
      ['Allow edit_file?', 'cancelled'],
    ])
  })

  const ends: [EventData<'turn/end'>['reason'], RegExp | undefined][] = [
    [{ kind: 'completed' }, undefined],
    [{ kind: 'aborted', reason: { kind: 'user' } }, /^Stopped\.$/],
    [{ kind: 'aborted', reason: { kind: 'hook', reason: 'too long' } }, /^Stopped by a hook: too long$/],
    [{ kind: 'blocked' }, /refused/],
    [{ kind: 'max-tokens' }, /length limit/],
    [{ kind: 'interrupted' }, /was cut/],
  ]
  for (const [reason, expected] of ends) {
    it(`tells an end of the kind ${JSON.stringify(reason)}`, () => {
      const notices = only(new Log().open().end(reason), 'notice')
      if (expected === undefined) assert.deepEqual(notices, [])
      else assert.match(notices[0]?.text ?? '', expected)
    })
  }

  it('follows the session until it is disposed', () => {
    const log = new Log()
    const { transcript, changes } = follow(log)
    log.add('plan/mode', { active: true })
    transcript.dispose()
    log.add('plan/mode', { active: false })
    assert.equal(changes.length, 1)
    assert.equal(transcript.items.length, 1)
  })
})

describe('activity', () => {
  const retry = (code: string, delayMs: number) => {
    const base = {
      retryId: 'r',
      ...at,
      provider: 'test',
      mode: 'normal' as const,
      policyKey: 'k',
      retry: 1,
      maxRetries: 2,
    }
    return { ...base, delayMs, failure: { message: 'm', code } }
  }

  it('is a sentence while a retry waits, else null', () => {
    const log = new Log().open()
    assert.equal(activity(log.session), null)
    log.add('llm/retry', retry('RATE_LIMIT', 1_500))
    assert.equal(activity(log.session), 'The endpoint is busy; trying again in 2 s.')
    log.add('llm/retry-started', { retryId: 'r', ...at, retry: 1 })
    assert.equal(activity(log.session), null)
    log.add('llm/retry', retry('UNREACHABLE', 500))
    assert.equal(activity(log.session), 'The endpoint cannot be reached; trying again in 1 s.')
    log.end({ kind: 'aborted', reason: { kind: 'user' } })
    assert.equal(activity(log.session), null)
  })
})
