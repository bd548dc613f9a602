import { z } from 'zod'
import type { SessionEvent } from '../session/events.ts'
import type { Projection } from '../session/projections.ts'
import { EXIT_PLAN_MODE, PLUGIN } from './words.ts'

/** What the model was last told of the mode; `told` is null until a request header exists. */
export interface PlanTold {
  readonly told: boolean | null
  readonly active: boolean
  /** Calls of the exit tool in the open turn whose results are still to come. */
  readonly exitCalls: readonly string[]
}

/**
 * A fold: the mode at the last `request/header`, replaced by inactive at a successful approval result of the exit
 * tool, replaced by the target of our own notice. A notice follows its commit, so its target is the mode in force.
 */
export const planTold: Projection<PlanTold> = {
  key: 'planTold',
  version: 1,
  initial: { told: null, active: false, exitCalls: [] },
  stored: z.strictObject({ told: z.boolean().nullable(), active: z.boolean(), exitCalls: z.array(z.string()) }),
  types: ['plan/mode', 'request/header', 'tool/call', 'tool/result', 'turn/end', 'user/message'],
  apply(state: PlanTold, event: SessionEvent): PlanTold {
    switch (event.type) {
      case 'plan/mode':
        return { ...state, active: event.data.active }
      case 'request/header':
        return { ...state, told: state.active }
      case 'tool/call':
        if (event.data.name !== EXIT_PLAN_MODE) return state
        return { ...state, exitCalls: [...state.exitCalls, event.data.callId] }
      case 'tool/result':
        return result(state, event)
      case 'turn/end':
        return state.exitCalls.length === 0 ? state : { ...state, exitCalls: [] }
      case 'user/message':
        return isNotice(event) ? { ...state, told: state.active } : state
      default:
        return state
    }
  },
}

function result(state: PlanTold, event: SessionEvent<'tool/result'>): PlanTold {
  const { source, content } = event.data.message
  if (!state.exitCalls.includes(source.callId) || event.surfaceOp !== 'append') return state
  const exitCalls = state.exitCalls.filter(callId => callId !== source.callId)
  const failed = content.some(block => block.type === 'tool-result' && block.isError === true)
  // The ancestor's success is always an approval; ours says so, since a dismissal succeeds as well.
  const approved = !failed && !isDismissal(event.data.meta)
  return { ...state, exitCalls, told: approved ? false : state.told }
}

function isDismissal(meta: unknown): boolean {
  return typeof meta === 'object' && meta !== null && 'approved' in meta && meta.approved === false
}

function isNotice(event: SessionEvent<'user/message'>): boolean {
  const { source } = event.data
  return source.kind === 'plugin' && source.plugin === PLUGIN && source.form === 'notice'
}
