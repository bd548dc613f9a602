import type { ToolCallBlock } from '../../session/messages.ts'
import { interruptedClosers } from '../../session/repair.ts'
import type { Session } from '../../session/session.ts'
import type { TurnEndReason } from '../../session/turn-end.ts'
import { turnBoundary } from '../../session/turns.ts'
import { closeCompaction } from '../compaction/bracket.ts'
import { logCall, logResult, skipped, stopped } from './tool-results.ts'
import type { TurnWork } from './work.ts'

/** Ends the open turn: a result for each call that still lacks one, the ends of what is open in it, `turn/end`. */
export function closeTurn(work: TurnWork, reason: TurnEndReason): void {
  const { turn, step, turnOpen, stepOpen } = work.session.state(turnBoundary)
  if (!turnOpen) return
  closeCompaction(work.session, work.append, 'interrupted')
  if (stepOpen) {
    const at = { turn, step }
    for (const { call, callSeq } of unanswered(work.session)) {
      if (callSeq === undefined) logResult(work, at, call, logCall(work, at, call), skipped)
      else logResult(work, at, call, callSeq, stopped)
    }
    work.append('step/end', at)
  }
  work.append('turn/end', { turn, reason })
}

/** Closes what an ended life of the session left open, as a reopened log would be repaired. */
export function closeInterruptedTurn(session: Session): void {
  closeCompaction(session, session.append.bind(session), 'interrupted')
  for (const closer of interruptedClosers(session)) {
    if (closer.type === 'tool/result') {
      const { sourceEventSeqs } = closer
      session.append(closer.type, closer.data, sourceEventSeqs === undefined ? {} : { sourceEventSeqs })
    } else if (closer.type === 'step/end') session.append(closer.type, closer.data)
    else if (closer.type === 'turn/end') session.append(closer.type, closer.data)
  }
}

/** The calls of the open step's answer that have no result, in model order. */
function unanswered(session: Session): { readonly call: ToolCallBlock; readonly callSeq: number | undefined }[] {
  const answered = new Set<string>()
  const started = new Map<string, number>()
  for (let seq = session.length - 1; seq >= 0; seq--) {
    const event = session.at(seq)
    if (event.type === 'step/start') break
    if (event.type === 'tool/result') answered.add(event.data.message.source.callId)
    else if (event.type === 'tool/call') started.set(event.data.callId, seq)
    else if (event.type === 'assistant/message') {
      const calls = event.data.message.content.filter(block => block.type === 'tool-call')
      return calls.filter(call => !answered.has(call.id)).map(call => ({ call, callSeq: started.get(call.id) }))
    }
  }
  return []
}
