import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { SessionEvent } from '../../session/events.ts'
import { type Failure, textOf } from '../../session/messages.ts'
import type { Projection } from '../../session/projections.ts'
import type { Session } from '../../session/session.ts'
import { AgentDisposed, type TurnWork, untilAborted } from '../loop/work.ts'
import type { ModelRoute } from '../model.ts'
import { failureOf } from '../request/failures.ts'
import type { KeptText } from '../runtime.ts'
import { closeCompaction, compactions } from './bracket.ts'
import { checkpointMessage, fenceFor } from './checkpoint.ts'
import type { Range } from './range.ts'
import { recordOf } from './record.ts'
import { type Summary, summarise } from './summarise.ts'
import { textTokens } from './tokens.ts'
import * as words from './words.ts'

export interface CompactionPlan {
  readonly route: ModelRoute
  readonly range: Range
  /** Tokens counted for each one measured (`ContextSize`). */
  readonly scale: number
  /** The open turn that owns it, null between turns. */
  readonly turn: number | null
  readonly sourceCommandId?: string
  /** What the person asked to keep in mind; empty when nothing. */
  readonly focus?: string
}

export type CompactionEnd =
  | { readonly kind: 'done'; readonly summarySeq: number }
  /** The surface is as it was. `STOPPED` when the signal aborted. */
  | { readonly kind: 'failed'; readonly failure: Failure }

type Bracket = { readonly compactionId: string; readonly sourceCommandId?: string }

/** How often the material of a summary is halved when it does not fit the model either. */
const HALVINGS = 3

/** Tokens of a window that an answer needs: what it may have, else a fifth, at most 16,000. */
export function reserveOf(window: number, maxTokens: number | undefined): number {
  return maxTokens === undefined ? Math.min(16_000, window / 5) : Math.min(maxTokens, window / 2)
}

/**
 * Summarises a range of the surface and puts the summary in its place (session-log format, section 15). Never throws
 * for a failure: the bracket then ends with its error and the surface stays.
 * @throws AgentDisposed
 */
export async function compact(work: TurnWork, plan: CompactionPlan): Promise<CompactionEnd> {
  const { session } = work
  if (session.state(compactions).open !== null) {
    return { kind: 'failed', failure: { code: 'COMPACTION_OPEN', message: 'The conversation is being summarised.' } }
  }
  const { turn, sourceCommandId } = plan
  const bracket = { compactionId: crypto.randomUUID(), ...(sourceCommandId === undefined ? {} : { sourceCommandId }) }
  try {
    const start = work.append('compaction/start', { ...bracket, turn })
    await untilAborted(work.signal, work.runtime.flush(session))
    const summary = await fittingSummary(work, plan)
    const summarySeq = replace(work, plan, bracket, start.seq, summary)
    work.append('compaction/end', { ...bracket, turn })
    return { kind: 'done', summarySeq }
  } catch (error) {
    if (error instanceof AgentDisposed) throw error
    return settle(work, work.signal.aborted ? { code: 'STOPPED', message: 'Stopped.' } : failureOf(error))
  }
}

/** A summary that is in place counts, even if the log refused the bracket's end. */
function settle({ session, append }: TurnWork, failure: Failure): CompactionEnd {
  const { open, shadowedAt } = session.state(compactions)
  try {
    closeCompaction(session, append, failure.message)
  } catch (error) {
    if (error instanceof AgentDisposed) throw error // else the turn's end closes it
  }
  return open?.replaced ? { kind: 'done', summarySeq: shadowedAt } : { kind: 'failed', failure }
}

/** Asks again with half of the material when the request for the summary is too long itself. */
async function fittingSummary(work: TurnWork, plan: CompactionPlan): Promise<Summary> {
  const { contextWindow, maxTokens } = plan.route
  const window = contextWindow ?? Number.POSITIVE_INFINITY
  let room = (window - reserveOf(window, maxTokens)) / plan.scale - textTokens(words.SUMMARY_SYSTEM)
  for (let halvings = 0; ; halvings++) {
    const record = recordOf(work.session, seqsOf(plan.range), room)
    const titles = keptTexts(work, plan.range).map(({ title }) => title)
    try {
      return await summarise(work, plan.route, summaryRequest(record, titles, plan))
    } catch (error) {
      const tooLong = failureOf(error).code === 'CONTEXT_WINDOW_EXCEEDED'
      if (work.signal.aborted || !tooLong || halvings === HALVINGS) throw error
      room = textTokens(record) / 2
    }
  }
}

function summaryRequest(
  record: string,
  titles: readonly string[],
  { route, focus = '' }: CompactionPlan,
): LanguageModelV4CallOptions {
  const text = words.summaryRequest(record, fenceFor(record), titles, focus)
  return {
    prompt: [
      { role: 'system', content: words.SUMMARY_SYSTEM },
      { role: 'user', content: [{ type: 'text', text }] },
    ],
    ...(route.maxTokens === undefined ? {} : { maxOutputTokens: route.maxTokens }),
  }
}

/** Logs the summary and the message that carries it, with nothing in between; gives the seq of the summary. */
function replace(work: TurnWork, plan: CompactionPlan, bracket: Bracket, startSeq: number, summary: Summary): number {
  const { range, route } = plan
  const { text, output, usage } = summary
  const seqs = seqsOf(range)
  const shadowedRange = { start: range.nodes[0].seq, end: seqs.at(-1) ?? range.nodes[0].seq }
  const kept = keptTexts(work, range)
  const { seq } = work.append('compaction/summary', {
    ...bracket,
    summary: [{ type: 'text', text }],
    shadowedRange,
    shadowedSeqs: seqs,
    shadowedTokenCount: range.tokens,
    provider: route.provider,
    model: route.model,
    ...(route.maxTokens === undefined ? {} : { maxTokens: route.maxTokens }),
    ...(usage === undefined ? {} : { usage }),
    rawOutput: [...output],
    llmStreamCall: true,
  })
  work.append('user/message', checkpointMessage(bracket, text, kept), {
    surfaceOp: { op: 'replace', ...shadowedRange },
    sourceEventSeqs: [startSeq, seq, ...seqs],
  })
  return seq
}

function seqsOf({ nodes }: Range): number[] {
  return nodes.map(({ seq }) => seq)
}

/** Everything that this range's message has to carry word for word. */
export function keptTexts({ agent, session, runtime }: TurnWork, { stays }: Range): readonly KeptText[] {
  const has = (seq: number) => stays.has(seq)
  return [...latestKept(session, has), ...[...runtime.kept].flatMap(texts => texts(agent, has))]
}

/** Longer than this many tokens, the person's last message is left to the summary. */
const LONGEST_REQUEST = 2_000

const latestRequest: Projection<{ readonly seq: number | null }> = {
  key: 'latestRequest',
  version: 1,
  initial: { seq: null },
  types: ['user/message'],
  apply(state, event: SessionEvent) {
    const said = event.type === 'user/message' && event.data.source.kind === 'user'
    return said ? { seq: event.seq } : state
  },
}

/** What the person said last is worth its exact words: the work at hand answers it. */
function latestKept(session: Session, stays: (seq: number) => boolean): readonly KeptText[] {
  const { seq } = session.state(latestRequest)
  const event = seq === null || stays(seq) ? undefined : session.at(seq)
  const text = event?.type === 'user/message' ? textOf(event.data) : ''
  return text.trim() === '' || textTokens(text) > LONGEST_REQUEST ? [] : [{ title: words.LATEST_REQUEST, text }]
}
