import { z } from 'zod'
import { type EventData, eventSchemas, type SessionEvent } from '../session/events.ts'
import type { Projection } from '../session/projections.ts'

/** `wanted` and `running` fold the ancestor's own command records (session-log format, section 11); `selected` is ours. */
export interface PlanState {
  readonly active: boolean
  readonly wanted: boolean | null
  readonly running: { readonly commandId: string; readonly wanted: boolean } | null
  readonly selected: EventData<'plan/selected'> | null
}

/** The one answer every surface draws: the committed mode, and whether it changes at the next step. */
export interface PlanView {
  readonly active: boolean
  readonly pending: boolean
}

export const planProjection: Projection<PlanState> = {
  key: 'plan',
  version: 4,
  owner: 'Plan mode (installPlanMode)',
  initial: { active: false, wanted: null, running: null, selected: null },
  stored: z.strictObject({
    active: z.boolean(),
    wanted: z.boolean().nullable(),
    running: z.strictObject({ commandId: z.string(), wanted: z.boolean() }).nullable(),
    selected: eventSchemas['plan/selected'].nullable(),
  }),
  types: ['plan/mode', 'plan/selected', 'command/run', 'command/done'],
  apply(state: PlanState, event: SessionEvent): PlanState {
    switch (event.type) {
      case 'plan/mode':
        return { ...state, active: event.data.active, wanted: null, selected: null }
      case 'plan/selected': {
        const selected = event.data.active === state.active ? null : event.data
        return { ...state, wanted: null, running: null, selected }
      }
      case 'command/run':
        return run(state, event.data)
      case 'command/done':
        return done(state, event.data)
      default:
        return state
    }
  },
}

/** The waiting selection: what the next step boundary commits. A command that still runs has selected nothing yet. */
export function waitingSelection(state: PlanState): boolean | undefined {
  const target = state.selected?.active ?? state.wanted
  return target === null || target === state.active ? undefined : target
}

export function planView(state: PlanState): PlanView {
  const target = state.selected?.active ?? state.running?.wanted ?? state.wanted
  return { active: state.active, pending: target !== null && target !== undefined && target !== state.active }
}

/** The last logged mode among the events before `end` (a seq), false when there is none. */
export function foldPlanMode(events: Iterable<SessionEvent>, end = Number.POSITIVE_INFINITY): boolean {
  let active = false
  for (const event of events) {
    if (event.seq >= end) break
    if (event.type === 'plan/mode') active = event.data.active
  }
  return active
}

function run(state: PlanState, data: EventData<'command/run'>): PlanState {
  if (data.name !== 'plan' || data.args === undefined) return state
  return { ...state, running: { commandId: data.commandId, wanted: data.args.trim() !== 'off' } }
}

function done(state: PlanState, data: EventData<'command/done'>): PlanState {
  if (state.running === null || data.commandId !== state.running.commandId) return state
  if (data.kind === 'error') return { ...state, running: null, wanted: null }
  const { wanted } = state.running
  // A command that found its selection waiting already leaves it where a later, rejected command cannot reach it.
  const selected = state.selected?.active === wanted ? state.selected : null
  return { ...state, running: null, wanted: wanted === state.active ? null : wanted, selected }
}
