import type { z } from 'zod'
import type { EventType, SurfaceOp } from '../events.ts'
import type { SessionHeader } from '../header.ts'
import type { TurnBoundary } from '../turns.ts'

/**
 * A rule of the log that storage does not enforce, broken at one event (session-log format, section 17). `rule` is a
 * stable name, `room/word`; `message` says what is broken.
 */
export interface Violation {
  readonly seq: number
  readonly rule: string
  readonly message: string
}

export type Problem = readonly [rule: string, message: string]

/** An event as a check meets it: its envelope holds, its payload may be anybody's. */
export interface SeenEvent {
  readonly type: string
  readonly seq: number
  readonly data: unknown
  readonly surfaceOp?: SurfaceOp
  readonly sourceEventSeqs?: readonly number[]
}

/** Sees the events of one log, in order, each once; `at` is where the log stood before the event. Never throws. */
export type Check = (event: SeenEvent, at: TurnBoundary) => Iterable<Problem>

/** The rules of one noun. `begin` makes a check that belongs to one log. */
export interface Invariant {
  /** The only events that its checks are shown; all of them where it says none. */
  readonly types?: readonly EventType[]
  begin(header: SessionHeader): Check
}

/** The part of a payload that a check reads; unknown keys pass. Undefined where it cannot be read. */
export function read<S extends z.ZodType>(schema: S, event: SeenEvent): z.infer<S> | undefined {
  return schema.safeParse(event.data).data
}
