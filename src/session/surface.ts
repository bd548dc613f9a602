import type { SessionEvent, SurfaceType } from './events.ts'
import type { Message } from './messages.ts'
import type { Projection } from './projections.ts'

/**
 * Which messages the model sees, in which order: seqs of `user/message`, `assistant/message` and `tool/result` events,
 * appended or replaced (session-log format, section 3.2).
 */
export class Surface implements Iterable<number> {
  readonly length: number
  readonly #nodes: number[]

  /** The first `length` of `nodes`; what lies behind them belongs to a later state that shares the list. */
  constructor(nodes: number[] = [], length = nodes.length) {
    this.#nodes = nodes
    this.length = length
  }

  /** The seq at a position, or undefined outside `0 .. length - 1`. */
  at(index: number): number | undefined {
    return index < this.length ? this.#nodes[index] : undefined
  }

  *[Symbol.iterator](): Generator<number, void> {
    for (let index = 0; index < this.length; index++) yield this.#nodes[index] ?? 0
  }

  /** Constant time for the newest state, whose list is extended in place; an older state takes a copy first. */
  append(seq: number): Surface {
    const nodes = this.#nodes.length === this.length ? this.#nodes : this.#nodes.slice(0, this.length)
    nodes.push(seq)
    return new Surface(nodes)
  }

  /** This surface with `seq` in the place of the nodes from `start` to `end`; undefined if there is no such range. */
  replace(start: number, end: number, seq: number): Surface | undefined {
    const range = this.#range(start, end)
    if (range === undefined) return undefined
    const [first, last] = range
    return new Surface([...this.#nodes.slice(0, first), seq, ...this.#nodes.slice(last + 1, this.length)])
  }

  /** The seqs a replacement of `start` to `end` would take away; undefined if there is no such range. */
  between(start: number, end: number): readonly number[] | undefined {
    const range = this.#range(start, end)
    return range && this.#nodes.slice(range[0], range[1] + 1)
  }

  #range(start: number, end: number): readonly [number, number] | undefined {
    const first = this.#nodes.indexOf(start)
    const last = this.#nodes.indexOf(end, Math.max(first, 0))
    return first < 0 || last < 0 || last >= this.length ? undefined : [first, last]
  }
}

/** The surface of a log whose replacements hold (`replacementProblem`); one that doesn't is passed over. */
export const surface: Projection<Surface> = {
  key: 'surface',
  version: 1,
  initial: new Surface(),
  types: ['user/message', 'assistant/message', 'tool/result'],
  apply(state: Surface, event: SessionEvent): Surface {
    if (event.surfaceOp === undefined) return state
    if (event.surfaceOp === 'append') return state.append(event.seq)
    return state.replace(event.surfaceOp.start, event.surfaceOp.end, event.seq) ?? state
  },
}

type EventAt = (seq: number) => SessionEvent

/** Why an event may not go on this surface, or undefined. `at` reads the log before the event. */
export function replacementProblem(state: Surface, event: SessionEvent, at: EventAt): string | undefined {
  if (event.surfaceOp === undefined || event.surfaceOp === 'append') return undefined
  const { start, end } = event.surfaceOp
  const replaced = state.between(start, end)
  if (replaced === undefined) return `it replaces ${start} to ${end}, which is no range of the surface`
  const sources = new Set(event.sourceEventSeqs)
  const unnamed = replaced.find(seq => !sources.has(seq))
  if (unnamed !== undefined) return `it replaces ${unnamed} without naming it in sourceEventSeqs`
  if (event.type !== 'tool/result') return undefined
  return replaced.length === 1 ? resultProblem(event, at(start)) : 'a tool result may replace one node only'
}

function resultProblem(event: SessionEvent<'tool/result'>, old: SessionEvent): string | undefined {
  if (old.type !== 'tool/result') return `it replaces ${old.seq}, which is no tool result`
  if (sameJson(withoutOutput(event), withoutOutput(old))) return undefined
  return `it differs from the tool result ${old.seq} in more than its content`
}

function withoutOutput({ data }: SessionEvent<'tool/result'>): unknown {
  const content = data.message.content.map(part => (part.type === 'tool-result' ? { ...part, content: [] } : part))
  return { ...data, message: { ...data.message, content } }
}

function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const left = new Map(Object.entries(a))
  const right = Object.entries(b)
  return left.size === right.length && right.every(([key, value]) => left.has(key) && sameJson(left.get(key), value))
}

/** What `deriveMessages` reads; a `Session` is one. */
interface Log {
  at(seq: number): SessionEvent
  state<S>(projection: Projection<S>): S
}

/** What the model sees. Assistant messages without content are left out: they only carry usage. */
export function deriveMessages(log: Log): readonly Message[] {
  const messages: Message[] = []
  for (const seq of log.state(surface)) {
    const message = messageOfEvent(log.at(seq))
    if (message !== undefined && !(message.role === 'assistant' && message.content.length === 0)) messages.push(message)
  }
  return messages
}

/** The message of a surface event, as the model sees it. */
export function messageOfEvent(event: SessionEvent): Message | undefined {
  switch (event.type) {
    case 'user/message':
      return event.data
    case 'assistant/message':
    case 'tool/result':
      return event.data.message
    default:
      return undefined
  }
}

export type SurfaceEvent = SessionEvent<SurfaceType>
