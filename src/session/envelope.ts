import { isKnownType, isSurfaceType, type SessionEvent } from './events.ts'

/**
 * Judges one stored line (session-log format, sections 3 and 4.1). Written by hand because every event of every opened
 * log passes here; a property test holds it equal to a zod schema. Payloads of known types are not judged on read.
 */

/** A line as it was parsed: an object whose `seq` is its place in the log. Nothing else is known of it yet. */
export type StoredEvent = { readonly seq: number } & { readonly [key: string]: unknown }

export type JsonObject = { readonly [key: string]: unknown }

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isSeq(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

/** True for a line that stands at its place in the log. */
export function hasSeq(line: JsonObject, seq: number): line is StoredEvent {
  return line.seq === seq
}

/** An event of another build that may not be skipped: the log is intact, but not for this reader (section 3.3). */
export function isForeign(event: StoredEvent): boolean {
  return event.ignorable !== true && !(typeof event.type === 'string' && isKnownType(event.type))
}

/** The event, if its envelope is right, else what is wrong with it. Takes the object over; nothing is copied. */
export function parseEnvelope(event: StoredEvent): SessionEvent | string {
  // The one place where a stored line becomes an event; payloads keep the promise of whoever wrote them.
  return envelopeProblem(event) ?? (event as unknown as SessionEvent)
}

/** What a reader would refuse an event for, asked before it is written. */
export function eventProblem(event: SessionEvent): string | undefined {
  const stored = event as unknown as StoredEvent
  return envelopeProblem(stored) ?? messageProblem(stored)
}

export function envelopeProblem(event: StoredEvent): string | undefined {
  const { type, seq } = event
  if (typeof type !== 'string') return 'its type is not a string'
  if (!isSeq(seq)) return 'its seq is not a whole number from 0 up'
  if (!Number.isSafeInteger(event.time)) return 'its time is not a whole number of milliseconds'
  if (event.data === undefined) return 'it has no data'
  if (event.ignorable !== undefined && event.ignorable !== true) return 'ignorable may only be true'
  let known = 4
  if (event.surfaceOp !== undefined) known++
  if (event.sourceEventSeqs !== undefined) known++
  if (event.ignorable !== undefined) known++
  if (Object.keys(event).length !== known) return 'it has keys that no event has'
  return isSurfaceType(type) ? surfaceProblem(type, event) : bareProblem(type, event)
}

function bareProblem(type: string, event: StoredEvent): string | undefined {
  if (event.surfaceOp === undefined && event.sourceEventSeqs === undefined) return undefined
  return `${type} is not on the surface and may not carry surfaceOp or sourceEventSeqs`
}

function surfaceProblem(type: string, event: StoredEvent): string | undefined {
  if (!isSurfaceOp(event.surfaceOp)) return 'its surfaceOp is missing or malformed'
  const sources = event.sourceEventSeqs
  if (sources === undefined) return undefined
  if (!Array.isArray(sources)) return 'sourceEventSeqs is not a list'
  if (sources.length === 0 && type !== 'assistant/message') return 'sourceEventSeqs may not be empty'
  let growing = true
  for (let k = 0; k < sources.length; k++) {
    const source: unknown = sources[k]
    if (!isSeq(source) || source >= event.seq) return 'sourceEventSeqs names no earlier event'
    if (k > 0 && source <= sources[k - 1]) growing = false
  }
  return growing || new Set(sources).size === sources.length ? undefined : 'sourceEventSeqs names an event twice'
}

function isSurfaceOp(op: unknown): boolean {
  if (op === 'append') return true
  return isObject(op) && op.op === 'replace' && isSeq(op.start) && isSeq(op.end) && Object.keys(op).length === 3
}

/** What is wrong with the message of a surface event in today's shape; undefined for all other events. */
export function messageProblem(event: StoredEvent): string | undefined {
  switch (event.type) {
    case 'user/message':
      return shapeProblem(event.data, 'user')
    case 'assistant/message':
      return shapeProblem(messageIn(event), 'assistant') ?? modelProblem(messageIn(event))
    case 'tool/result':
      return shapeProblem(messageIn(event), 'user') ?? toolProblem(messageIn(event))
    default:
      return undefined
  }
}

function messageIn(event: StoredEvent): unknown {
  return isObject(event.data) ? event.data.message : undefined
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function shapeProblem(message: unknown, role: string): string | undefined {
  if (!isObject(message)) return 'it holds no message'
  if (!isName(message.id)) return 'its message has no id'
  if (message.role !== role) return `its message does not have the role ${role}`
  if (!Array.isArray(message.content)) return 'the content of its message is not a list'
  if (!message.content.every(part => isObject(part) && typeof part.type === 'string'))
    return 'a content block has no type'
  return isObject(message.source) && isName(message.source.kind) ? undefined : 'its message has no source'
}

function modelProblem(message: unknown): string | undefined {
  const source = isObject(message) && isObject(message.source) ? message.source : {}
  if (source.kind !== 'model') return 'its message does not come from a model'
  return isName(source.provider) && isName(source.model) ? undefined : 'the source of its message names no model'
}

function toolProblem(message: unknown): string | undefined {
  if (!isObject(message) || !isObject(message.source) || !Array.isArray(message.content)) return 'it holds no message'
  const { source, content } = message
  if (source.kind !== 'tool' || !isName(source.callId)) return 'its message does not come from a tool call'
  const result: unknown = content[0]
  if (content.length !== 1 || !isObject(result) || result.type !== 'tool-result' || !Array.isArray(result.content)) {
    return 'its message is not exactly one tool result'
  }
  return result.toolCallId === source.callId ? undefined : 'its tool result answers another call'
}
