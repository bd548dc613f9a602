import { PlanModeError } from '../../session/errors.ts'
import type { EventData } from '../../session/events.ts'
import type { ToolCallBlock } from '../../session/messages.ts'
import type { ToolFailure, ToolOutcome } from '../tool.ts'
import type { StepAt, TurnWork } from './work.ts'

/** The records of tool calls in the log, and the outcomes that the loop itself gives. */
export const stopped = failure('The call was stopped before it finished.', { name: 'AbortError', code: 'ABORTED' })
export const skipped = failure('The call was not run, because the turn ended first.', {
  name: 'AbortError',
  code: 'ABORTED_BEFORE_DISPATCH',
})
export const unsaved = failure('The call was not run, because the conversation log could not be saved.', {
  name: 'AbortError',
  code: 'ABORTED_BEFORE_DISPATCH',
})

export function failure(text: string, error?: ToolFailure): Extract<ToolOutcome, { kind: 'failure' }> {
  return { kind: 'failure', text, ...(error === undefined ? {} : { error }) }
}

/** Logs that a call starts, or that it is accounted for without running; gives the seq of the record. */
export function logCall(work: TurnWork, at: StepAt, { id, name, arguments: args }: ToolCallBlock): number {
  return work.append('tool/call', { ...at, callId: id, name, arguments: args }).seq
}

/** Logs a result; one that the log cannot keep is replaced by a failure that says so. */
export function logResult(
  work: TurnWork,
  at: StepAt,
  call: ToolCallBlock,
  callSeq: number,
  outcome: ToolOutcome,
): void {
  const append = (data: EventData<'tool/result'>) => work.append('tool/result', data, { sourceEventSeqs: [callSeq] })
  try {
    append(resultData(at, call, outcome))
  } catch (error) {
    if (!(error instanceof PlanModeError) || (error.code !== 'NOT_JSON' && error.code !== 'INVALID_EVENT')) throw error
    const text = `${call.name} gave a result that cannot be kept: ${error.message}`
    append(resultData(at, call, failure(text, { name: 'ToolOutputError', code: 'INVALID_TOOL_OUTPUT' })))
  }
}

/** The text of an outcome as it is logged. */
export function resultText(outcome: ToolOutcome): string {
  return outcome.kind === 'failure' ? `Error: ${outcome.text}` : outcome.text
}

function resultData(at: StepAt, call: ToolCallBlock, outcome: ToolOutcome): EventData<'tool/result'> {
  const isError = outcome.kind === 'failure'
  const text = resultText(outcome)
  const images = isError ? [] : (outcome.images ?? [])
  return {
    ...at,
    message: {
      id: crypto.randomUUID(),
      role: 'user',
      content: [{ type: 'tool-result', toolCallId: call.id, content: [{ type: 'text', text }, ...images], isError }],
      source: { kind: 'tool', callId: call.id },
    },
    ...(isError && outcome.error !== undefined
      ? { error: { name: outcome.error.name, code: outcome.error.code } }
      : {}),
    // The log copies it; the event's type only lacks `readonly`.
    ...(outcome.meta === undefined ? {} : { meta: outcome.meta as NonNullable<EventData<'tool/result'>['meta']> }),
  }
}
