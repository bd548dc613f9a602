import { eventProblem } from './envelope.ts'
import { PlanModeError } from './errors.ts'
import { EventArray, type EventLog } from './event-log.ts'
import {
  type EventData,
  type EventType,
  eventSchemas,
  ignorableTypes,
  isSurfaceType,
  type SessionEvent,
  type SurfaceOp,
} from './events.ts'
import type { SessionHeader } from './header.ts'
import { assertLossless, deepFreeze } from './json.ts'
import type { Checkpoint, Projection } from './projections.ts'
import { ProjectionStates } from './projections.ts'
import { replacementProblem, surface } from './surface.ts'

/** What a surface event says beside its data; `surfaceOp` defaults to `append` on surface types. */
export interface AppendOptions {
  readonly surfaceOp?: SurfaceOp
  readonly sourceEventSeqs?: readonly number[]
}

export type SessionObserver = (event: SessionEvent) => void

export interface SessionOptions {
  /** Epoch milliseconds; the wall clock unless given. */
  readonly now?: () => number
  /** Told of an observer that threw; the append stands all the same. */
  readonly onObserverError?: (error: unknown) => void
}

/**
 * The ordered list of facts, and the only writer of it. Nobody else holds the event log: readers use `length`,
 * `at(seq)`, `from(seq)` and projections, so that a store may decode lazily.
 */
export class Session {
  readonly header: SessionHeader
  readonly #events: EventLog
  readonly #observers = new Set<SessionObserver>()
  readonly #states: ProjectionStates
  readonly #now: () => number
  readonly #onObserverError: (error: unknown) => void
  #sealed: string | undefined

  /** Takes ownership of `events`, which must be a valid contiguous log. */
  constructor(header: SessionHeader, events: SessionEvent[] | EventLog = [], options: SessionOptions = {}) {
    this.header = deepFreeze(header)
    this.#events = Array.isArray(events) ? new EventArray(deepFreezeAll(events)) : events
    this.#now = options.now ?? Date.now
    this.#onObserverError = options.onObserverError ?? (() => {})
    this.#states = new ProjectionStates(this.#events, header.seedLength)
  }

  get id(): string {
    return this.header.id
  }

  get length(): number {
    return this.#events.length
  }

  /** @throws PlanModeError `NO_SUCH_EVENT` outside `0 .. length - 1`. */
  at(seq: number): SessionEvent {
    const event = this.#events.at(seq)
    if (event === undefined) throw new PlanModeError('NO_SUCH_EVENT', `Session ${this.id} has no event ${seq}.`)
    return event
  }

  /** The events from `seq` on, live: events appended while iterating are seen too. */
  *from(seq = 0): Generator<SessionEvent, void> {
    for (let next = seq; next < this.#events.length; next++) yield this.at(next)
  }

  /** The projection's state over the whole log; folds only what came since the last call. */
  state<S>(projection: Projection<S>): S {
    return this.#states.read(projection)
  }

  /** The states that may be stored beside the log, each as far as it was read. */
  checkpoints(): readonly Checkpoint[] {
    return this.#states.checkpoints()
  }

  /** Why appends are refused, or undefined while this session can be written. */
  get readOnly(): string | undefined {
    return this.#sealed
  }

  /** Makes the session read-only for good; `reason` is the sentence a refused append gives. */
  seal(reason: string): void {
    this.#sealed = reason
  }

  /**
   * Validates with the event's own schema, refuses what is not lossless JSON, freezes, numbers, pushes, and only then
   * tells the observers. On any throw nothing was pushed.
   * @throws PlanModeError `READ_ONLY`, `INVALID_EVENT` or `NOT_JSON`, naming the event type.
   */
  append<T extends EventType>(type: T, data: EventData<T>, options: AppendOptions = {}): SessionEvent<T> {
    if (this.#sealed !== undefined) throw new PlanModeError('READ_ONLY', this.#sealed)
    assertLossless(data, type)
    const parsed = eventSchemas[type].safeParse(data)
    if (!parsed.success) {
      throw new PlanModeError('INVALID_EVENT', `${type} was refused: ${parsed.error.message}`, { cause: parsed.error })
    }
    const event = deepFreeze({
      type,
      seq: this.#events.length,
      time: this.#now(),
      data: structuredClone(data),
      ...(isSurfaceType(type) ? { surfaceOp: options.surfaceOp ?? 'append' } : {}),
      ...(options.sourceEventSeqs === undefined ? {} : { sourceEventSeqs: [...options.sourceEventSeqs] }),
      ...(ignorableTypes.has(type) ? { ignorable: true as const } : {}),
    }) as unknown as SessionEvent<T> & SessionEvent
    const problem = eventProblem(event) ?? replacementProblem(this.state(surface), event, seq => this.at(seq))
    if (problem !== undefined) throw new PlanModeError('INVALID_EVENT', `${type} was refused: ${problem}.`)
    this.#events.push(event)
    this.#tell(event)
    return event
  }

  /**
   * Takes in events that another process has stored behind this log; only whoever follows that log calls it, on a
   * session that is sealed here. Their envelopes and payloads are judged; observers are told as after an append.
   * @throws PlanModeError `INVALID_EVENT` when they do not go on from what is here; the ones before stay.
   */
  admit(events: readonly SessionEvent[]): void {
    for (const event of events) {
      const problem =
        this.#sealed === undefined
          ? 'this session is written here'
          : event.seq === this.length
            ? replacementProblem(this.state(surface), event, seq => this.at(seq))
            : `it does not follow event ${this.length - 1}`
      if (problem !== undefined) throw new PlanModeError('INVALID_EVENT', `Event ${event.seq} was refused: ${problem}.`)
      this.#events.push(deepFreeze(event))
      this.#tell(event)
    }
  }

  /** Calls `observer` after each append, in order; what it throws is contained. Dispose to stop. */
  observe(observer: SessionObserver): Disposable {
    this.#observers.add(observer)
    return { [Symbol.dispose]: () => void this.#observers.delete(observer) }
  }

  #tell(event: SessionEvent): void {
    for (const observer of [...this.#observers]) {
      try {
        observer(event)
      } catch (error) {
        this.#onObserverError(error)
      }
    }
  }
}

export { isSurfaceType }

function deepFreezeAll(events: SessionEvent[]): SessionEvent[] {
  for (const event of events) deepFreeze(event)
  return events
}
