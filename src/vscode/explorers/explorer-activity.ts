import type { SessionEvent } from '../../session/events.ts'
import type { Projection } from '../../session/projections.ts'
import type { Session } from '../../session/session.ts'
import { toolTitle } from '../transcript/tool-title.ts'

interface Activity {
  readonly text: string | undefined
  /** Tool calls that were begun. */
  readonly calls: number
}

const activity: Projection<Activity> = {
  key: 'explorerActivity',
  version: 1,
  initial: { text: undefined, calls: 0 },
  types: ['step/start', 'tool/call', 'turn/end'],
  apply(state: Activity, event: SessionEvent): Activity {
    switch (event.type) {
      case 'step/start':
        return { ...state, text: 'Thinking' }
      case 'tool/call':
        return { text: toolTitle(event.data.name, event.data.arguments), calls: state.calls + 1 }
      case 'turn/end':
        return { ...state, text: undefined }
      default:
        return state
    }
  },
}

/** What an explorer does now, in a few words, with the number of its tool calls; undefined while it does nothing. */
export function explorerActivity(session: Session): string | undefined {
  const { text, calls } = session.state(activity)
  if (text === undefined || calls === 0) return text
  return `${text} · ${calls} ${calls === 1 ? 'call' : 'calls'}`
}
