import { z } from 'zod'
import type { Invariant, Problem, SeenEvent } from './invariant.ts'
import { read } from './invariant.ts'

const answer = z.looseObject({
  message: z.looseObject({ content: z.array(z.looseObject({ type: z.string(), id: z.unknown().optional() })) }),
})
const call = z.looseObject({ callId: z.string() })
const result = z.looseObject({
  message: z.looseObject({ source: z.looseObject({ callId: z.string() }) }),
  error: z.looseObject({ code: z.string() }).optional(),
})

/** What happened in the open step. */
interface Step {
  readonly announced: string[]
  /** Seqs of the `tool/call`, by call. */
  readonly started: Map<string, number>
  readonly answered: Set<string>
  readonly chunks: Set<number>
}

/**
 * An answer is made of its step's chunks; each call that it announces gets one result, in its order. A result follows
 * its `tool/call`, but for one that recovery wrote for a call that never began (`TOOL_NOT_STARTED`).
 */
export const tools: Invariant = {
  types: ['step/start', 'step/end', 'assistant/chunk', 'assistant/message', 'tool/call', 'tool/result'],
  begin() {
    let step = newStep()
    return function* (event) {
      switch (event.type) {
        case 'step/start':
          step = newStep()
          break
        case 'step/end':
          yield* unanswered(step)
          break
        case 'assistant/chunk':
          step.chunks.add(event.seq)
          break
        case 'assistant/message':
          yield* answered(event, step)
          break
        case 'tool/call':
          yield* called(event, step)
          break
        default:
          if (event.surfaceOp === 'append') yield* resulted(event, step)
      }
    }
  },
}

function newStep(): Step {
  return { announced: [], started: new Map(), answered: new Set(), chunks: new Set() }
}

function* unanswered({ announced, answered }: Step): Generator<Problem> {
  const open = announced.filter(id => !answered.has(id))
  if (open.length > 0) yield ['tools/unanswered', `calls without a result: ${open.join(', ')}`]
}

function* answered(event: SeenEvent, { chunks, announced }: Step): Generator<Problem> {
  if (event.sourceEventSeqs?.some(seq => !chunks.has(seq))) yield ['tools/answer', 'a source is no chunk of this step']
  for (const { type, id } of read(answer, event)?.message.content ?? []) {
    if (type === 'tool-call' && typeof id === 'string') announced.push(id)
  }
}

function* called(event: SeenEvent, { announced, started }: Step): Generator<Problem> {
  const data = read(call, event)
  if (data === undefined) return yield ['tools/shape', 'it names no call']
  const { callId } = data
  if (started.has(callId)) yield ['tools/call', `call ${callId} started before`]
  else if (!announced.includes(callId)) yield ['tools/call', `no answer of this step announced call ${callId}`]
  started.set(callId, event.seq)
}

function* resulted(event: SeenEvent, { announced, started, answered }: Step): Generator<Problem> {
  const data = read(result, event)
  if (data === undefined) return yield ['tools/shape', 'it names no call']
  const { callId } = data.message.source
  const begun = started.get(callId)
  if (begun === undefined) {
    if (data.error?.code !== 'TOOL_NOT_STARTED') yield ['tools/result', `call ${callId} did not start in this step`]
  } else if (event.sourceEventSeqs !== undefined && event.sourceEventSeqs[0] !== begun)
    yield ['tools/result', 'its source is not its call']
  if (answered.has(callId)) yield ['tools/result', `call ${callId} has a result already`]
  else if (announced.filter(id => answered.has(id) || id === callId).at(-1) !== callId && announced.includes(callId)) {
    yield ['tools/order', `call ${callId} was announced before one that has a result`]
  }
  answered.add(callId)
}
