import assert from 'node:assert/strict'
import { transcriptOf } from '../../../src/cli/transcript.ts'
import { newUserMessage } from '../../../src/session/messages.ts'
import { Session } from '../../../src/session/session.ts'
import { contextState } from '../../../src/vscode/pages/conversation-state.ts'
import { Transcript } from '../../../src/vscode/transcript/transcript.ts'
import type { Item } from '../../../src/webview/transcript-messages.ts'
import { item } from '../../../src/webview/transcript-messages.ts'
import { gate, reopened } from '../plan/fixture.ts'
import { Compacting, tokens, tooLong, usage } from './fixture.ts'

function entries(session: Session): Extract<Item, { kind: 'compaction' }>[] {
  const items = new Transcript(session).items.map(each => item.parse(each))
  return items.filter(each => each.kind === 'compaction')
}

async function talked(): Promise<Compacting> {
  const each = new Compacting([[{ text: tokens(2_000) }, { finish: 'stop', usage: usage(1_000, 2_000) }]])
  await each.say('Hello')
  return each
}

describe('what a person sees of a compaction', () => {
  it('is one entry: being summarised, then the summary; everything before stays', async () => {
    const hold = gate()
    const each = await talked()
    const before = [...new Transcript(each.session).items]
    const transcript = new Transcript(each.session)
    const seen: string[] = []
    transcript.onChange(change => {
      if (change.kind !== 'upsert') return
      for (const each of change.items) if (each.kind === 'compaction') seen.push(`${each.status} ${each.messages}`)
    })
    each.summaries.unshift([hold, { text: '# What was said\n\nHello.' }])
    const running = each.compact()
    await each.model.requested(2)
    hold.open()
    await running
    assert.deepEqual(seen, ['running 0', 'running 2', 'done 2'])
    assert.deepEqual(transcript.items.slice(0, before.length), before)
    assert.deepEqual(
      transcript.items.slice(before.length).map(({ kind }) => kind),
      ['command', 'compaction'],
    )
    assert.equal(entries(each.session)[0]?.text, '# What was said\n\nHello.')
    assert.ok((entries(each.session)[0]?.tokens ?? 0) > 2_000)
  })

  it('says why there is none, also after a crash', async () => {
    const each = await talked()
    each.summaries.unshift([{ text: '' }])
    await each.compact()
    assert.deepEqual(
      entries(each.session).map(({ status, text }) => ({ status, text })),
      [{ status: 'failed', text: 'The model gave an empty summary.' }],
    )
    const hold = gate()
    each.summaries.unshift([hold])
    void each.compact()
    await each.model.requested(3)
    const crashed = reopened(each.session)
    crashed.append('session/end-seed', {})
    const last = entries(crashed).at(-1)
    assert.deepEqual([last?.status, last?.text], ['failed', 'The window closed or reloaded meanwhile.'])
    await each.agent.dispose()
  })

  it('is done once the summary is in place, whatever a crash takes after that', async () => {
    const each = await talked()
    await each.compact()
    const [end] = each.events('compaction/end')
    const cut = new Session(each.session.header, structuredClone([...each.session.from()].slice(0, end?.seq)))
    cut.append('session/end-seed', {})
    assert.equal(entries(cut)[0]?.status, 'done')
  })

  it('draws an answer that was begun and then did not fit once', async () => {
    const each = new Compacting([
      [{ text: tokens(400) }],
      [{ text: 'I beg' }, { error: Reflect.get(tooLong, 'throws') }],
      [{ text: 'I begin anew.' }],
    ])
    await each.say('One')
    await each.say('Two')
    const texts = new Transcript(each.session).items.flatMap(each => (each.kind === 'assistant' ? [each.text] : []))
    assert.deepEqual(texts.slice(1), ['I begin anew.'])
  })

  it('frees the context bar at once', async () => {
    const each = await talked()
    assert.equal(each.session.state(contextState).used, 3_000)
    await each.compact()
    const { used } = each.session.state(contextState)
    assert.ok(used !== null && used < 1_500, `${used}`)
    each.model.push([{ text: 'Hi.' }, { finish: 'stop', usage: usage(500, 10) }])
    each.agent.prompt(newUserMessage('Go on'))
    await each.agent.whenIdle()
    assert.equal(each.session.state(contextState).used, 510)
  })

  it('is one paragraph of the plain transcript', async () => {
    const each = await talked()
    each.summaries.unshift([{ text: '' }], [{ text: 'Hello was said.' }])
    await each.compact()
    await each.compact(' all of it')
    const text = transcriptOf(each.session)
    assert.match(text, /\* not summarised: The model gave an empty summary\./)
    assert.match(
      text,
      /\* \/compact all of it\n\n\* 2 messages summarised for the model \(about [\d]+ tokens\):\n\nHello was said\.\n/,
    )
    assert.match(text, /User: Hello/, 'what was summarised stays readable')
    assert.ok(!text.includes('Notice to the model'), text)
  })
})
