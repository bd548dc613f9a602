import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { Project } from '../../../src/vscode/conversations/project.ts'
import { transcriptText } from '../../../src/vscode/explorers/transcript-text.ts'
import { Transcript } from '../../../src/vscode/transcript/transcript.ts'
import { eventsOf, resultsOf } from '../../support/reading.ts'
import { modelsOf, ScriptedModel } from '../../support/scripted-model.ts'
import { OpenProject, say } from './open-project.ts'

/** The parent and its one explorer answer in turn, so that one script tells both. */
const script = [
  [{ call: 'explore', args: { task: 'Find the cache', label: 'the cache' } }],
  [{ text: 'I look.' }, { call: 'read_file', args: { path: 'src/cache.ts' } }],
  [{ text: 'It is in src/cache.ts.' }],
  [{ text: 'Found.' }],
]

describe('explorers of a folder', () => {
  let at: OpenProject
  let model: ScriptedModel
  let project: Project

  beforeEach(async () => {
    model = new ScriptedModel(script)
    at = await OpenProject.create(modelsOf(model), { 'src/cache.ts': 'export const cache = new Map()\n' })
    project = await at.window()
  })
  afterEach(() => at[Symbol.asyncDispose]())

  it('keep their logs beside the conversations’, hidden from the list and there on demand', async () => {
    const conversation = await project.create()
    await say(conversation, 'Where is the cache?')
    const childId = eventsOf(conversation.session, 'subagent/started')[0]?.data.childId ?? ''
    assert.deepEqual(
      (await project.list()).sessions.map(({ header }) => header.id),
      [conversation.id],
    )
    assert.equal(await project.has(childId), false)
    const { session } = await project.describe(childId)
    assert.equal(session.header.parentSession, conversation.id)
    assert.equal(session.header.cwd, at.folder)
    assert.equal(session.header.delegationDepth, 1)
    assert.ok(conversation.location.startsWith(join(at.folder, '.plan-mode')))
    assert.match(resultsOf(conversation.session)[0]?.text ?? '', /It is in src\/cache\.ts\./)
    await conversation.dispose()
  })

  it('read the workspace, and are offered nothing that writes or asks', async () => {
    const conversation = await project.create()
    await say(conversation, 'Where is the cache?')
    const [parent, explorer] = model.requests
    assert.deepEqual(
      explorer?.tools?.map(({ name }) => name),
      ['list_files', 'read_file', 'search_text'],
    )
    assert.ok(parent?.tools?.some(({ name }) => name === 'explore'))
    const childId = eventsOf(conversation.session, 'subagent/started')[0]?.data.childId ?? ''
    const { session } = await project.describe(childId)
    assert.match(resultsOf(session)[0]?.text ?? '', /export const cache/)
    await conversation.dispose()
  })

  it('say what they do while they do it', async () => {
    const seen: (string | undefined)[] = []
    project.explorers.changed.on(id => void seen.push(project.explorers.activityOf(id)))
    const conversation = await project.create()
    await say(conversation, 'Where is the cache?')
    assert.deepEqual(seen, ['Thinking', 'Read src/cache.ts · 1 call', 'Thinking · 1 call', undefined, undefined])
    await conversation.dispose()
  })

  it('can be read as a text', async () => {
    const conversation = await project.create()
    await say(conversation, 'Where is the cache?')
    const childId = eventsOf(conversation.session, 'subagent/started')[0]?.data.childId ?? ''
    assert.equal(
      transcriptText((await project.describe(childId)).session),
      [
        '# Explorer: the cache',
        'It is over.',
        '## Task\n\nFind the cache',
        '## Said\n\nI look.',
        '- Read src/cache.ts',
        '## Said\n\nIt is in src/cache.ts.\n',
      ].join('\n\n'),
    )
    await conversation.dispose()
  })

  it('are shown with their call, after a reload as well', async () => {
    const conversation = await project.create()
    await say(conversation, 'Where is the cache?')
    const childId = eventsOf(conversation.session, 'subagent/started')[0]?.data.childId
    const call = (items: Transcript['items']) => items.find(item => item.kind === 'tool')
    const before = call(conversation.transcript.items)
    assert.ok(before?.kind === 'tool')
    assert.deepEqual(
      [before.title, before.status, before.explorer],
      ['Explore: the cache', 'done', { sessionId: childId, activity: null }],
    )
    assert.deepEqual(call(new Transcript(conversation.session).items), before)
    await conversation.dispose()
  })

  it('are gone when their conversation is closed in the middle, and their log can be opened', async () => {
    const asked = Promise.withResolvers<void>()
    const stuck = new ScriptedModel([
      [{ call: 'explore', args: { task: 'Find the cache' } }],
      () => {
        asked.resolve()
        return [{ gate: new Promise(() => {}) }]
      },
    ])
    await using other = await OpenProject.create(modelsOf(stuck))
    const there = await other.window()
    const talk = await there.create()
    void say(talk, 'go')
    await asked.promise
    const childId = eventsOf(talk.session, 'subagent/started')[0]?.data.childId ?? ''
    await talk.dispose()
    assert.equal(there.explorers.activityOf(childId), undefined)
    assert.match(transcriptText((await there.describe(childId)).session), /It is over\.[\s\S]*This turn was cut/)
  })
})
