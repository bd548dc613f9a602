import { isForeign, messageProblem, parseEnvelope, type StoredEvent } from '../session/envelope.ts'
import { messageOf } from '../session/errors.ts'
import type { SessionEvent } from '../session/events.ts'
import { interruptedClosers } from '../session/repair.ts'
import { replacementProblem, surface } from '../session/surface.ts'
import { Upgrade } from '../session/upgrade.ts'
import type { StoredLog } from './backend.ts'
import { SessionFormatUnsupportedError, SessionPersistenceCorruptionError } from './errors.ts'
import type { LoadedSession } from './persistence.ts'

/**
 * From what is stored to a balanced log, in the order of session-log format section 7: older shapes, message shapes,
 * unknown types, closers, then envelopes and surface. Pure; the stored list is taken over.
 */
export function recover(log: StoredLog): LoadedSession {
  const stored = interpret(log)
  return blamed(log, () => {
    const events = stored.map(event => {
      const parsed = parseEnvelope(event)
      return typeof parsed === 'string' ? corrupt(log, event.seq, parsed) : parsed
    })
    const closers = interruptedClosers(events)
    for (const closer of closers) events.push(closer)
    checkSurface(log, events)
    return { header: log.header, events, closers }
  })
}

/** The stored events in today's shapes. @throws `CORRUPT` or `FORMAT_UNSUPPORTED` naming the file and the event. */
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
    const problem = replacementProblem(state, event, at)
    if (problem !== undefined) corrupt(log, event.seq, problem)
    state = surface.apply(state, event)
  }
}

/** Payloads are not judged on read, so a strange one may break a reader of it: that, too, is the log's fault. */
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
