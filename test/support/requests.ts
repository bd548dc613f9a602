import assert from 'node:assert/strict'
import { requestOf } from '../../src/agent/request/request.ts'
import { Session } from '../../src/session/session.ts'
import type { ScriptedModel } from './scripted-model.ts'

/** Rebuilds every request from the log alone, as it was when the request left (`model.log` is the session), and compares. */
export function assertRequestsFromLog(session: Session, model: ScriptedModel): void {
  const events = [...session.from(0)]
  const rebuilt = model.lengths.map(length => requestOf(new Session(session.header, events.slice(0, length))))
  assert.deepEqual(model.requests, rebuilt)
}
