import assert from 'node:assert/strict'
import { hashPlan } from '../../../src/plan/present-plan.ts'
import { approvedPlan } from '../../../src/plan/steps/approved-plan.ts'
import { changeAt, filesChanged } from '../../../src/plan/steps/file-changes.ts'
import type { EventData } from '../../../src/session/events.ts'
import { newHeader } from '../../../src/session/header.ts'
import { Session } from '../../../src/session/session.ts'
import { pinnedPlan } from '../../../src/vscode/pages/plan-state.ts'

const PLAN = '# P\n\n## Steps\n\n1. Write `a.ts`.\n2. Wire it.\n'
const change = (path: string, added = 1) => ({
  path,
  added,
  removed: 0,
  diff: `@@ -0,0 +1 @@\n+${path}`,
})

function adopted(): Session {
  const session = new Session(newHeader({}, () => 0))
  const planHash = hashPlan(PLAN)
  session.append('plan/adopted', { from: { sessionId: 'o', reviewId: 'r' }, planHash, plan: PLAN })
  const steps = ['1', '2'].map(id => ({ id, title: `Step ${id}`, line: 0, files: id === '1' ? ['a.ts'] : [] }))
  session.append('plan/steps', { planHash, steps })
  session.append('turn/start', { turn: 1 })
  session.append('step/start', { turn: 1, step: 1 })
  return session
}

function result(session: Session, callId: string, meta: EventData<'tool/result'>['meta'], failed = false): void {
  const text = { type: 'text' as const, text: 'ok' }
  const block = {
    type: 'tool-result' as const,
    toolCallId: callId,
    content: [text],
    ...(failed ? { isError: true as const } : {}),
  }
  const message = {
    id: `m${session.length}`,
    role: 'user' as const,
    source: { kind: 'tool' as const, callId },
    content: [block],
  }
  session.append('tool/result', { turn: 1, step: 1, meta, message })
}

const inner = (callId: string, index: number) => ({
  rootCallId: callId,
  parentCallId: callId,
  subCallId: `${callId}:code:${index}`,
  name: 'edit_file',
  arguments: {},
})

const under = (session: Session) => {
  const { plan } = session.state(approvedPlan)
  assert.ok(plan)
  const paths = (refs: Parameters<typeof filesChanged>[1]) =>
    filesChanged(session, refs).map(({ path, added }) => `${path} +${added}`)
  return [...plan.steps.map(({ changes }) => paths(changes)), paths(plan.elsewhere)]
}

describe('files changed under the steps of a plan', () => {
  it('are counted together, and what failed is none', () => {
    const session = adopted()
    session.append('plan/progress', { step: '1', state: 'running' })
    result(session, 'c1', change('a.ts', 2))
    result(session, 'c2', change('a.ts', 3))
    result(session, 'c3', change('b.ts'), true)
    session.append('plan/progress', { step: '1', state: 'done' })
    result(session, 'c4', change('c.ts'))
    assert.deepEqual(under(session), [['a.ts +5'], [], ['c.ts +1']])
  })

  it('of a program belong to the step that was running when each of its calls ended', () => {
    const session = adopted()
    session.append('tool/code-dispatch', { ...inner('p', 1), isError: false, content: [] })
    session.append('plan/progress', { step: '1', state: 'running' })
    session.append('tool/code-dispatch', { ...inner('p', 2), isError: false, content: [] })
    session.append('plan/progress', { step: '2', state: 'running' })
    session.append('tool/code-dispatch', { ...inner('p', 3), isError: false, content: [] })
    const calls = {
      'p:code:1': change('x.ts'),
      'p:code:2': change('a.ts'),
      'p:code:3': change('b.ts'),
      'p:code:4': { other: 1 },
    }
    result(session, 'p', { calls })
    assert.deepEqual(under(session), [['a.ts +1'], ['b.ts +1'], ['x.ts +1']])
    const seq = session.length - 1
    assert.equal(changeAt(session, { seq, callId: 'p:code:2' })?.diff, '@@ -0,0 +1 @@\n+a.ts')
    assert.equal(changeAt(session, { seq, callId: 'p:code:9' }), undefined)
    assert.equal(changeAt(session, { seq: 0 }), undefined)
    assert.equal(changeAt(session, { seq: 999 }), undefined)
  })

  it('are pinned with the steps, and checked once nothing is left to do and no turn runs', () => {
    const session = adopted()
    session.append('plan/progress', { step: '1', state: 'running' })
    result(session, 'c1', change('odd.ts'))
    session.append('plan/progress', { step: '1', state: 'done', note: 'N' })
    const now = (running: boolean, asked = false) => pinnedPlan(session, { asked, running })
    assert.equal(now(false)?.check, null)
    assert.deepEqual(now(false, true)?.check?.outcomes, ['done', 'untouched'])
    session.append('plan/progress', { step: '2', state: 'skipped' })
    assert.equal(now(true)?.check, null)
    const view = now(false)
    assert.deepEqual(
      view?.check?.unplanned.map(({ path }) => path),
      ['odd.ts'],
    )
    assert.deepEqual(
      view?.steps.map(({ state, note, files }) => [state, note, files.map(({ path }) => path)]),
      [
        ['done', 'N', ['odd.ts']],
        ['skipped', null, []],
      ],
    )
    session.append('plan/closed', { planHash: hashPlan(PLAN), as: 'done' })
    assert.equal(now(false), null)
  })
})
