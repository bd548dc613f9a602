import { turnBoundary } from '../../session/turns.ts'
import type { TurnWork } from '../loop/work.ts'
import type { ModelRoute } from '../model.ts'
import type { Compactor } from '../runtime.ts'
import { compactions } from './bracket.ts'
import { type CompactionEnd, compact, keptTexts, reserveOf } from './compact.ts'
import { type Range, rangeOf } from './range.ts'
import { type ContextSize, contextSize, mayReach, textTokens } from './tokens.ts'

/** Share of the window at which a conversation is summarised, if the answer does not need more room. */
const FULL = 0.9
/** Share of the window that has to be gained: less is not worth a request, and would be asked again at once. */
const GAIN = 1 / 20

/** Tokens of a request at which a conversation is summarised: nine tenths of the window, less where an answer needs it. */
export function limitOf(window: number, maxTokens?: number): number {
  return Math.floor(Math.min(window * FULL, window - reserveOf(window, maxTokens)))
}

/**
 * Automatic compaction: before a step whose request would come near a known window, and after a request that was too
 * long. After one failure a turn tries no more; where little would be gained it does not try at all.
 */
export const automaticCompaction: Compactor = {
  async beforeStep(work, { route, header }, input) {
    const { contextWindow: window } = route
    if (window === undefined || work.session.state(compactions).failed !== null) return
    const limit = limitOf(window, route.maxTokens)
    if (!mayReach(work.session, limit, header, input)) return
    const size = contextSize(work.session, header, input)
    const range = size.total < limit ? undefined : worthwhile(work, size, window)
    if (range !== undefined) await compactTurn(work, route, size, range)
  },

  async recover(work, { route, header }, failure, again) {
    if (failure.code !== 'CONTEXT_WINDOW_EXCEEDED') return failure
    const model = `${route.model} (${route.provider})`
    if (again) return { ...failure, message: stillTooLong(model) }
    const before = work.session.state(compactions).failed
    if (before !== null) return { ...failure, message: notSummarised(model, before) }
    const size = contextSize(work.session, header, [])
    const range = worthwhile(work, size, size.total)
    if (range === undefined) return { ...failure, message: nothingToSummarise(model) }
    const end = await compactTurn(work, route, size, range)
    work.signal.throwIfAborted()
    return end.kind === 'done' ? undefined : { ...failure, message: notSummarised(model, end.failure.message) }
  },
}

function compactTurn(work: TurnWork, route: ModelRoute, { scale }: ContextSize, range: Range): Promise<CompactionEnd> {
  return compact(work, { route, range, scale, turn: work.session.state(turnBoundary).turn })
}

/** The range to summarise, if enough is gained of what it holds: what is kept word for word comes back. */
function worthwhile(work: TurnWork, size: ContextSize, window: number): Range | undefined {
  const range = rangeOf(work.session, size)
  if (range === undefined) return undefined
  const carried = keptTexts(work, range).reduce((sum, { text }) => sum + textTokens(text), 0) * size.scale
  return Math.min(range.fresh, range.tokens - carried) >= window * GAIN ? range : undefined
}

function stillTooLong(model: string): string {
  return `The conversation is longer than the context window of ${model}, also after its older part was summarised. Run /compact to summarise more of it, or start a new conversation.`
}

function notSummarised(model: string, why: string): string {
  return `The conversation is longer than the context window of ${model}, and it could not be summarised. ${why} Run /compact to try again, or start a new conversation.`
}

function nothingToSummarise(model: string): string {
  return `What was sent is longer than the context window of ${model}, and there is too little before it to summarise. Send less at once, run /compact, or start a new conversation.`
}
