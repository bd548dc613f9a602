import assert from 'node:assert/strict'
import { planProjection } from '../../../src/plan/projection.ts'
import { reviewProjection } from '../../../src/plan/review.ts'
import type { Conversation } from '../../../src/vscode/conversations/conversation.ts'
import { Conversations } from '../../../src/vscode/conversations/conversations.ts'
import type { Project } from '../../../src/vscode/conversations/project.ts'
import { finishedTurns } from '../../../src/vscode/forks/turns.ts'
import { inputsOf, typesOf } from '../../support/reading.ts'
import { modelsOf, ScriptedModel } from '../../support/scripted-model.ts'
import { OpenProject, say } from './open-project.ts'

const PLAN = '# A cache\n\nOne file.\n'
const present = { call: 'exit_plan_mode', args: { plan: PLAN } }

describe('a fork of a conversation', () => {
  let at: OpenProject
  let model: ScriptedModel
  let project: Project
  let conversations: Conversations
  let parent: Conversation

  beforeEach(async () => {
    model = new ScriptedModel()
    at = await OpenProject.create(modelsOf(model))
    project = await at.window()
    conversations = new Conversations({ get: () => undefined, update: async () => {} })
    parent = await conversations.create(project)
  })
  afterEach(async () => {
    await conversations.dispose()
    await at[Symbol.asyncDispose]()
  })

  /** Presents a plan and stops while its review waits. */
  async function leaveReviewWaiting(): Promise<void> {
    parent.session.append('plan/mode', { active: true })
    model.push([present])
    parent.agent.prompt({ id: 'm', role: 'user', content: [{ type: 'text', text: 'Plan' }], source: { kind: 'user' } })
    const waits = Promise.withResolvers<void>()
    using _ = project.liveChanged.on(() => project.desk.isLive(parent.agent) && waits.resolve())
    await waits.promise
    parent.agent.cancel()
    await parent.agent.whenIdle()
  }

  const decide = (conversation: Conversation, decision: 'approved' | 'kept') => {
    const review = conversation.reviewWaiting
    assert.ok(review)
    const { reviewId, planHash } = review
    return project.desk.decide(conversation.agent, { reviewId, planHash, decision })
  }

  it('is shown, says so in its title, names its parent, and both are listed', async () => {
    await say(parent, 'Add a cache')
    await say(parent, 'And tests')
    const fork = await conversations.fork(parent, 1)
    assert.equal(conversations.shown, fork)
    assert.equal(fork.title, 'Fork of Add a cache, turn 1')
    assert.equal(fork.session.header.parentSession, parent.id)
    assert.deepEqual(inputsOf(fork.session), ['Add a cache'])
    assert.deepEqual((await project.list()).sessions.map(({ header }) => header.id).sort(), [parent.id, fork.id].sort())
    assert.equal(parent.title, 'Add a cache')
  })

  it('of a fork is named after the first words as well, and cites them', async () => {
    await say(parent, 'Add a cache')
    const fork = await conversations.fork(parent, 1)
    await say(fork, 'Rather two')
    const again = await conversations.fork(fork, 2)
    assert.equal(again.title, 'Fork of Add a cache, turn 2')
    const last = [...again.session.from()].findLast(event => event.type === 'session/title')
    assert.ok(last?.type === 'session/title')
    assert.deepEqual(last.data.source, { kind: 'fallback' })
    assert.equal(again.session.at(last.data.messageSeqs[0] ?? -1).type, 'user/message')
  })

  it('shows where it begins, and offers its inherited turns and its own', async () => {
    await say(parent, 'Add a cache')
    await say(parent, 'And tests')
    const fork = await conversations.fork(parent, 2)
    await say(fork, 'Go on')
    const kinds = fork.transcript.items.map(({ kind, turn }) => (turn === undefined ? kind : `${kind} ends ${turn}`))
    assert.deepEqual(kinds, [
      'user',
      'assistant ends 1',
      'user',
      'assistant ends 2',
      'fork',
      'user',
      'assistant ends 3',
    ])
    assert.deepEqual(finishedTurns(fork.transcript.items), [
      { turn: 3, words: 'Go on' },
      { turn: 2, words: 'And tests' },
      { turn: 1, words: 'Add a cache' },
    ])
  })

  it('takes the mode and the approved plan as they were, and nothing that was queued', async () => {
    await leaveReviewWaiting()
    await decide(parent, 'approved')
    await parent.agent.whenIdle()
    parent.agent.inject({ id: 'q', role: 'user', content: [{ type: 'text', text: 'later' }], source: { kind: 'user' } })
    const { turn } = finishedTurns(parent.transcript.items)[0] ?? {}
    const early = await conversations.fork(parent, 1)
    const late = await conversations.fork(parent, turn ?? 0)
    assert.equal(early.mode.active, true)
    assert.equal(late.mode.active, false)
    assert.equal(late.session.state(reviewProjection).decided?.decision, 'approved')
    assert.equal(late.agent.unqueue('q'), false)
    assert.equal(parent.agent.unqueue('q'), true)
  })

  it('from where a review waits has that review as its own: a verdict concerns one of the two', async () => {
    await leaveReviewWaiting()
    const fork = await conversations.fork(parent, 1)
    assert.equal(fork.reviewWaiting?.reviewId, parent.reviewWaiting?.reviewId)
    await decide(fork, 'approved')
    await fork.agent.whenIdle()
    assert.equal(fork.session.state(planProjection).active, false)
    assert.ok(inputsOf(fork.session).some(text => /has now approved/.test(text)))
    assert.ok(parent.reviewWaiting, 'it waits in the parent as before')
    assert.equal(parent.session.state(planProjection).active, true)
    assert.ok(!typesOf(parent.session).includes('review/decided'))
    await decide(parent, 'kept')
    await parent.agent.whenIdle()
    assert.equal(parent.session.state(reviewProjection).decided?.decision, 'kept')
    assert.equal(fork.session.state(reviewProjection).decided?.decision, 'approved')
  })

  it('is refused at a turn that is open', async () => {
    await say(parent, 'One')
    const asked = Promise.withResolvers<void>()
    const answer = Promise.withResolvers<void>()
    model.push(() => {
      asked.resolve()
      return [{ gate: answer.promise }, { text: 'two' }]
    })
    const done = say(parent, 'Two')
    await asked.promise
    await assert.rejects(conversations.fork(parent, 2), { code: 'OPEN_TURN' })
    assert.equal((await conversations.fork(parent, 1)).title, 'Fork of One, turn 1')
    answer.resolve()
    await done
  })

  it('can be made in a window that only reads the conversation', async () => {
    await say(parent, 'One')
    const other = await at.window()
    const reading = await other.open(parent.id, { patient: false })
    assert.ok(reading.writtenElsewhere)
    const fork = await other.fork(parent.id, { turn: 1 })
    assert.equal(fork.readOnly, undefined)
    await say(fork, 'Two')
    assert.deepEqual(inputsOf(fork.session), ['One', 'Two'])
    await fork.dispose()
    await reading.dispose()
  })
})
