import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DraftStore } from '../../../src/review/drafts/draft-store.ts'
import { ReviewWork } from '../../../src/review/review-work.ts'
import type { Session } from '../../../src/session/session.ts'
import { PLAN, planning, present, REVISED, reopened, settled } from '../plan/fixture.ts'

const on = (quote: string, text = PLAN) => ({ start: text.indexOf(quote), end: text.indexOf(quote) + quote.length })

describe('a review at work', () => {
  let folder = ''
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plan-mode-work-'))
  })
  const stores: DraftStore[] = []
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.settle()
    await rm(folder, { recursive: true, force: true })
  })

  async function workOn(session: Session): Promise<ReviewWork> {
    const store = new DraftStore(folder)
    stores.push(store)
    const work = new ReviewWork(session, store, error => assert.fail(String(error)))
    await work.loaded
    return work
  }

  it('keeps what was typed over a restart, and sends it once', async () => {
    const each = planning([[present()], [{ text: 'C1: done, see step 1' }, present(REVISED)], [{ text: 'ok' }]])
    await each.reviewed()
    const before = await workOn(each.session)
    before.add('remark', on('per key'), 'Per user.')
    before.add('question', null, 'Why now?')
    before.setNotes('Short, please.')
    await before.flush()

    const work = await workOn(each.session)
    assert.deepEqual(
      work.remarks().map(({ id, kind, state, fate }) => [id, kind, state, fate]),
      [
        ['C1', 'remark', 'unsent', 'here'],
        ['C2', 'question', 'unsent', 'here'],
      ],
    )
    const verdict = work.verdict('kept')
    await work.deliver(verdict, given => each.desk.decide(each.agent, given))
    assert.equal(work.unsent, false)
    await work.flush()
    assert.equal((await workOn(each.session)).unsent, false)

    await each.reviewed()
    assert.deepEqual(
      work.remarks().map(({ id, state, fate, claim }) => ({ id, state, fate, claim })),
      [
        { id: 'C1', state: 'open', fate: 'changed', claim: 'done, see step 1' },
        { id: 'C2', state: 'open', fate: 'unchanged', claim: undefined },
      ],
    )
    await each.decide('dismissed')
    await settled(each)
  })

  it('sends an open remark again where its words went, settles others in the log, and gives new ones the next id', async () => {
    const moved = `# Add rate limits\n\nFirst of all: nothing.\n\n${PLAN.slice(PLAN.indexOf('One'))}`
    const each = planning([[present()], [present(moved)], [present(moved)], [{ text: 'ok' }]])
    await each.reviewed()
    const work = await workOn(each.session)
    work.add('remark', on('per key'), 'Per user.')
    work.add('remark', on('limiter'), 'Which?')
    const first = work.verdict('kept')
    await work.deliver(first, given => each.desk.decide(each.agent, given))
    await each.reviewed()

    work.settle('C2', 'resolved')
    work.sendAgain('C1')
    assert.equal(work.add('good', on('nothing', moved), '').id, 'C3')
    assert.deepEqual(
      work.remarks().map(({ id, state }) => [id, state]),
      [
        ['C1', 'again'],
        ['C2', 'resolved'],
        ['C3', 'unsent'],
      ],
    )
    const second = work.verdict('kept')
    assert.deepEqual(second.aside?.remarks?.[0]?.anchor?.range, on('per key', moved))
    await work.deliver(second, given => each.desk.decide(each.agent, given))
    await each.reviewed()
    const again = await workOn(reopened(each.session))
    assert.deepEqual(
      again.remarks().map(({ id, state }) => [id, state]),
      [
        ['C1', 'open'],
        ['C2', 'resolved'],
        ['C3', 'open'],
      ],
    )
    await each.decide('dismissed')
    await settled(each)
  })

  it('carries unsent remarks into a revision, and shows what is gone as gone', async () => {
    const each = planning([[present()], [present('# Add rate limits\n\nOne bucket per key.\n')], [{ text: 'ok' }]])
    await each.reviewed()
    const work = await workOn(each.session)
    work.add('remark', on('per key'), 'Per user.')
    work.add('remark', on('Write the limiter'), 'Where?')
    await each.decide('kept', 'Shorter.')
    await each.reviewed()
    assert.deepEqual(
      work.remarks().map(({ id, state, fate }) => [id, state, fate]),
      [
        ['C1', 'unsent', 'unchanged'],
        ['C2', 'unsent', 'gone'],
      ],
    )
    const { aside, feedback } = work.verdict('kept')
    assert.equal(aside?.remarks?.[1]?.anchor?.quote, 'Write the limiter', 'with the words it was made on')
    assert.match(feedback ?? '', /C2 · Remark · Under "Add rate limits"\n\nOn these words:\n\n> Write the limiter/)
    await each.decide('dismissed')
    await settled(each)
  })

  it('has an edit only while it differs, and approves the edited text under its own hash', async () => {
    const each = planning([[present()], [{ text: 'Carried out.' }]])
    await each.reviewed()
    const work = await workOn(each.session)
    work.setEdited(PLAN)
    assert.equal(work.unsent, false, 'opened and closed is no edit')
    work.setEdited(REVISED)
    const verdict = work.verdict('approved')
    assert.equal(verdict.aside?.edited?.plan, REVISED)
    await work.deliver(verdict, given => each.desk.decide(each.agent, given))
    assert.equal(work.unsent, false)
    await settled(each)
    assert.equal(each.events('review/decided')[0]?.data.edited?.plan, REVISED)
  })

  it('keeps what is typed while a verdict is on its way as a remark of its own', async () => {
    const each = planning([[present()], [present(REVISED)], [{ text: 'ok' }]])
    await each.reviewed()
    const work = await workOn(each.session)
    work.add('remark', on('per key'), 'Per user.')
    work.setNotes('Short.')
    await work.deliver(work.verdict('kept'), async verdict => {
      work.edit('C1', { text: 'Per user, and per route.' })
      work.setNotes('Short. And soon.')
      await each.desk.decide(each.agent, verdict)
    })
    await each.reviewed()
    assert.deepEqual(
      work.remarks().map(({ id, state, text }) => [id, state, text]),
      [
        ['C1', 'open', 'Per user.'],
        ['C2', 'unsent', 'Per user, and per route.'],
      ],
    )
    assert.equal(work.draft.notes, 'Short. And soon.')
    await each.decide('dismissed')
    await settled(each)
  })

  it('takes words typed into a remark that was sent meanwhile as a new one, and the next ones into that', async () => {
    const each = planning([[present()], [present(REVISED)], [{ text: 'ok' }]])
    await each.reviewed()
    const work = await workOn(each.session)
    work.add('remark', on('per key'), 'Per user.')
    await work.deliver(work.verdict('kept'), verdict => each.desk.decide(each.agent, verdict))
    work.edit('C1', { text: 'Per user.' })
    assert.equal(work.unsent, false, 'the same words once more are nothing new')
    for (const text of ['Per user, and', 'Per user, and per route.']) work.edit('C1', { text })
    await each.reviewed()
    assert.deepEqual(
      work.remarks().map(({ id, state, text, anchor }) => [id, state, text, anchor?.quote]),
      [
        ['C1', 'open', 'Per user.', 'per key'],
        ['C2', 'unsent', 'Per user, and per route.', 'per key'],
      ],
    )
    await each.decide('dismissed')
    await settled(each)
  })

  it('leaves what was said unsent where a verdict goes without it', async () => {
    const each = planning([[present()], [{ text: 'Carried out.' }]])
    await each.reviewed()
    const work = await workOn(each.session)
    work.setNotes('Later.')
    const verdict = work.verdict('approved', { without: true, next: 'save' })
    await work.deliver(verdict, given => each.desk.decide(each.agent, given))
    await settled(each)
    assert.equal(work.draft.notes, 'Later.')
    assert.deepEqual(each.events('review/decided')[0]?.data.next, 'save')
    assert.throws(() => work.verdict('kept'), { code: 'REVIEW_NOT_WAITING' })
  })
})
