import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { main } from '../../../src/cli/main.ts'
import { SessionStore } from '../../../src/persistence/store.ts'
import { hashPlan } from '../../../src/plan/present-plan.ts'
import { newUserMessage } from '../../../src/session/messages.ts'
import type { Session } from '../../../src/session/session.ts'

export const PLAN = '# Limit the rate\n\n- [ ] 1. Count\n- [ ] 2. Refuse'

/** A fresh folder that is gone when the test is over. */
export async function scratch(act: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'plan-mode-cli-'))
  try {
    await act(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Writes a session of that id with one turn in which a plan was sent back once; `then` may add to it. */
export async function writeSession(root: string, id: string, then?: (session: Session) => void): Promise<void> {
  const store = new SessionStore({ root, cwd: '/work space/demo' })
  const open = await store.create({ id, createdAt: 1_700_000_000_000 })
  tell(open.session)
  then?.(open.session)
  await open.flush()
  await store.dispose()
}

function tell(session: Session): void {
  session.append('plan/mode', { active: true })
  session.append('turn/start', { turn: 1 })
  session.append('step/start', { turn: 1, step: 1 })
  session.append('user/message', newUserMessage('Limit the rate'))
  for (const text of ['I ', 'look ', 'around ', 'first.']) {
    session.append('assistant/chunk', { turn: 1, step: 1, chunk: { type: 'text-delta', index: 0, text } })
  }
  const args = JSON.stringify({ plan: PLAN })
  session.append('assistant/message', {
    turn: 1,
    step: 1,
    message: {
      id: 'answer',
      role: 'assistant',
      content: [
        { type: 'text', text: 'I look around first.' },
        { type: 'tool-call', id: 'call-1', name: 'exit_plan_mode', arguments: args },
      ],
      source: { kind: 'model', provider: 'demo', model: 'demo' },
    },
  })
  session.append('tool/call', { turn: 1, step: 1, callId: 'call-1', name: 'exit_plan_mode', arguments: args })
  const planHash = hashPlan(PLAN)
  session.append('review/presented', { reviewId: 'review-1', callId: 'call-1', planHash })
  session.append('review/decided', { reviewId: 'review-1', decision: 'kept', planHash, feedback: 'Name the files.' })
}

export interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** One command line, with what it printed. */
export async function run(...argv: string[]): Promise<Ran> {
  const out: string[] = []
  const err: string[] = []
  const code = await main(argv, { out: text => void out.push(text), err: text => void err.push(text) })
  return { code, out: out.join(''), err: err.join('') }
}
