import { isObject, isSeq, type JsonObject, type StoredEvent } from './envelope.ts'
import { PlanModeError } from './errors.ts'

/** Brings the older shapes of format version 0 into today's, in memory only (session-log format, section 3.4). */
export class Upgrade {
  readonly #sessionId: string
  /** Message ids by seq: a replacing tool result of the old shape inherits the id of what it replaces. */
  readonly #messageIds = new Map<number, unknown>()
  readonly #earlier: ((seq: number) => StoredEvent | undefined) | undefined

  /** `earlier` gives an event that was applied before, as it came out; without it all their ids are remembered. */
  constructor(sessionId: string, earlier?: (seq: number) => StoredEvent | undefined) {
    this.#sessionId = sessionId
    this.#earlier = earlier
  }

  /**
   * The event in today's shape; the same object when it has it already. Events come in log order, each once.
   * @throws PlanModeError `RETIRED` for shapes that no reader of version 0 takes any more.
   */
  apply(event: StoredEvent): StoredEvent {
    switch (event.type) {
      case 'turn/start':
        return withoutTrigger(event)
      case 'turn/end':
        return withReason(event)
      case 'steering/message':
        return this.#remember(this.#steering(event))
      case 'user/message':
      case 'assistant/message':
      case 'tool/result':
        return this.#remember(this.#wrap(event))
      case 'request/header-delta':
      case 'mode/set':
        return refuse(event, `the event type ${event.type} is retired`)
      case 'request/header':
        if (!isObject(event.data) || event.data.reason !== 'fallback') return event
        return refuse(event, 'a request header with the reason "fallback" is retired')
      default:
        return event
    }
  }

  #steering(event: StoredEvent): StoredEvent {
    const data = isObject(event.data) ? event.data : {}
    if (!Number.isSafeInteger(data.turn)) return refuse(event, 'an old steering message names no turn')
    const { turn: _, ...rest } = data
    if (hasExactly(rest, ['message']) && isObject(rest.message)) {
      return { ...event, type: 'user/message', data: rest.message }
    }
    if (!hasExactly(rest, ['content', 'source'])) return refuse(event, 'an old steering message has unknown keys')
    return { ...event, type: 'user/message', data: { ...rest, id: this.#legacyId(event), role: 'user' } }
  }

  #wrap(event: StoredEvent): StoredEvent {
    const { data } = event
    if (!isObject(data) || 'message' in data) return event
    switch (event.type) {
      case 'user/message':
        if ('id' in data || 'role' in data || !has(data, ['content', 'source'])) return event
        return { ...event, data: { ...data, id: this.#legacyId(event), role: 'user' } }
      case 'assistant/message':
        return has(data, ['content', 'provenance']) ? this.#wrapAssistant(event, data) : event
      default:
        return has(data, ['callId', 'content', 'isError']) ? this.#wrapResult(event, data) : event
    }
  }

  #wrapAssistant(event: StoredEvent, data: JsonObject): StoredEvent {
    const { content, provenance, ...rest } = data
    const source = { ...(isObject(provenance) ? provenance : {}), kind: 'model' }
    return { ...event, data: { ...rest, message: { id: this.#legacyId(event), role: 'assistant', content, source } } }
  }

  #wrapResult(event: StoredEvent, data: JsonObject): StoredEvent {
    const { callId, content, isError, ...rest } = data
    const replaced = isObject(event.surfaceOp) ? event.surfaceOp.start : undefined
    const id = isSeq(replaced) ? this.#idOf(replaced) : this.#legacyId(event)
    const message = {
      ...(id === undefined ? {} : { id }),
      role: 'user',
      source: { kind: 'tool', callId },
      content: [{ type: 'tool-result', toolCallId: callId, content, isError }],
    }
    return { ...event, data: { ...rest, message } }
  }

  #legacyId(event: StoredEvent): string {
    return `legacy-message:${this.#sessionId}:${event.seq}`
  }

  #remember(event: StoredEvent): StoredEvent {
    if (this.#earlier === undefined) this.#messageIds.set(event.seq, messageIdOf(event))
    return event
  }

  #idOf(seq: number): unknown {
    const event = this.#earlier?.(seq)
    return event === undefined ? this.#messageIds.get(seq) : messageIdOf(event)
  }
}

function messageIdOf(event: StoredEvent): unknown {
  if (event.type !== 'user/message' && event.type !== 'assistant/message' && event.type !== 'tool/result')
    return undefined
  const data = isObject(event.data) ? event.data : {}
  const message = event.type === 'user/message' ? data : data.message
  return isObject(message) ? message.id : undefined
}

function withoutTrigger(event: StoredEvent): StoredEvent {
  const { data } = event
  if (!isObject(data) || !('trigger' in data)) return event
  const { turn, trigger } = data
  const valid = isTurn(turn) && hasExactly(data, ['turn', 'trigger']) && isObject(trigger)
  if (!valid || typeof trigger.kind !== 'string' || trigger.kind === '') {
    return refuse(event, 'the trigger of an old turn start is malformed')
  }
  return { ...event, data: { turn } }
}

function withReason(event: StoredEvent): StoredEvent {
  const { data } = event
  if (!isObject(data)) return event
  const { turn, reason } = data
  if (!isTurn(turn) || !isObject(reason) || typeof reason.kind !== 'string' || !hasExactly(data, ['turn', 'reason'])) {
    return refuse(event, 'a turn end is malformed')
  }
  const today = todaysReason(event, reason)
  return today === reason ? event : { ...event, data: { turn, reason: today } }
}

function todaysReason(event: StoredEvent, reason: JsonObject): JsonObject {
  switch (reason.kind) {
    case 'completed':
    case 'blocked':
    case 'max-tokens':
    case 'interrupted':
      return bare(event, reason, reason)
    case 'disposed':
      return bare(event, reason, { kind: 'aborted', reason: { kind: 'disposed' } })
    case 'aborted':
      return 'reason' in reason ? reason : bare(event, reason, { kind: 'aborted', reason: { kind: 'legacy' } })
    case 'error':
      return 'error' in reason ? reason : { kind: 'error', error: oldFailure(event, reason) }
    default:
      return reason
  }
}

function bare(event: StoredEvent, reason: JsonObject, today: JsonObject): JsonObject {
  return hasExactly(reason, ['kind']) ? today : refuse(event, `the turn end reason "${reason.kind}" has surplus keys`)
}

function oldFailure(event: StoredEvent, reason: JsonObject): JsonObject {
  const { kind: _, step, ...rest } = reason
  if (!Number.isSafeInteger(step)) return refuse(event, 'an old error reason names no step')
  if (hasExactly(rest, ['failure']) && isFailure(rest.failure)) return rest.failure
  const { message, code = 'UNKNOWN' } = rest
  const exact = hasExactly(rest, 'code' in rest ? ['message', 'code'] : ['message'])
  if (!exact || typeof message !== 'string' || typeof code !== 'string') {
    return refuse(event, 'an old error reason is malformed')
  }
  return { message, code }
}

function isFailure(value: unknown): value is JsonObject {
  if (!isObject(value)) return false
  const { message, code, status, providerRetryAfterMs, requestId, ...rest } = value
  const optional = (given: unknown, type: string) => given === undefined || typeof given === type
  return (
    typeof message === 'string' &&
    typeof code === 'string' &&
    optional(status, 'number') &&
    optional(providerRetryAfterMs, 'number') &&
    optional(requestId, 'string') &&
    Object.keys(rest).length === 0
  )
}

function isTurn(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) > 0
}

function has(object: JsonObject, keys: readonly string[]): boolean {
  return keys.every(key => key in object)
}

function hasExactly(object: JsonObject, keys: readonly string[]): boolean {
  return Object.keys(object).length === keys.length && has(object, keys)
}

function refuse(event: StoredEvent, what: string): never {
  throw new PlanModeError('RETIRED', `event ${event.seq}: ${what}`)
}
