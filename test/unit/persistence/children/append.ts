import { writeSync } from 'node:fs'
import { SessionStore } from '../../../../src/persistence/store.ts'
import type { SessionEvent } from '../../../../src/session/events.ts'
import { newUserMessage } from '../../../../src/session/messages.ts'
import type { Session } from '../../../../src/session/session.ts'
import { turnBoundary } from '../../../../src/session/turns.ts'

/** Works on one session until it is killed, and says each event on its output once it is durable. */
const [root = '', encoding] = process.argv.slice(2)
const store = new SessionStore({
  root,
  encoding: encoding === 'zstd' ? 'zstd' : 'none',
  cwd: '/home/dev/demo',
  windowMs: 3,
})
const { sessions } = await store.list()
const open = sessions.length === 0 ? await store.create({ id: 's' }) : await store.open('s')
if (open.readOnly !== undefined) throw new Error(open.readOnly.message)

let said = 0
for (;;) {
  work(open.session)
  // Some batches go out by the window, some by a flush.
  if (Math.random() < 0.3) await new Promise(resolve => setTimeout(resolve, 4))
  await open.flush()
  const durable: SessionEvent[] = [...open.session.from(said)]
  said += durable.length
  writeSync(1, durable.map(event => `${JSON.stringify(event)}\n`).join(''))
}

function work(session: Session): void {
  const { turn, turnOpen, stepOpen } = session.state(turnBoundary)
  const step = 1
  if (!turnOpen) session.append('turn/start', { turn: turn + 1 })
  else if (!stepOpen) session.append('step/start', { turn, step })
  else {
    session.append('user/message', newUserMessage('x'.repeat(Math.floor(Math.random() * 20_000))))
    for (let k = 0; k < 5; k++) {
      session.append('assistant/chunk', { turn, step, chunk: { type: 'text-delta', index: 0, text: String(k) } })
    }
    session.append('step/end', { turn, step })
    session.append('turn/end', { turn, reason: { kind: 'completed' } })
  }
}
