import { z } from 'zod'
import type { SessionEvent } from './events.ts'
import type { Projection } from './projections.ts'

/** Where the log stands between its brackets. `turn` and `step` count what was started so far. */
export interface TurnBoundary {
  /** Turns started over the life of the log. */
  readonly turn: number
  /** Steps started in the latest turn. */
  readonly step: number
  readonly turnOpen: boolean
  readonly stepOpen: boolean
}

/** The idle signal: a turn is open when its `turn/start` has no `turn/end` yet. */
export const turnBoundary: Projection<TurnBoundary> = {
  key: 'turnBoundary',
  version: 1,
  owner: 'The agent runtime (agentProjections)',
  initial: { turn: 0, step: 0, turnOpen: false, stepOpen: false },
  stored: z.strictObject({ turn: z.int(), step: z.int(), turnOpen: z.boolean(), stepOpen: z.boolean() }),
  types: ['turn/start', 'turn/end', 'step/start', 'step/end'],
  apply(state: TurnBoundary, event: SessionEvent): TurnBoundary {
    switch (event.type) {
      case 'turn/start':
        return { turn: event.data.turn, step: 0, turnOpen: true, stepOpen: false }
      case 'turn/end':
        return { turn: state.turn, step: state.step, turnOpen: false, stepOpen: false }
      case 'step/start':
        return { turn: state.turn, step: event.data.step, turnOpen: state.turnOpen, stepOpen: true }
      case 'step/end':
        return { turn: state.turn, step: state.step, turnOpen: state.turnOpen, stepOpen: false }
      default:
        return state
    }
  },
}
