/** What plan mode remembers of a conversation. A plan is named by its number. */
export interface Memory {
  /** The logged mode. */
  readonly active: boolean
  /** A selection that the next step boundary commits. */
  readonly waiting: boolean | null
  /** What the model was last told of the mode, null before its first request; and the last words it has of that. */
  readonly told: boolean | null
  readonly lastWord: boolean | null
  /** Notices that no request has brought yet, by the mode they tell. */
  readonly unread: readonly boolean[]
  /** The plan that waits for its review, and the approved one whose exact text the model keeps. */
  readonly review: number | null
  readonly approved: number | null
}

export const nothing: Memory = {
  ...{ active: false, waiting: null, told: null, lastWord: null },
  ...{ unread: [], review: null, approved: null },
}

/** In a turn a selection waits for the next step boundary, between turns it commits; a wish that holds changes nothing. */
export function outcomeOf({ active, waiting }: Memory, wish: boolean, inTurn: boolean) {
  if (wish === (waiting ?? active)) return 'noop'
  if (waiting !== null) return 'cancelled'
  return inTurn ? 'queued' : 'committed'
}

/** Leaving takes back a review that waits, whatever else it changes. */
export function select(memory: Memory, wish: boolean, outcome: ReturnType<typeof outcomeOf>): Memory {
  const stays = wish ? memory : { ...memory, review: null }
  if (outcome === 'noop') return stays
  if (outcome === 'cancelled') return { ...stays, waiting: null }
  return outcome === 'queued' ? { ...stays, waiting: wish } : commit({ ...stays, waiting: wish })
}

/** The step boundary commits what waits. Entering anew lets go of the approved plan, being out of the waiting review. */
export function commit({ active: before, waiting, review, approved, ...rest }: Memory): Memory {
  const active = waiting ?? before
  const entered = active && !before
  return { ...rest, active, waiting: null, review: active ? review : null, approved: entered ? null : approved }
}

/** A step that is admitted tells the model the mode, in one notice if it was last told another; never before the first request. */
export function tell(memory: Memory): Memory {
  const { active, told, unread } = memory
  if (told === null || told === active) return { ...memory, told: active }
  return { ...memory, told: active, lastWord: active, unread: [...unread, active] }
}

/** What one request brings: guidance and exit tool together, what is new of notices, the last word, every kept plan. */
export function request({ active, unread, lastWord, review, approved }: Memory) {
  return { guidance: active, exit: active, notices: unread, lastWord, plans: [review, approved].flatMap(n => n ?? []) }
}

/** Only an approval ends plan mode: from the next boundary on, and until then nothing but its own result tells so. */
export function decide(memory: Memory, decision: 'approved' | 'kept' | 'dismissed'): Memory {
  const { review } = memory
  return { ...memory, review: null, ...(decision === 'approved' ? { waiting: false, approved: review } : {}) }
}

export function resultRead(memory: Memory, decision: 'approved' | 'kept' | 'dismissed'): Memory {
  return decision === 'approved' ? { ...memory, told: false, lastWord: false } : memory
}
