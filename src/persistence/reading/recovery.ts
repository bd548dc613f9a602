import { isForeign, messageProblem, parseEnvelope, type StoredEvent } from '../../session/envelope.ts'
import { messageOf } from '../../session/errors.ts'
import type { SessionEvent } from '../../session/events.ts'
import { interruptedClosers } from '../../session/repair.ts'
import { replacementProblem, surface } from '../../session/surface.ts'
import { Upgrade } from '../../session/upgrade.ts'
import type { StoredLog } from '../backend.ts'
import { SessionFormatUnsupportedError, SessionPersistenceCorruptionError } from '../errors.ts'
import { payloadProblem } from './payload.ts'

/**
 * From what is stored to a log that can be worked on, in the order of session-log format section 7: older shapes,
 * message shapes, unknown types, envelopes, payloads, surface, closers. Pure; the stored objects are taken over.
 */
export interface Recovered {
  /** The stored events, then `closers`. */
  readonly events: SessionEvent[]
  readonly closers: readonly SessionEvent[]
}

/** @throws `CORRUPT` or `FORMAT_UNSUPPORTED` naming the file and the event. */
export function recover(log: StoredLog): Recovered {
  const events = stored(log)
  const closers = blamed(log, () => interruptedClosers(events))
  for (const closer of closers) events.push(closer)
  return { events, closers }
}

/** The stored events as a session may hold them, an open turn left open. @throws as `recover`. */
export function stored(log: StoredLog): SessionEvent[] {
  const events = interpret(log).map(event => {
    const parsed = parseEnvelope(event)
    if (typeof parsed === 'string') return corrupt(log, event.seq, parsed)
    const problem = payloadProblem(event)
    return problem === undefined ? parsed : corrupt(log, event.seq, problem)
  })
  checkSurface(log, events)
  return events
}

/** The stored events in today's shapes, nothing else of them judged. @throws as `recover`. */
export function interpret(log: StoredLog): StoredEvent[] {
  const upgrade = new Upgrade(log.header.id)
  const events = log.events.map(event => {
    const today = blamed(log, () => upgrade.apply(event))
    const problem = messageProblem(today)
    return problem === undefined ? today : corrupt(log, today.seq, problem)
  })
  const foreign = events.find(isForeign)
  if (foreign !== undefined) {
    throw new SessionFormatUnsupportedError(
      `${log.file} holds an event of the type "${String(foreign.type)}" (event ${foreign.seq}), which this version does not know and may not skip. The log is intact; open it with the newer program that wrote it.`,
    )
  }
  return events
}

function checkSurface(log: StoredLog, events: readonly SessionEvent[]): void {
  const at = (seq: number) => events[seq] ?? corrupt(log, seq, 'it is missing')
  let state = surface.initial
  for (const event of events) {
    const problem = blamed(log, () => replacementProblem(state, event, at))
    if (problem !== undefined) corrupt(log, event.seq, problem)
    state = surface.apply(state, event)
  }
}

/** Not every payload is judged on read, so a strange one may break a reader of it: that, too, is the log's fault. */
function blamed<T>(log: StoredLog, act: () => T): T {
  try {
    return act()
  } catch (error) {
    if (error instanceof SessionPersistenceCorruptionError) throw error
    throw new SessionPersistenceCorruptionError(`${log.file} is damaged: ${messageOf(error)}.`, { cause: error })
  }
}

function corrupt(log: StoredLog, seq: number, problem: string): never {
  throw new SessionPersistenceCorruptionError(`${log.file} is damaged at event ${seq}: ${problem}.`)
}
