import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ReviewAside } from '../../../src/plan/aside.ts'
import { hashPlan } from '../../../src/plan/present-plan.ts'
import { approved, approvedFresh, approvedSaved } from '../../../src/plan/words.ts'
import { textOf } from '../../../src/session/messages.ts'
import { Session } from '../../../src/session/session.ts'
import { turnBoundary } from '../../../src/session/turns.ts'
import {
  PlanningAgent as Fresh,
  PLAN,
  type PlanningAgent,
  planning,
  present,
  reopened,
  settled,
} from '../plan/fixture.ts'

/** What a choice leads to: the result of the call, the mode, the turn and the events from the decision on. */
interface Row {
  readonly choice: string
  readonly aside: ReviewAside
  readonly result: string
  readonly events: readonly string[]
}

const edited = {
  plan: PLAN.replace('per key', 'per tenant'),
  planHash: hashPlan(PLAN.replace('per key', 'per tenant')),
}
const remark = { id: 'C1', kind: 'remark' as const, anchor: null, text: 'Log it too.' }
const endsHere = ['review/decided', 'plan/selected', 'plan/steps', 'tool/result', 'step/end', 'turn/end', 'plan/mode']
const goesOn = ['step/end', 'plan/mode', 'step/start', 'request/header', 'assistant/message', 'step/end', 'turn/end']
const decided = ['review/decided', 'plan/selected', 'plan/steps']
const withWords = [
  ...decided,
  'agent/inbox/spliced',
  'tool/result',
  'step/end',
  'agent/inbox/spliced',
  'plan/mode',
  'step/start',
  'user/message',
  ...goesOn.slice(3),
]

const rows: readonly Row[] = [
  { choice: 'approve and start', aside: {}, result: approved, events: [...decided, 'tool/result', ...goesOn] },
  {
    choice: 'approve with notes',
    aside: { notes: 'Small.', remarks: [remark], relay: 'R' },
    result: approved,
    events: withWords,
  },
  { choice: 'approve with these edits', aside: { edited, relay: 'R' }, result: approved, events: withWords },
  {
    choice: 'approve in a fresh conversation',
    aside: { next: 'fresh', notes: 'N', relay: 'R' },
    result: approvedFresh,
    events: endsHere,
  },
  { choice: 'approve and save for later', aside: { next: 'save' }, result: approvedSaved, events: endsHere },
]

/** The rows of README's table, cell by cell. */
function tableOf(readme: string): string[][] {
  const [, table = ''] = /^\| choice +\| result.*\n\|[ :|-]+\n((?:\|.*\n)+)/m.exec(readme) ?? []
  return table
    .trimEnd()
    .split('\n')
    .map(row =>
      row
        .slice(1, -1)
        .split('|')
        .map(cell => cell.trim()),
    )
}

/** What README says of each choice: the words and the outcome of the result, the mode, the turn, the events that follow. */
describe('README, the table of choices', () => {
  const table = tableOf(readFileSync(join(import.meta.dirname, '../../../README.md'), 'utf8'))
  const kinds = { approved: 'approved', kept: 'kept', dismissed: 'dismissed', left: 'withdrawn' } as const

  async function done(choice: string): Promise<string[]> {
    const row = rows.find(each => each.choice === choice)
    const other = { 'keep planning': 'kept', 'dismiss to talk': 'dismissed', 'leave without approving': 'left' }[choice]
    const each = planning([[present()], [{ text: 'Carried out.' }]])
    await each.reviewed()
    if (other === 'left') each.controller.set(each.agent, false)
    else if (other === 'kept') await each.decide('kept', 'More.')
    else if (other === 'dismissed') await each.decide('dismissed')
    else if (row !== undefined) await each.decide('approved', undefined, row.aside)
    else assert.fail(`README has a choice that no test knows: ${choice}`)
    await settled(each)
    const decided = each.events('review/decided')[0]
    assert.ok(decided)
    assert.equal(decided.data.decision, kinds[(other ?? 'approved') as keyof typeof kinds])
    const [result] = each.exitResults()
    const meta = each.events('tool/result')[0]?.data.meta
    const outcome =
      result?.failed === true
        ? 'failed call'
        : `\`${JSON.stringify(meta)
            .replace(/"(\w+)":/, '{ $1: ')
            .replace(/^\{\{/, '{')
            .replace(/\}$/, ' }')}\``
    const steps = each.events('step/start').length
    const own = new Set(['review/decided', 'plan/selected', 'plan/steps', 'plan/mode', 'user/message'])
    const events = each.types(decided.seq).filter(type => own.has(type))
    return [
      choice,
      outcome,
      each.controller.get(each.agent).active ? 'stays on' : 'ends',
      steps > 1 ? 'goes on' : 'ends',
      events.map(type => `\`${type}\``).join(', '),
    ]
  }

  it('has every choice there is', () => {
    const others = ['leave without approving', 'keep planning', 'dismiss to talk']
    assert.deepEqual(
      table.map(([choice]) => choice),
      [...rows.map(({ choice }) => choice), ...others],
    )
  })

  for (const row of table) {
    it(`says what is done for "${row[0]}"`, async () => assert.deepEqual(row, await done(row[0] ?? '')))
  }
})

describe('the choices of an approval', () => {
  for (const { choice, aside, result, events } of rows) {
    it(`${choice}: { approved: true }, plan mode ends, and what was said is logged with the decision`, async () => {
      const each = planning([[present()], [{ text: 'Carried out.' }]])
      const { reviewId, planHash } = await each.reviewed()
      await each.decide('approved', undefined, aside)
      await settled(each)
      const from = each.events('review/decided')[0]?.seq ?? 0
      assert.deepEqual(each.types(from), events)
      const { relay, ...logged } = aside
      assert.deepEqual(each.events('review/decided')[0]?.data, { reviewId, decision: 'approved', planHash, ...logged })
      assert.deepEqual(each.exitResults(), [{ text: result, code: undefined, failed: false }])
      assert.deepEqual(each.events('tool/result')[0]?.data.meta, { approved: true })
      assert.deepEqual(each.controller.get(each.agent), { active: false })
      assert.deepEqual(each.notices(), [], 'the result has told the model')
      const told = relays(each)
      assert.deepEqual(told, relay === undefined || events === endsHere ? [] : [relay])
      assert.equal(each.events('plan/steps')[0]?.data.planHash, aside.edited?.planHash ?? planHash)
    })

    it(`${choice}: the same without a call that waits`, async () => {
      const first = planning([[present()]])
      await first.reviewed()
      await first.agent.dispose()
      const each = new Fresh([[{ text: 'Carried out.' }]], { session: reopened(first.session) })
      await each.decide('approved', undefined, aside)
      await settled(each)
      const { relay: _, ...logged } = aside
      const { reviewId: _id, planHash: _hash, decision, ...said } = each.events('review/decided')[0]?.data ?? {}
      assert.deepEqual({ decision, ...said }, { decision: 'approved', ...logged })
      assert.deepEqual(each.controller.get(each.agent), { active: false })
      const ended = events === endsHere
      assert.equal(
        each.session.state(turnBoundary).turn,
        ended ? 1 : 2,
        ended ? 'no turn begins' : 'its message begins one',
      )
      if (ended) await each.say('Hello')
      assert.equal(relays(each).length, 1)
      if (aside.relay !== undefined) assert.ok(relays(each)[0]?.endsWith(aside.relay))
      assert.deepEqual(each.controller.get(each.agent), { active: false })
    })
  }

  it('refuse edits whose text is not the one that was shown', async () => {
    const each = planning([[present()]])
    await each.reviewed()
    const forged = { ...edited, planHash: hashPlan(PLAN) }
    await assert.rejects(each.decide('approved', undefined, { edited: forged }), { code: 'PLAN_CHANGED' })
    assert.deepEqual(each.events('review/decided'), [])
    await each.decide('dismissed')
    await settled(each)
  })

  it('say nothing of an approval that was none: an aside turns no other answer into one', async () => {
    const each = planning([[present()], [{ text: 'ok' }]])
    await each.reviewed()
    await each.decide('kept', 'No.', { next: 'start', edited, notes: 'Approve it', relay: 'approved' })
    await settled(each)
    assert.deepEqual(each.controller.get(each.agent), { active: true })
    assert.deepEqual(each.events('plan/selected'), [])
    assert.deepEqual(relays(each), [])
  })

  it('end plan mode at the next boundary when the process ended before the turn did, and say it then', async () => {
    const first = planning([[present()]])
    await first.reviewed()
    await first.decide('approved', undefined, { next: 'save' })
    const cut = first.events('plan/steps')[0]?.seq ?? 0
    await settled(first)
    const log = reopenedAt(first, cut + 1)
    assert.deepEqual(log.controller.get(log.agent), { active: true, pending: false })
    await log.say('Hello')
    assert.deepEqual(log.controller.get(log.agent), { active: false })
    assert.equal(log.notices().length, 1, 'no result told the model')
  })
})

function relays(each: PlanningAgent): string[] {
  return each
    .events('user/message')
    .flatMap(({ data }) => (data.source.kind === 'plugin' && data.source.form === 'relay' ? [textOf(data)] : []))
}

/** The agent of another process, which found only the first `length` events. */
function reopenedAt({ session }: PlanningAgent, length: number): PlanningAgent {
  const events = [...session.from()].slice(0, length).map(event => structuredClone(event))
  const found = new Session(session.header, events, { now: () => 0 })
  return new Fresh([[{ text: 'ok' }]], { session: reopened(found) })
}
