import { z } from 'zod'
import { type EventData, eventSchemas, type SessionEvent } from '../session/events.ts'
import type { Projection } from '../session/projections.ts'

type Selected = EventData<'plan/selected'>

/**
 * `wanted` and `running` fold the ancestor's own command records (session-log format, section 11); `selected` is ours.
 * `undo` is there once the running command selected something: what waited before, which a rejected command leaves.
 */
export interface PlanState {
  readonly active: boolean
  readonly wanted: boolean | null
  readonly running: { readonly commandId: string; readonly wanted: boolean; readonly undo?: Selected | null } | null
  readonly selected: Selected | null
}

/** The one answer every surface draws: the committed mode, and whether it changes at the next step. */
export interface PlanView {
  readonly active: boolean
  readonly pending: boolean
}

export const planProjection: Projection<PlanState> = {
  key: 'plan',
  version: 5,
  owner: 'Plan mode (installPlanMode)',
  initial: { active: false, wanted: null, running: null, selected: null },
  stored: z.strictObject({
    active: z.boolean(),
    wanted: z.boolean().nullable(),
    running: z
      .strictObject({
        commandId: z.string(),
        wanted: z.boolean(),
        undo: eventSchemas['plan/selected'].nullable().exactOptional(),
      })
      .nullable(),
    selected: eventSchemas['plan/selected'].nullable(),
  }),
  types: ['plan/mode', 'plan/selected', 'command/run', 'command/done'],
  apply(state: PlanState, event: SessionEvent): PlanState {
    switch (event.type) {
      case 'plan/mode':
        return commit(state, event.data.active)
      case 'plan/selected':
        return select(state, event.data)
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

/** A commit ends a command that made the selection: what it did can no longer be taken back. */
function commit(state: PlanState, active: boolean): PlanState {
  const running = state.running?.undo === undefined ? state.running : null
  return { ...state, active, wanted: null, running, selected: null }
}

/** What a running command asked for is its own selection; anything else is a later word of somebody. */
function select(state: PlanState, data: Selected): PlanState {
  const { active, running } = state
  const selected = unlessActive(data, active)
  if (running === null || data.active !== running.wanted || data.by !== 'user') {
    return { ...state, wanted: null, running: null, selected }
  }
  const before = state.selected ?? (state.wanted === null ? null : { active: state.wanted, by: 'user' as const })
  return {
    ...state,
    wanted: null,
    selected,
    running: { ...running, undo: running.undo === undefined ? before : running.undo },
  }
}

function unlessActive(data: Selected | null, active: boolean): Selected | null {
  return data === null || data.active === active ? null : data
}

function run(state: PlanState, data: EventData<'command/run'>): PlanState {
  if (data.name !== 'plan' || data.args === undefined) return state
  return { ...state, running: { commandId: data.commandId, wanted: data.args.trim() !== 'off' } }
}

function done(state: PlanState, data: EventData<'command/done'>): PlanState {
  const { running, active } = state
  if (running === null || data.commandId !== running.commandId) return state
  const settled = { ...state, running: null, wanted: null }
  if (running.undo !== undefined) {
    return data.kind === 'error' ? { ...settled, selected: unlessActive(running.undo, active) } : settled
  }
  if (data.kind === 'error') return settled
  const { wanted } = running
  // A command that found its selection waiting already leaves it where a later, rejected command cannot reach it.
  const selected = state.selected?.active === wanted ? state.selected : null
  return { ...settled, wanted: wanted === active ? null : wanted, selected }
}
