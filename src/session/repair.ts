import type { SessionEvent } from './events.ts'
import type { ToolMessage } from './messages.ts'

/** Which closing events an interrupted log still owes (session-log format, section 8). Pure. */

/** Any log that can be read by position; a `Session` or an array of events is one. */
export interface EventsBySeq {
  readonly length: number
  at(seq: number): SessionEvent | undefined
}

interface PendingCall {
  readonly callId: string
  readonly step: number
  /** Seq of the `tool/call`, once the call was started. */
  startedAt?: number
}

interface OpenTurn {
  readonly turn: number
  step: number | undefined
  readonly pending: Map<string, PendingCall>
}

/**
 * The events that close the open turn: a failed result for every unanswered tool call, the open step's end, the turn's
 * end as interrupted. They continue the log's seqs and carry the time of its last event. Empty when no turn is open.
 */
export function interruptedClosers(log: EventsBySeq): readonly SessionEvent[] {
  const start = openTurnStart(log)
  const last = log.length === 0 ? undefined : log.at(log.length - 1)
  if (start === undefined || last === undefined) return []
  const open = readOpenTurn(log, start)
  const { turn } = open
  const { time } = last
  let seq = log.length
  const closers: SessionEvent[] = []
  for (const call of open.pending.values()) closers.push(lostResult(call, turn, seq++, time))
  if (open.step !== undefined) closers.push({ type: 'step/end', seq: seq++, time, data: { turn, step: open.step } })
  closers.push({ type: 'turn/end', seq, time, data: { turn, reason: { kind: 'interrupted' } } })
  return closers
}

function openTurnStart(log: EventsBySeq): SessionEvent<'turn/start'> | undefined {
  for (let seq = log.length - 1; seq >= 0; seq--) {
    const event = log.at(seq)
    if (event?.type === 'turn/end') return undefined
    if (event?.type === 'turn/start') return event
  }
  return undefined
}

function readOpenTurn(log: EventsBySeq, start: SessionEvent<'turn/start'>): OpenTurn {
  const open: OpenTurn = { turn: start.data.turn, step: undefined, pending: new Map() }
  for (let seq = start.seq + 1; seq < log.length; seq++) {
    const event = log.at(seq)
    if (event !== undefined) follow(open, event)
  }
  return open
}

function follow(open: OpenTurn, event: SessionEvent): void {
  switch (event.type) {
    case 'step/start':
      open.step = event.data.step
      break
    case 'step/end':
      open.step = undefined
      open.pending.clear()
      break
    case 'assistant/message':
      for (const part of event.data.message.content) {
        // A result needs a non-empty call id to be readable, so a call without one cannot be closed.
        if (part.type === 'tool-call' && part.id) open.pending.set(part.id, { callId: part.id, step: event.data.step })
      }
      break
    case 'tool/call': {
      const call = open.pending.get(event.data.callId)
      if (call !== undefined) call.startedAt = event.seq
      break
    }
    case 'tool/result':
      open.pending.delete(event.data.message.source.callId)
      break
    default:
  }
}

const lost = {
  started: {
    error: { name: 'ToolOutcomeUnknownError', code: 'TOOL_OUTCOME_UNKNOWN' },
    text: 'Error: this call had begun when the session was interrupted, and its result was lost. It may or may not have taken effect. Repeat it only if doing it twice does no harm; otherwise look at the actual state first, or ask the user.',
  },
  notStarted: {
    error: { name: 'ToolNotStartedError', code: 'TOOL_NOT_STARTED' },
    text: 'Error: the session was interrupted before this call began, so it had no effect. Call it again if it is still wanted.',
  },
}

function lostResult(call: PendingCall, turn: number, seq: number, time: number): SessionEvent<'tool/result'> {
  const { callId, step, startedAt } = call
  const { error, text } = startedAt === undefined ? lost.notStarted : lost.started
  const message: ToolMessage = {
    id: `interrupted-tool-result-${callId}-${seq}`,
    role: 'user',
    source: { kind: 'tool', callId },
    content: [{ type: 'tool-result', toolCallId: callId, isError: true, content: [{ type: 'text', text }] }],
  }
  return {
    type: 'tool/result',
    seq,
    time,
    data: { turn, step, message, error },
    surfaceOp: 'append',
    ...(startedAt === undefined ? {} : { sourceEventSeqs: [startedAt] }),
  }
}
