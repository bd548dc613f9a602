import type { SessionEvent } from '../../src/session/events.ts'

interface Bracket {
  readonly start: SessionEvent<'compaction/start'>
  summary: SessionEvent<'compaction/summary'> | undefined
  replaced: boolean
}

/** The rules of section 17 for compaction, one generator a log: feed it every event in order. */
export class CompactionRules {
  #open: Bracket | undefined
  #turn: number | null = null
  #last: SessionEvent | undefined;

  *problems(event: SessionEvent): Generator<string> {
    yield* this.#bracketProblems(event)
    if (event.type === 'turn/start') this.#turn = event.data.turn
    if (event.type === 'turn/end') this.#turn = null
    if (event.type === 'session/end-seed') this.#open = undefined
    this.#last = event
  }

  *#bracketProblems(event: SessionEvent): Generator<string> {
    const open = this.#open
    switch (event.type) {
      case 'turn/start':
        if (open !== undefined) yield 'a turn begins inside a compaction'
        break
      case 'turn/end':
        // What a crash left open is closed by the seed's end.
        if (open !== undefined && event.data.reason.kind !== 'interrupted') yield 'a turn ends inside a compaction'
        break
      case 'compaction/start':
        if (open !== undefined) yield 'a compaction is open'
        if (event.data.turn !== this.#turn) yield `its owner is not turn ${this.#turn}`
        this.#open = { start: event, summary: undefined, replaced: false }
        break
      case 'compaction/summary': {
        if (open === undefined || !sameBracket(open, event)) yield 'no such compaction is open'
        if (open?.summary !== undefined) yield 'a second summary'
        const { shadowedRange, shadowedSeqs } = event.data
        if (shadowedRange.start !== shadowedSeqs[0] || shadowedRange.end !== shadowedSeqs.at(-1))
          yield 'its range is not the ends of its seqs'
        if (open !== undefined) open.summary = event
        break
      }
      case 'user/message':
        yield* this.#messageProblems(event)
        break
      case 'compaction/end': {
        if (open === undefined || !sameBracket(open, event)) yield 'no such compaction is open'
        if (event.data.turn !== open?.start.data.turn) yield 'another owner than its start'
        if (event.data.error === undefined && open?.replaced !== true) yield 'a clean end without a summary in place'
        if (event.data.error !== undefined && open?.replaced === true) yield 'a failed end with a summary in place'
        this.#open = undefined
        break
      }
      default:
        break
    }
  }

  *#messageProblems(event: SessionEvent<'user/message'>): Generator<string> {
    if (event.surfaceOp === 'append' || event.surfaceOp === undefined) return
    const open = this.#open
    const summary = open?.summary
    if (open === undefined || summary === undefined || this.#last !== summary)
      return yield 'it does not follow a summary'
    const { shadowedRange, shadowedSeqs } = summary.data
    const sources = [open.start.seq, summary.seq, ...shadowedSeqs]
    if (JSON.stringify(event.sourceEventSeqs) !== JSON.stringify(sources)) yield 'its sources are wrong'
    if (event.surfaceOp.start !== shadowedRange.start || event.surfaceOp.end !== shadowedRange.end)
      yield 'it replaces another range than its summary'
    open.replaced = true
  }
}

function sameBracket({ start }: Bracket, { data }: SessionEvent<'compaction/summary' | 'compaction/end'>): boolean {
  return start.data.compactionId === data.compactionId && start.data.sourceCommandId === data.sourceCommandId
}
