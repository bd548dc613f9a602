import { messageOf, PlanModeError } from '../session/errors.ts'
import type { SessionEvent } from '../session/events.ts'
import type { NewSession, SessionHeader } from '../session/header.ts'
import { storageCodes } from './errors.ts'

/** Forking a session (session-log format, section 10): how much of the parent a child inherits, and what it is told. */

/**
 * Where a child leaves its parent: `turn` takes everything up to that turn's end and what stands alone behind it, up to
 * the next turn; `seq` takes the events before that seq, which becomes the child's first own one.
 */
export type ForkPoint = { readonly turn: number } | { readonly seq: number }

/** The codes a fork is refused with. */
export const forkCodes = {
  /** No session of that id, open or stored. */
  notFound: 'SESSION_NOT_FOUND',
  /** The given session is not, or no longer, the one that is open here. */
  notLive: 'SESSION_NOT_LIVE',
  /** The child's id is taken. */
  alreadyExists: 'SESSION_ALREADY_EXISTS',
  /** No such turn or seq. */
  invalidBoundary: 'INVALID_BOUNDARY',
  /** The cut lies in a turn, or the turn has not ended. */
  openTurn: 'OPEN_TURN',
} as const

/** The same refusal of the store, under the code that the format gives it. */
export async function refusedAsFork<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const code = error instanceof PlanModeError ? storeCodes.get(error.code) : undefined
    if (code === undefined) throw error
    throw new PlanModeError(code, messageOf(error), { cause: error })
  }
}

const storeCodes: ReadonlyMap<string, string> = new Map([
  [storageCodes.notFound, forkCodes.notFound],
  [storageCodes.alreadyExists, forkCodes.alreadyExists],
])

/** How many events the child inherits; the whole log without a point. @throws `INVALID_BOUNDARY`, `OPEN_TURN`. */
export function seedLengthAt(events: readonly SessionEvent[], point: ForkPoint = { seq: events.length }): number {
  return 'turn' in point ? afterTurn(events, point.turn) : beforeSeq(events, point.seq)
}

/**
 * The child's header: its parent's folder, and unless given its depth and preset. Whoever forks a subagent's session
 * goes on with it themselves, so `origin` is not inherited.
 */
export function childOf(parent: SessionHeader, seedLength: number, given: NewSession): NewSession {
  const { cwd, delegationDepth, agentPreset } = parent
  return {
    delegationDepth,
    ...(agentPreset === undefined ? {} : { agentPreset }),
    ...given,
    ...(cwd === undefined ? {} : { cwd }),
    parentSession: parent.id,
    seedLength,
  }
}

function afterTurn(events: readonly SessionEvent[], turn: number): number {
  const start = events.findIndex(event => event.type === 'turn/start' && event.data.turn === turn)
  if (start < 0) throw new PlanModeError(forkCodes.invalidBoundary, `There is no turn ${turn} to fork at.`)
  let ended = false
  for (let seq = start + 1; seq < events.length; seq++) {
    const type = events[seq]?.type
    if (type === 'turn/end') ended = true
    if (type === 'turn/start') return ended ? seq : refuseOpen(turn)
  }
  return ended ? events.length : refuseOpen(turn)
}

function beforeSeq(events: readonly SessionEvent[], seq: number): number {
  if (!Number.isSafeInteger(seq) || seq < 0 || seq > events.length) {
    throw new PlanModeError(forkCodes.invalidBoundary, `There is no event ${seq} to fork at.`)
  }
  for (let before = seq - 1; before >= 0; before--) {
    const event = events[before]
    if (event?.type === 'turn/end') break
    if (event?.type === 'turn/start') return refuseOpen(event.data.turn)
  }
  return seq
}

function refuseOpen(turn: number): never {
  throw new PlanModeError(forkCodes.openTurn, `Turn ${turn} is open at this place; fork where no turn is running.`)
}
