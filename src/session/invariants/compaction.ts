import { z } from 'zod'
import type { TurnBoundary } from '../turns.ts'
import type { Invariant, Problem, SeenEvent } from './invariant.ts'
import { read } from './invariant.ts'

const id = z.string().min(1)
const count = z.int().nonnegative()
const start = z.looseObject({ compactionId: id, sourceCommandId: id.optional(), turn: z.int().positive().nullable() })
const end = z.looseObject({ ...start.shape, error: z.string().optional() })
const shadow = {
  shadowedRange: z.looseObject({ start: count, end: count }),
  shadowedSeqs: z.array(count),
  shadowedTokenCount: count,
}
const summary = z.looseObject({ compactionId: id, sourceCommandId: id.optional(), ...shadow })
const prune = z.looseObject(shadow)
const checkpoint = z.looseObject({
  source: z.looseObject({
    kind: z.literal('plugin'),
    plugin: z.literal('compact'),
    compactionId: z.unknown().optional(),
  }),
})
const turnEnd = z.looseObject({ reason: z.looseObject({ kind: z.string() }) })

interface Bracket {
  readonly seq: number
  readonly compactionId: string
  readonly sourceCommandId: string | undefined
  readonly turn: number | null
  summary?: {
    readonly seq: number
    readonly sources: readonly number[]
    readonly range: { readonly start: number; readonly end: number }
  }
  replaced: boolean
}

/**
 * One bracket at a time, by one id from start to end, inside the turn that owns it or between turns. A clean end has one
 * summary, with the replacement right behind it. A life that ended inside a bracket is over with `session/end-seed`.
 */
export const compaction: Invariant = {
  begin() {
    const brackets = new Brackets()
    return (event, at) => brackets.check(event, at)
  },
}

class Brackets {
  #open: Bracket | undefined
  #prunedAt: number | undefined;

  *check(event: SeenEvent, at: TurnBoundary): Generator<Problem> {
    if (this.#prunedAt !== undefined) yield* this.#afterPrune(event)
    switch (event.type) {
      case 'session/end-seed':
        this.#open = undefined
        break
      case 'turn/start':
      case 'turn/end':
        yield* this.#boundary(event)
        break
      case 'compaction/start':
        yield* this.#start(event, at)
        break
      case 'compaction/summary':
        yield* this.#summary(event)
        break
      case 'user/message':
        if (event.surfaceOp !== 'append') yield* this.#checkpoint(event)
        break
      case 'compaction/end':
        yield* this.#end(event)
        break
      case 'compaction/prune': {
        const data = read(prune, event)
        if (data === undefined) yield ['compaction/shape', 'it does not say what it shadows']
        else yield* rangeProblems(data)
        this.#prunedAt = event.seq
      }
    }
  }

  *#afterPrune({ type, surfaceOp }: SeenEvent): Generator<Problem> {
    this.#prunedAt = undefined
    if (type !== 'tool/result' || surfaceOp === 'append')
      yield ['compaction/prune', 'no replaced result came before it']
  }

  *#boundary(event: SeenEvent): Generator<Problem> {
    if (this.#open === undefined) return
    if (event.type === 'turn/end' && read(turnEnd, event)?.reason.kind === 'interrupted') return
    yield ['compaction/turn', `compaction ${this.#open.compactionId} is open`]
  }

  *#start(event: SeenEvent, at: TurnBoundary): Generator<Problem> {
    const data = read(start, event)
    if (data === undefined) return yield ['compaction/shape', 'an id or the owner is missing']
    if (this.#open !== undefined) yield ['compaction/open', `compaction ${this.#open.compactionId} is open`]
    else if (data.turn === null ? at.turnOpen : !at.turnOpen || data.turn !== at.turn) {
      yield ['compaction/owner', data.turn === null ? `turn ${at.turn} is open` : `turn ${data.turn} is not open`]
    }
    const { compactionId, sourceCommandId, turn } = data
    this.#open = { seq: event.seq, compactionId, sourceCommandId, turn, replaced: false }
  }

  *#summary(event: SeenEvent): Generator<Problem> {
    const data = read(summary, event)
    if (data === undefined) return yield ['compaction/shape', 'it does not say what it shadows']
    yield* rangeProblems(data)
    const open = this.#open
    if (open === undefined || !sameBracket(open, data)) return yield ['compaction/id', 'that compaction is not open']
    if (open.summary !== undefined) yield ['compaction/summary', 'it has a summary already']
    open.summary = { seq: event.seq, sources: [open.seq, event.seq, ...data.shadowedSeqs], range: data.shadowedRange }
  }

  *#checkpoint(event: SeenEvent): Generator<Problem> {
    const data = read(checkpoint, event)
    if (data === undefined) return
    const open = this.#open
    if (open === undefined || data.source.compactionId !== open.compactionId) {
      return yield ['compaction/id', 'that compaction is not open']
    }
    if (open.summary?.seq !== event.seq - 1) yield ['compaction/order', 'its summary does not stand right before it']
    else if (!sameSeqs(open.summary.sources, event.sourceEventSeqs)) {
      yield ['compaction/sources', 'it does not name its start, its summary and what it shadows']
    } else if (!sameRange(open.summary.range, event.surfaceOp)) {
      yield ['compaction/range', 'it replaces another range than its summary names']
    }
    open.replaced = true
  }

  *#end(event: SeenEvent): Generator<Problem> {
    const data = read(end, event)
    if (data === undefined) return yield ['compaction/shape', 'an id or the owner is missing']
    const open = this.#open
    this.#open = undefined
    if (open === undefined || !sameBracket(open, data)) return yield ['compaction/id', 'that compaction is not open']
    if (data.turn !== open.turn) yield ['compaction/owner', 'it began with another owner']
    if (data.error === undefined && (open.summary === undefined || !open.replaced)) {
      yield ['compaction/summary', 'it ends clean without a summary that replaced something']
    } else if (data.error !== undefined && open.replaced) {
      yield ['compaction/summary', 'it failed with a summary in place']
    }
  }
}

function* rangeProblems({ shadowedRange, shadowedSeqs }: z.infer<typeof prune>): Generator<Problem> {
  if (shadowedSeqs.at(0) === shadowedRange.start && shadowedSeqs.at(-1) === shadowedRange.end) return
  yield ['compaction/range', 'its range is not the first and the last of what it shadows']
}

function sameBracket(open: Bracket, given: { compactionId: string; sourceCommandId?: string | undefined }): boolean {
  return open.compactionId === given.compactionId && open.sourceCommandId === given.sourceCommandId
}

function sameRange(range: { readonly start: number; readonly end: number }, op: SeenEvent['surfaceOp']): boolean {
  return typeof op === 'object' && op.start === range.start && op.end === range.end
}

function sameSeqs(expected: readonly number[], given: readonly number[] = []): boolean {
  return expected.length === given.length && expected.every((seq, k) => seq === given[k])
}
