import { eventProblem, type StoredEvent } from '../../session/envelope.ts'
import { PlanModeError } from '../../session/errors.ts'
import type { SessionEvent } from '../../session/events.ts'
import { type NewSession, newHeader, type SessionHeader } from '../../session/header.ts'
import { assertLossless } from '../../session/json.ts'
import { Session, type SessionOptions } from '../../session/session.ts'
import { replacementProblem, surface } from '../../session/surface.ts'
import { payloadProblem } from '../reading/payload.ts'
import { checkHeader } from '../stored-header.ts'

/** A new session: what its header shall say (a given `createdAt` is kept), and events it starts with. */
export interface CreateSessionOptions extends NewSession {
  /** A history to replay or fork; copied. `seedLength` says apart how much of it was inherited. */
  readonly seed?: readonly SessionEvent[]
  readonly seedSource?: undefined
}

/**
 * A session that was read from some store. Header and events become the session's own: they are validated and frozen
 * in place, and whoever gives them keeps nothing that could change them.
 */
export interface RestoredSessionOptions {
  readonly header: SessionHeader
  readonly seed: SessionEvent[]
  readonly seedSource: 'persistence'
}

export type PrepareSessionOptions = CreateSessionOptions | RestoredSessionOptions

/** A session of these options, unpublished. @throws `INVALID_HEADER`, `INVALID_SEED`, `NOT_JSON`. */
export function makeSession(given: PrepareSessionOptions, cwd: string | undefined, options: SessionOptions): Session {
  if (given.seedSource === 'persistence') return restore(given, options)
  const { seed = [], seedSource: _, ...named } = given
  const header = newHeader({ ...(cwd === undefined ? {} : { cwd }), ...named }, options.now ?? Date.now)
  return restore({ header, seed: seed.map(ownCopy), seedSource: 'persistence' }, options)
}

/** A frozen event comes from a session: nobody can change it, so it is shared. */
function ownCopy(event: SessionEvent): SessionEvent {
  if (Object.isFrozen(event)) return event
  assertLossless(event, event.type)
  return structuredClone(event)
}

function restore({ header, seed }: RestoredSessionOptions, options: SessionOptions): Session {
  checkHeader(header)
  const { seedLength = 0 } = header
  if (seedLength > seed.length) refuse(header, `its seed is shorter than the ${seedLength} events it inherited`)
  checkSeed(header, seed)
  return new Session(header, seed, options)
}

function checkSeed(header: SessionHeader, seed: readonly SessionEvent[]): void {
  const at = (seq: number) => seed[seq] ?? refuse(header, `event ${seq} of its seed is missing`)
  let state = surface.initial
  for (const [seq, event] of seed.entries()) {
    const stored: StoredEvent = { ...event }
    const problem =
      event.seq === seq
        ? (eventProblem(event) ?? payloadProblem(stored) ?? replacementProblem(state, event, at))
        : 'it is out of order'
    if (problem !== undefined) refuse(header, `event ${seq} of its seed is not valid: ${problem}`)
    state = surface.apply(state, event)
  }
}

function refuse(header: SessionHeader, problem: string): never {
  throw new PlanModeError('INVALID_SEED', `The session "${header.id}" was refused: ${problem}.`)
}
