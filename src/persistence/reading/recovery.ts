import type { StoredEvent } from '../../session/envelope.ts'
import type { SessionEvent } from '../../session/events.ts'
import { interruptedClosers } from '../../session/repair.ts'
import type { JudgedEvents, StoredLog } from '../backend.ts'
import { blamed } from './judge.ts'
import { JudgedArray } from './judged-array.ts'
import { RecoveredLog } from './recovered-log.ts'

/**
 * From what is stored to a log that can be worked on, in the order of session-log format section 7: older shapes,
 * message shapes, unknown types, envelopes, payloads, surface, closers. Pure; the stored objects are taken over.
 */
export interface Recovered {
  /** The stored events, then `closers`. */
  readonly events: RecoveredLog
  readonly closers: readonly SessionEvent[]
}

/** @throws `CORRUPT` or `FORMAT_UNSUPPORTED` naming the file and the event. */
export function recover(log: StoredLog): Recovered {
  const judged = judgedOf(log)
  judged.assertSound()
  const closers = judged.turnOpen ? closersOf(log, judged) : []
  return { events: new RecoveredLog(judged, closers), closers }
}

/** The stored events for a session that only follows them: an open turn is left open. @throws as `recover`. */
export function asStored(log: StoredLog): RecoveredLog {
  const judged = judgedOf(log)
  judged.assertSound()
  return new RecoveredLog(judged, [])
}

/** The stored events as a session may hold them, an open turn left open. @throws as `recover`. */
export function stored(log: StoredLog): SessionEvent[] {
  const judged = judgedOf(log)
  judged.assertSound()
  return Array.from({ length: judged.length }, (_, seq) => judged.at(seq)).filter(event => event !== undefined)
}

/** The stored events from `from` on in today's shapes, nothing else of them judged. @throws as `recover`. */
export function interpret(log: StoredLog, from = 0): StoredEvent[] {
  const judged = judgedOf(log)
  judged.assertReadable()
  return [...judged.today(from)]
}

function judgedOf(log: StoredLog): JudgedEvents {
  return log.judged ?? new JudgedArray(log)
}

function closersOf(log: StoredLog, judged: JudgedEvents): readonly SessionEvent[] {
  try {
    return interruptedClosers(judged)
  } catch (error) {
    throw blamed(log.file, error)
  }
}
