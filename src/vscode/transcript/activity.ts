import { compactions } from '../../agent/compaction/bracket.ts'
import type { EventData, SessionEvent } from '../../session/events.ts'
import type { Projection } from '../../session/projections.ts'
import type { Session } from '../../session/session.ts'

type Retry = EventData<'llm/retry'>

/** The retry that waits for its delay, else null. */
const retryWaiting: Projection<{ readonly retry: Retry | null }> = {
  key: 'retryWaiting',
  version: 1,
  initial: { retry: null },
  types: ['llm/retry', 'llm/retry-started', 'step/end', 'turn/end'],
  apply(state, event: SessionEvent) {
    switch (event.type) {
      case 'llm/retry':
        return { retry: event.data }
      case 'llm/retry-started':
      case 'step/end':
      case 'turn/end':
        return state.retry === null ? state : { retry: null }
      default:
        return state
    }
  },
}

/** One sentence while the conversation is summarised or a request waits to be repeated, else null. */
export function activity(session: Session): string | null {
  if (session.state(compactions).open !== null) return 'Summarising the conversation…'
  const { retry } = session.state(retryWaiting)
  if (retry === null) return null
  return `${trouble(retry.failure.code)}; trying again in ${Math.ceil(retry.delayMs / 1000)} s.`
}

function trouble(code: string): string {
  if (code === 'RATE_LIMIT') return 'The endpoint is busy'
  return code === 'UNREACHABLE' ? 'The endpoint cannot be reached' : 'The endpoint had a failure'
}
