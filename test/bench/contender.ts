// What is measured of each contender: this project, its peer, and the least that plain Node can do.
import type { SessionEvent } from '../../src/session/events.ts'
import type { BenchLog } from './logs.ts'
import type { Store } from './store.ts'

export type Who = 'ours' | 'peer' | 'floor'

/** Something that was set up and can be done again and again; only `run` is timed. */
export interface Act {
  /** A number that says what was done, to see that it was: events, sessions. */
  run(): Promise<number>
  /** How many times one `run` does it; 1. */
  readonly calls?: number
  end(): Promise<void>
}

/** An absent act is one that this contender cannot do. */
export interface Contender {
  /** A cold log to a ready session. Runs once. */
  open(log: BenchLog): Promise<Act>
  /** A cold log to the state of plan mode, as a window asks for when it starts: 1 for on. */
  plan?(log: BenchLog): Promise<Act>
  /** The last `events` of a cold log. */
  tail?(log: BenchLog, events: number): Promise<Act>
  /** The state of plan mode, asked of an open session. */
  get?(log: BenchLog): Promise<Act>
  /** Selections of an open session, each committed by the next step boundary. */
  boundary?(log: BenchLog): Promise<Act>
  /** So many streamed tokens, each appended to an open session as it comes; then all of them made durable. */
  tokens?(root: string, tokens: number): Promise<Act>
  /** So many tokens of one answer, from the model's interface through the agent's loop into a durable log: whole turns. */
  streamed?(root: string, tokens: number): Promise<Act>
  list(root: string, store: Store): Promise<Act>
  /** Appends the next of these batches durably with each run, to a new log in a root of its own. */
  append(root: string, store: Store, batches: readonly (readonly SessionEvent[])[]): Promise<Act>
}

export const nothing = async () => {}
