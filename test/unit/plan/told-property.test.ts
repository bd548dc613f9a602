import assert from 'node:assert/strict'
import fc from 'fast-check'
import { keptTexts } from '../../../src/agent/compaction/checkpoint.ts'
import { planProjection } from '../../../src/plan/projection.ts'
import { approved, MODE_TITLE, noticeOff, noticeOn } from '../../../src/plan/words.ts'
import type { SessionEvent } from '../../../src/session/events.ts'
import { textOf } from '../../../src/session/messages.ts'
import { deriveMessages } from '../../../src/session/surface.ts'
import { assertInvariants } from '../../support/invariants.ts'
import { SECTION } from './fixture.ts'
import { Life, lives } from './life.ts'

/** What a model that reads along knows of the mode, from its first header on by words alone. */
class Reader {
  #mode = false
  #knows: boolean | null = null
  #lastWord = false
  notices = 0

  read(event: SessionEvent): void {
    switch (event.type) {
      case 'plan/mode':
        this.#mode = event.data.active
        break
      case 'step/start':
        this.#lastWord = false
        break
      case 'user/message':
        if (event.surfaceOp !== 'append') break
        assert.ok(!this.#lastWord, `event ${event.seq}: the notice goes last into its step`)
        if (event.data.source.kind === 'plugin' && event.data.source.form === 'notice') this.#notice(event)
        break
      case 'tool/result':
        if (JSON.stringify(event.data.meta) === '{"approved":true}') this.#knows = false
        break
      case 'request/header':
        assert.equal(event.data.header.system?.includes(SECTION) ?? false, this.#mode, `event ${event.seq}: guidance`)
        this.#knows ??= this.#mode
        break
      case 'assistant/message':
        assert.equal(this.#knows, this.#mode, `event ${event.seq}: the model answered and did not know the mode`)
        break
      default:
    }
  }

  #notice(event: SessionEvent<'user/message'>): void {
    const target = textOf(event.data) === noticeOn
    assert.ok(target || textOf(event.data) === noticeOff)
    assert.equal(target, this.#mode, `event ${event.seq}: the notice tells the mode in force`)
    assert.notEqual(this.#knows, null, `event ${event.seq}: told before any request`)
    assert.notEqual(this.#knows, target, `event ${event.seq}: told twice`)
    this.#knows = target
    this.#lastWord = true
    this.notices++
  }
}

/** What the messages before the model say of the mode, the last word; null when they say nothing. */
function saidInView({ planning: { session } }: Life): boolean | null {
  let said: boolean | null = null
  for (const message of deriveMessages(session)) {
    const texts = message.content.flatMap(block => (block.type === 'tool-result' ? block.content : [block]))
    const text = texts.map(part => (part.type === 'text' ? part.text : '')).join('')
    const { source } = message
    if (source.kind === 'tool' && text === approved) said = false
    if (source.kind !== 'plugin' || message.role !== 'user') continue
    const kept = keptTexts({ ...message, source }).find(({ title }) => title === MODE_TITLE)
    if (kept !== undefined) said = kept.text === noticeOn
    if (source.form === 'notice') said = text === noticeOn
  }
  return said
}

describe('planTold', () => {
  it('the model is told exactly when its context changed, never twice, whatever happens', async () => {
    let notices = 0
    await fc.assert(
      fc.asyncProperty(lives, async ops => {
        const reader = new Reader()
        await new Life(event => reader.read(event)).live(ops)
        notices += reader.notices
      }),
      { numRuns: 300 },
    )
    assert.ok(notices > 0)
  }).timeout(30_000)

  it('what is summarised leaves the model told: its view says the mode in force, if anything ever said it', async () => {
    let summarised = 0
    let carried = 0
    await fc.assert(
      fc.asyncProperty(lives, async ops => {
        let told = false
        const life = new Life((event, each) => {
          if (event.type === 'assistant/message') {
            const said = saidInView(each)
            const { active } = each.planning.session.state(planProjection)
            if (said === null) assert.ok(!told, `event ${event.seq}: what told the mode is gone`)
            else assert.equal(said, active, `event ${event.seq}: the view tells another mode`)
          }
          if (event.type === 'compaction/summary') summarised++
          if (event.type !== 'user/message' && event.type !== 'tool/result') return
          if (event.surfaceOp === 'append') told = saidInView(each) !== null || told
          else if (saidInView(each) !== null) carried++
        })
        await life.live(ops)
        assertInvariants(life.planning.session, { balanced: false })
      }),
      { numRuns: 300 },
    )
    assert.ok(summarised > 100 && carried > 20, `${summarised} summaries, ${carried} with the mode in view`)
  }).timeout(60_000)
})
