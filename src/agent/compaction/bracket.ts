import type { SessionEvent } from '../../session/events.ts'
import type { Projection } from '../../session/projections.ts'
import type { Session } from '../../session/session.ts'

/** A `compaction/start` without its end. `replaced`: its summary stands on the surface already. */
export interface OpenCompaction {
  readonly compactionId: string
  readonly sourceCommandId?: string | undefined
  readonly turn: number | null
  readonly replaced: boolean
}

export interface Compactions {
  /** Blocks any other compaction. A `session/end-seed` clears it: whoever began it is gone (session-log format, 15). */
  readonly open: OpenCompaction | null
  /** Seq of the latest event that said what leaves the surface; -1 when nothing ever left it. */
  readonly shadowedAt: number
  /** Why the last compaction of the open turn failed, as a sentence; null when none did. */
  readonly failed: string | null
}

export const compactions: Projection<Compactions> = {
  key: 'compactions',
  version: 1,
  owner: 'The agent runtime (agentProjections)',
  initial: { open: null, shadowedAt: -1, failed: null },
  types: [
    'compaction/start',
    'compaction/summary',
    'compaction/end',
    'compaction/prune',
    'user/message',
    'session/end-seed',
    'turn/start',
  ],
  apply(state: Compactions, event: SessionEvent): Compactions {
    switch (event.type) {
      case 'compaction/start':
        return { ...state, open: { ...event.data, replaced: false } }
      case 'compaction/summary':
      case 'compaction/prune':
        return { ...state, shadowedAt: event.seq }
      case 'compaction/end':
        if (state.open?.compactionId !== event.data.compactionId) return state
        return { ...state, open: null, failed: event.data.error ?? state.failed }
      case 'user/message':
        if (state.open === null || compactionOf(event) !== state.open.compactionId) return state
        return { ...state, open: { ...state.open, replaced: true } }
      case 'session/end-seed':
        return state.open === null ? state : { ...state, open: null }
      case 'turn/start':
        return state.failed === null ? state : { ...state, failed: null }
      default:
        return state
    }
  },
}

/** The name under which compaction writes messages. */
export const COMPACT = 'compact'

/** The id of the compaction that put this message in the place of others; undefined for any other message. */
export function compactionOf({ data, surfaceOp }: SessionEvent<'user/message'>): string | undefined {
  const { source } = data
  if (source.kind !== 'plugin' || source.plugin !== COMPACT) return undefined
  if (surfaceOp === undefined || surfaceOp === 'append') return undefined
  return typeof source.compactionId === 'string' ? source.compactionId : undefined
}

/** Ends the open bracket: cleanly when its summary is in place, else with `error`. Does nothing when none is open. */
export function closeCompaction(session: Session, append: Session['append'], error: string): void {
  const { open } = session.state(compactions)
  if (open === null) return
  const { replaced, ...bracket } = open
  append('compaction/end', { ...bracket, ...(replaced ? {} : { error }) })
}
