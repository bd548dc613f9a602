import assert from 'node:assert/strict'
import { titleFrom } from '../../../src/agent/live/title.ts'
import { newUserMessage } from '../../../src/session/messages.ts'
import { title } from '../../../src/session/title.ts'
import { eventsOf } from '../../support/reading.ts'
import { testAgent } from '../../support/runtime.ts'

const of = (text: string) => titleFrom(newUserMessage(text))

describe('a title', () => {
  it('is one line of the first words', () => {
    assert.equal(of('Add a cache'), 'Add a cache')
    assert.equal(of('\n\n  Add\ta   cache  \nfor the index'), 'Add a cache')
  })

  it('leaves out a leading slash command', () => {
    assert.equal(of('/plan add a cache'), 'add a cache')
    assert.equal(of('/usr/bin is full'), '/usr/bin is full')
    assert.equal(of('/plan'), undefined)
    assert.equal(of('   '), undefined)
  })

  it('has at most 60 characters, cut at a whole one', () => {
    const long = of('word '.repeat(40)) ?? ''
    assert.ok([...long].length <= 60)
    assert.match(long, /word…$/)
    assert.equal([...(of('😀'.repeat(80)) ?? '')].length, 60)
    assert.equal(of('x'.repeat(60)), 'x'.repeat(60))
  })

  it('is logged once, after the first message a user wrote, and names it', async () => {
    const { agent, session } = testAgent()
    agent.inject(newUserMessage('context', { kind: 'plugin', plugin: 'x' }))
    agent.prompt(newUserMessage('Add a cache'))
    agent.prompt(newUserMessage('And another'))
    await agent.whenIdle()
    const titles = eventsOf(session, 'session/title')
    const cited = eventsOf(session, 'user/message').find(({ data }) => data.source.kind === 'user')
    assert.deepEqual(
      titles.map(({ data }) => data),
      [{ title: 'Add a cache', messageSeqs: [cited?.seq], source: { kind: 'fallback' } }],
    )
    assert.equal(session.state(title), 'Add a cache')
    session.append('session/title', { title: 'Mine', messageSeqs: [], source: { kind: 'user' } })
    assert.equal(session.state(title), 'Mine')
  })
})
