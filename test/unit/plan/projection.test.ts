import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import {
  foldPlanMode,
  type PlanState,
  planProjection,
  planView,
  waitingSelection,
} from '../../../src/plan/projection.ts'
import type { EventData, EventType, SessionEvent } from '../../../src/session/events.ts'
import { newHeader } from '../../../src/session/header.ts'
import { fold } from '../../../src/session/projections.ts'
import { Session } from '../../../src/session/session.ts'

type Draft = { [T in EventType]: readonly [T, EventData<T>] }[EventType]

const on: Draft = ['plan/mode', { active: true }]
const off: Draft = ['plan/mode', { active: false }]
const user = { kind: 'user' as const }

function run(commandId: string, args?: string, name = 'plan'): Draft {
  return ['command/run', { commandId, name, ...(args === undefined ? {} : { args }), source: user }]
}

function done(commandId: string, kind: 'success' | 'error' = 'success'): Draft {
  return ['command/done', { commandId, kind }]
}

function selected(active: boolean, by: 'user' | 'review' = 'user'): Draft {
  return ['plan/selected', { active, by }]
}

function logOf(drafts: readonly Draft[]): Session {
  const session = new Session(newHeader({ id: 's' }, () => 0))
  for (const [type, data] of drafts) session.append(type, data as never)
  return session
}

const nothing: PlanState = { active: false, wanted: null, running: null, selected: null }
const byUser = { by: 'user' as const }

interface Case {
  readonly says: string
  readonly log: readonly Draft[]
  readonly state: Partial<PlanState>
  readonly pending: boolean
  readonly waits?: boolean
}

const cases: Case[] = [
  { says: 'an empty log is off', log: [], state: {}, pending: false },
  { says: 'the last plan/mode wins', log: [on, off, on], state: { active: true }, pending: false },
  { says: '/plan without recorded args changes nothing', log: [run('a'), done('a')], state: {}, pending: false },
  { says: 'another command changes nothing', log: [run('a', ' off', 'other'), done('a')], state: {}, pending: false },
  {
    says: 'a running /plan shows as pending and selects nothing yet',
    log: [run('a', '')],
    state: { running: { commandId: 'a', wanted: true } },
    pending: true,
  },
  {
    says: 'a running /plan off while off is not pending',
    log: [run('a', ' off')],
    state: { running: { commandId: 'a', wanted: false } },
    pending: false,
  },
  {
    says: 'off is exact after trimming and case-sensitive',
    log: [on, run('a', ' Off')],
    state: { active: true, running: { commandId: 'a', wanted: true } },
    pending: false,
  },
  {
    says: 'a later run replaces the running one',
    log: [run('a', ''), run('b', '\toff ')],
    state: { running: { commandId: 'b', wanted: false } },
    pending: false,
  },
  {
    says: 'success settles into a wish',
    log: [run('a', ' do it'), done('a')],
    state: { wanted: true },
    pending: true,
    waits: true,
  },
  {
    says: 'success that matches the mode leaves no wish',
    log: [on, run('a', ''), done('a')],
    state: { active: true },
    pending: false,
  },
  { says: 'an error leaves no wish', log: [run('a', ''), done('a', 'error')], state: {}, pending: false },
  {
    says: 'the end of another command changes nothing',
    log: [run('a', ''), done('b')],
    state: { running: { commandId: 'a', wanted: true } },
    pending: true,
  },
  {
    says: 'plan/mode clears the wish and keeps the running command',
    log: [run('a', ''), done('a'), run('b', ' off'), on],
    state: { active: true, running: { commandId: 'b', wanted: false } },
    pending: true,
  },
  {
    says: 'the wish is judged by the mode at the end of the command',
    log: [run('a', ''), on, done('a')],
    state: { active: true },
    pending: false,
  },
  {
    says: 'plan/selected waits',
    log: [selected(true)],
    state: { selected: { active: true, ...byUser } },
    pending: true,
    waits: true,
  },
  {
    says: 'plan/selected of the logged mode takes back',
    log: [selected(true), selected(false)],
    state: {},
    pending: false,
  },
  {
    says: 'plan/selected of another target clears wish and running command',
    log: [on, run('a', ' off'), done('a'), run('b', ''), selected(false)],
    state: { active: true, selected: { active: false, ...byUser } },
    pending: true,
    waits: false,
  },
  {
    says: 'a running command that selected keeps what waited before, the wish too',
    log: [run('a', ''), done('a'), run('b', ''), selected(true)],
    state: {
      running: { commandId: 'b', wanted: true, undo: { active: true, ...byUser } },
      selected: { active: true, ...byUser },
    },
    pending: true,
    waits: true,
  },
  {
    says: 'a /plan off that selected and succeeded waits',
    log: [on, run('a', ' off'), selected(false), done('a')],
    state: { active: true, selected: { active: false, ...byUser } },
    pending: true,
    waits: false,
  },
  {
    says: 'a /plan off refused after it selected leaves no pending exit',
    log: [on, run('a', ' off'), selected(false), done('a', 'error')],
    state: { active: true },
    pending: false,
  },
  {
    says: 'a /plan off refused before it selected leaves no pending exit',
    log: [on, run('a', ' off'), done('a', 'error')],
    state: { active: true },
    pending: false,
  },
  {
    says: 'a refused /plan off puts the entry that waited before back',
    log: [selected(true), run('a', ' off'), selected(false), done('a', 'error')],
    state: { selected: { active: true, ...byUser } },
    pending: true,
    waits: true,
  },
  {
    says: 'what a refused command puts back is judged by the mode at its end',
    log: [selected(true), run('a', ' off'), selected(false), on, done('a', 'error')],
    state: { active: true },
    pending: false,
  },
  {
    says: 'a commit ends the command that asked for it: its late end wishes nothing',
    log: [on, run('a', ' off'), selected(false), off, on, done('a')],
    state: { active: true },
    pending: false,
  },
  {
    says: 'a selection of another target during a command is a later word, and no end of the command takes it back',
    log: [on, run('a', ' off'), selected(false), selected(true), done('a', 'error')],
    state: { active: true },
    pending: false,
  },
  {
    says: "a review's exit during /plan off is the review's, and a refusal leaves it",
    log: [on, run('a', ' off'), selected(false, 'review'), done('a', 'error')],
    state: { active: true, selected: { active: false, by: 'review' } },
    pending: true,
    waits: false,
  },
  {
    says: 'plan/selected of the logged mode clears a wish',
    log: [run('a', ''), done('a'), selected(false)],
    state: {},
    pending: false,
  },
  {
    says: 'a review overrides the selection of a user',
    log: [on, selected(false), selected(false, 'review')],
    state: { active: true, selected: { active: false, by: 'review' } },
    pending: true,
    waits: false,
  },
  { says: 'plan/mode clears the selection', log: [selected(true), on], state: { active: true }, pending: false },
  {
    says: 'a matching success clears the selection',
    log: [selected(true), run('a', ' off'), done('a')],
    state: {},
    pending: false,
  },
  {
    says: 'a matching error keeps the selection',
    log: [selected(true), run('a', ' off'), done('a', 'error')],
    state: { selected: { active: true, ...byUser } },
    pending: true,
    waits: true,
  },
  {
    says: 'the selection is shown before a running command, and is the one that waits',
    log: [selected(true), run('a', ' off')],
    state: { running: { commandId: 'a', wanted: false }, selected: { active: true, ...byUser } },
    pending: true,
    waits: true,
  },
  {
    says: 'a running command is shown before a settled wish, and the wish is the one that waits',
    log: [run('a', ''), done('a'), run('b', ' off')],
    state: { wanted: true, running: { commandId: 'b', wanted: false } },
    pending: false,
    waits: true,
  },
]

describe('The plan projection', () => {
  for (const { says, log, state, pending, waits } of cases) {
    it(says, () => {
      const session = logOf(log)
      const folded = session.state(planProjection)
      assert.deepEqual(folded, { ...nothing, ...state })
      assert.deepEqual(planView(folded), { active: folded.active, pending })
      assert.equal(waitingSelection(folded), waits)
      assert.equal(foldPlanMode(session.from()), folded.active)
    })
  }

  it('returns the same state for what is not its own', () => {
    const session = logOf([on, selected(false)])
    const before = session.state(planProjection)
    session.append('turn/start', { turn: 1 })
    session.append('command/done', { commandId: 'x', kind: 'success' })
    session.append('command/run', { commandId: 'y', name: 'other', args: '', source: user })
    assert.equal(session.state(planProjection), before)
  })

  it('takes a malformed value of a foreign log as it is', () => {
    const stored = [{ type: 'plan/mode', seq: 0, time: 0, data: { active: 'yes' } } as unknown as SessionEvent]
    assert.equal(foldPlanMode(stored), 'yes')
    assert.equal(fold(planProjection, stored).active, 'yes')
  })
})

describe('foldPlanMode', () => {
  it('reads the events before an end, or all', () => {
    const events = [...logOf([on, selected(false), off, on]).from()]
    assert.deepEqual(
      [0, 1, 2, 3, 4].map(end => foldPlanMode(events, end)),
      [false, true, true, false, true],
    )
    assert.equal(foldPlanMode(events), true)
    assert.equal(foldPlanMode([]), false)
  })
})

const expectation = z.object({
  sessions: z.array(
    z.object({
      id: z.string(),
      open: z.object({
        planActive: z.unknown(),
        planProjection: z.object({ active: z.unknown(), pending: z.boolean() }),
        planState: z.object({ active: z.unknown(), wanted: z.unknown(), running: z.unknown() }).optional(),
      }),
    }),
  ),
})

/** The stored events of every raw log below a folder, by session id; packed rows hold nothing of plan mode. */
function readLogs(folder: string): Map<string, SessionEvent[]> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name =>
    name.endsWith('session.jsonl'),
  )
  return new Map(
    files.map(name => {
      const lines = readFileSync(join(folder, name), 'utf8')
        .split('\n')
        .filter(line => line !== '')
      const [header, ...events] = lines.map(line => JSON.parse(line))
      return [z.object({ id: z.string() }).parse(header).id, events as SessionEvent[]] as const
    }),
  )
}

/** The real ancestor's own logs lie beside the project, up the tree, where it is developed. */
function fixturesFolder(): string | undefined {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const found = [join(folder, 'shared'), join(folder, '..', 'shared')].map(base => join(base, 'fixtures', 'dsh-logs'))
    const hit = found.find(existsSync)
    if (hit !== undefined || dirname(folder) === folder) return hit
  }
}

describe("The plan projection on the ancestor's logs", () => {
  const root = fixturesFolder()
  for (const name of ['plan-states', 'plan-pending', 'plan-cycle-raw']) {
    it(`agrees with the ancestor on ${name}`, function () {
      if (root === undefined) return this.skip()
      const logs = readLogs(join(root, name))
      const { sessions } = expectation.parse(JSON.parse(readFileSync(join(root, `${name}.expect.json`), 'utf8')))
      assert.ok(sessions.length > 0)
      for (const { id, open } of sessions) {
        const events = logs.get(id)
        assert.ok(events !== undefined, id)
        const { selected: ours, ...state } = fold(planProjection, events)
        assert.equal(foldPlanMode(events), open.planActive, id)
        assert.deepEqual(planView({ ...state, selected: ours }), open.planProjection, id)
        if (open.planState !== undefined) assert.deepEqual(state, open.planState, id)
        assert.equal(ours, null)
      }
    })
  }
})
