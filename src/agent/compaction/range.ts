import type { Session } from '../../session/session.ts'
import { messageOfEvent } from '../../session/surface.ts'
import { turnBoundary } from '../../session/turns.ts'
import { compactionOf } from './bracket.ts'
import type { ContextSize, SizedNode } from './tokens.ts'

/** The part of the newest messages that stays word for word: at most a fifth of the conversation, and this many tokens. */
const KEPT_SHARE = 1 / 5
const KEPT_MOST = 20_000

/** What a compaction takes off the surface: everything from its first node on, and `stays` as seqs of what follows. */
export interface Range {
  readonly nodes: readonly [SizedNode, ...SizedNode[]]
  readonly tokens: number
  /** Of `tokens`, those that no earlier compaction wrote. */
  readonly fresh: number
  readonly stays: ReadonlySet<number>
}

/**
 * Chooses what is summarised: the oldest messages, so that the newest ones stay word for word (a fifth of the
 * conversation, at most 20,000 tokens; the newest exchange even if it is larger, up to a half). No call is parted from
 * its result, a call that waits for one stays, and so does the input of the step at work. Undefined when only what an
 * earlier compaction wrote would go.
 */
export function rangeOf(session: Session, { nodes }: ContextSize): Range | undefined {
  const history = nodes.slice(0, nodes.length - stepInput(session, nodes))
  const cut = cutOf(history, parted(session, history))
  const [first, ...more] = history.slice(0, cut)
  if (first === undefined) return undefined
  const gone: Range['nodes'] = [first, ...more]
  const fresh = tokensOf(gone.filter(({ seq }) => !isCheckpoint(session, seq)))
  if (fresh === 0) return undefined
  return { nodes: gone, tokens: tokensOf(gone), fresh, stays: new Set(nodes.slice(cut).map(({ seq }) => seq)) }
}

/** How many nodes at the end are the input of the open step. */
function stepInput(session: Session, nodes: readonly SizedNode[]): number {
  if (!session.state(turnBoundary).stepOpen) return 0
  const isInput = ({ seq }: SizedNode) => session.at(seq).surfaceOp === 'append' && seq > stepStart(session)
  return nodes.length - 1 - nodes.findLastIndex(node => !isInput(node))
}

function stepStart(session: Session): number {
  for (let seq = session.length - 1; seq >= 0; seq--) if (session.at(seq).type === 'step/start') return seq
  return -1
}

/** The cuts (numbers of leading nodes) that would part a call from its result, also from one that is still to come. */
function parted(session: Session, nodes: readonly SizedNode[]): ReadonlySet<number> {
  const cuts = new Set<number>()
  const callers = new Map<string, number>()
  let waiting: number | undefined
  const part = (from: number, to: number) => {
    for (let cut = from + 1; cut <= to; cut++) cuts.add(cut)
  }
  for (const [index, { seq }] of nodes.entries()) {
    const blocks = messageOfEvent(session.at(seq))?.content ?? []
    const result = blocks.find(block => block.type === 'tool-result')
    if (result === undefined) waiting = undefined
    else part(callers.get(result.toolCallId) ?? index, index)
    for (const block of blocks) {
      if (block.type !== 'tool-call') continue
      callers.set(block.id, index)
      waiting = index
    }
  }
  if (waiting !== undefined && !isAnswered(session, nodes, waiting)) part(waiting, nodes.length)
  return cuts
}

/** Whether every call of the message at `index` has its result among the nodes after it. */
function isAnswered(session: Session, nodes: readonly SizedNode[], index: number): boolean {
  const [caller, ...after] = nodes.slice(index).map(({ seq }) => messageOfEvent(session.at(seq))?.content ?? [])
  const answered = new Set(after.flat().flatMap(block => (block.type === 'tool-result' ? [block.toolCallId] : [])))
  return (caller ?? []).every(block => block.type !== 'tool-call' || answered.has(block.id))
}

function cutOf(nodes: readonly SizedNode[], forbidden: ReadonlySet<number>): number {
  const total = tokensOf(nodes)
  const most = Math.min(total * KEPT_SHARE, KEPT_MOST)
  let cut = nodes.length
  let kept = 0
  for (let index = nodes.length - 1; index > 0; index--) {
    kept += nodes[index]?.tokens ?? 0
    const newest = cut === nodes.length
    if (kept > (newest ? Math.max(most, total / 2) : most)) break
    if (!forbidden.has(index)) cut = index
  }
  // A call that waits for its result stays, however large it is.
  while (cut > 0 && forbidden.has(cut)) cut--
  return cut
}

function isCheckpoint(session: Session, seq: number): boolean {
  const event = session.at(seq)
  return event.type === 'user/message' && compactionOf(event) !== undefined
}

function tokensOf(nodes: readonly SizedNode[]): number {
  return nodes.reduce((sum, { tokens }) => sum + tokens, 0)
}
