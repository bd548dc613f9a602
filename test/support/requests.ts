import assert from 'node:assert/strict'
import { SUMMARY_SYSTEM } from '../../src/agent/compaction/words.ts'
import { requestOf } from '../../src/agent/request/request.ts'
import { Session } from '../../src/session/session.ts'
import type { ScriptedModel } from './scripted-model.ts'

/**
 * Rebuilds every request of a step from the log alone, as it was when the request left (`model.log` is the session), and
 * compares.
 */
export function assertRequestsFromLog(session: Session, model: ScriptedModel): void {
  const events = [...session.from(0)]
  for (const [index, request] of model.requests.entries()) {
    if (request.prompt[0]?.content === SUMMARY_SYSTEM) continue
    assert.deepEqual(request, requestOf(new Session(session.header, events.slice(0, model.lengths[index]))))
  }
}
