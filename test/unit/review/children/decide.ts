import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { SessionStore } from '../../../../src/persistence/store.ts'
import { DraftStore } from '../../../../src/review/drafts/draft-store.ts'
import { ReviewWork } from '../../../../src/review/review-work.ts'
import { newUserMessage } from '../../../../src/session/messages.ts'
import { PLAN, PlanningAgent, present } from '../../plan/fixture.ts'

/**
 * The host side of a review without VS Code: types a remark and notes in three pauses, sends the plan back with them,
 * and goes on with the next revision until it is killed. Says on its output what is on disk. `point` names a moment at
 * which it kills itself: `marked` before the verdict is decided, `decided` before what was sent is forgotten.
 */
const [folder = '', point = ''] = process.argv.slice(2)
const say = (text: string) => writeSync(1, `${text}\n`)
const die = async (at: string) => {
  if (at !== point) return
  process.kill(process.pid, 'SIGKILL')
  await new Promise(() => {})
}

const store = new SessionStore({ root: join(folder, 'sessions'), cwd: folder, windowMs: 0 })
const open = await store.create({ id: 's' })
const planner = new PlanningAgent(
  Array.from({ length: 500 }, () => [present()]),
  { session: open.session },
)
planner.runtime.onFlush = () => open.flush()
planner.controller.set(planner.agent, true)
planner.agent.prompt(newUserMessage('Plan rate limits'))
const work = new ReviewWork(open.session, new DraftStore(join(folder, 'drafts')))
await work.loaded

const start = PLAN.indexOf('per key')
for (let round = 1; ; round++) {
  await planner.reviewed()
  const { id } = work.add('remark', { start, end: start + 'per key'.length }, '')
  for (let pause = 1; pause <= 3; pause++) {
    work.edit(id, { text: `${round}.${pause}` })
    work.setNotes(`notes ${round}.${pause}`)
    await work.flush()
    say(`kept ${round} ${pause}`)
  }
  await work.deliver(work.verdict('kept'), async verdict => {
    await die('marked')
    await planner.desk.decide(planner.agent, verdict)
    say(`decided ${round}`)
    await die('decided')
  })
  say(`forgotten ${round}`)
}
