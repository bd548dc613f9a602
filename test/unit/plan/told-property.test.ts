import assert from 'node:assert/strict'
import fc from 'fast-check'
import { noticeOff, noticeOn } from '../../../src/plan/words.ts'
import type { SessionEvent } from '../../../src/session/events.ts'
import { textOf } from '../../../src/session/messages.ts'
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
})
