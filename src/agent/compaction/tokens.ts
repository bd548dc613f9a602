import type { Block, Message, Usage } from '../../session/messages.ts'
import type { EpochHeader } from '../../session/request-header.ts'
import type { Session } from '../../session/session.ts'
import { messageOfEvent, surface } from '../../session/surface.ts'
import { requestState } from '../request/request.ts'
import { compactions } from './bracket.ts'

/**
 * How many tokens a conversation has. What a provider counted is believed; the rest is measured at four bytes of UTF-8
 * a token and scaled by how far that was off where the provider did count.
 */
export interface ContextSize {
  /** Of the next request: header, surface and the input it would add. */
  readonly total: number
  /** Of each message on the surface, in order. */
  readonly nodes: readonly SizedNode[]
  /** Tokens counted for each one measured. */
  readonly scale: number
}

export interface SizedNode {
  readonly seq: number
  readonly tokens: number
}

const BYTES_PER_TOKEN = 4
/** Role, separators and the like, of each message. */
const PER_MESSAGE = 4
/** What providers charge for a picture, roughly. */
const PER_IMAGE = 1_000
/** Beyond these the count is taken for nonsense. */
const MIN_SCALE = 0.5
export const MAX_SCALE = 3

/** All tokens of a counted request with its answer: what the next request has at least. */
export function usedTokens(usage: Usage): number {
  return inputTokens(usage) + usage.outputTokens
}

export function textTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN)
}

/** Measured, not scaled. */
export function messageTokens({ content }: Pick<Message, 'content'>): number {
  return content.reduce((sum, block) => sum + blockTokens(block), PER_MESSAGE)
}

/** What the next request has, with `header` and the messages of `input` that are not on the surface yet. */
export function contextSize(session: Session, header: EpochHeader | undefined, input: readonly Message[]): ContextSize {
  const seqs = [...session.state(surface)]
  const measured = seqs.map(seq => measure(session, seq))
  const counted = lastCount(session)
  const last = session.state(requestState).header
  const before = sum(measured.slice(0, counted?.position))
  const scale =
    counted === undefined
      ? scaleOfLastCompaction(session)
      : scaleOf(inputTokens(counted.usage), before + headerTokens(last))
  const base =
    counted === undefined
      ? headerTokens(header ?? last) * scale
      : usedTokens(counted.usage) + (header === undefined ? 0 : headerTokens(header) - headerTokens(last)) * scale
  const since = counted === undefined ? measured : measured.slice(counted.position + 1)
  return {
    total: Math.round(base + (sum(since) + sum(input.map(messageTokens))) * scale),
    nodes: seqs.map((seq, index) => ({ seq, tokens: Math.ceil((measured[index] ?? 0) * scale) })),
    scale,
  }
}

/** Whether `contextSize` could be `limit` or more. Costs only what came since the last counted request. */
export function mayReach(session: Session, limit: number, header: EpochHeader, input: readonly Message[]): boolean {
  const counted = lastCount(session)
  if (counted === undefined) return true
  const growth = headerTokens(header) - headerTokens(session.state(requestState).header)
  const since = Math.max(0, growth) + counted.since + sum(input.map(messageTokens))
  return usedTokens(counted.usage) + since * MAX_SCALE >= limit
}

interface Counted {
  readonly usage: Usage
  /** Of the counted answer on the surface. */
  readonly position: number
  /** Measured tokens of the messages after it. */
  readonly since: number
}

/** The last answer whose request the provider counted, unless something left the surface later. */
function lastCount(session: Session): Counted | undefined {
  const nodes = session.state(surface)
  const { shadowedAt } = session.state(compactions)
  let since = 0
  for (let position = nodes.length - 1; position >= 0; position--) {
    const seq = nodes.at(position) ?? 0
    const event = session.at(seq)
    const usage = event.type === 'assistant/message' ? event.data.usage : undefined
    if (usage !== undefined && inputTokens(usage) > 0) return seq > shadowedAt ? { usage, position, since } : undefined
    since += measure(session, seq)
  }
  return undefined
}

/** The scale that the last compaction used, read back from what it counted. */
function scaleOfLastCompaction(session: Session): number {
  const { shadowedAt } = session.state(compactions)
  const event = shadowedAt < 0 ? undefined : session.at(shadowedAt)
  if (event?.type !== 'compaction/summary') return 1
  return scaleOf(event.data.shadowedTokenCount, sum(event.data.shadowedSeqs.map(seq => measure(session, seq))))
}

function scaleOf(counted: number, measured: number): number {
  return Math.min(MAX_SCALE, Math.max(MIN_SCALE, counted / Math.max(1, measured)))
}

function inputTokens({ inputTokens: fresh, cacheReadTokens = 0, cacheWriteTokens = 0 }: Usage): number {
  return fresh + cacheReadTokens + cacheWriteTokens
}

function headerTokens(header: EpochHeader | undefined): number {
  if (header === undefined) return 0
  return textTokens(header.system ?? '') + (header.tools === undefined ? 0 : textTokens(JSON.stringify(header.tools)))
}

function measure(session: Session, seq: number): number {
  const message = messageOfEvent(session.at(seq))
  return message === undefined ? 0 : messageTokens(message)
}

function blockTokens(block: Block): number {
  switch (block.type) {
    case 'text':
    case 'reasoning':
      return textTokens(block.text)
    case 'tool-call':
      return textTokens(block.name) + textTokens(block.arguments)
    case 'tool-result':
      return block.content.reduce((sum, part) => sum + blockTokens(part), 0)
    case 'image':
      return PER_IMAGE
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}
