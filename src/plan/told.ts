import { z } from 'zod'
import { keptTexts } from '../agent/compaction/checkpoint.ts'
import type { KeptText } from '../agent/runtime.ts'
import type { SessionEvent } from '../session/events.ts'
import type { Projection } from '../session/projections.ts'
import { EXIT_PLAN_MODE, MODE_TITLE, noticeOff, noticeOn, PLUGIN } from './words.ts'

/** What the model was last told of the mode; `told` is null until a request header exists. */
export interface PlanTold {
  readonly told: boolean | null
  readonly active: boolean
  /** The mode at the last `request/header`. */
  readonly header: boolean | null
  /** Seq of the message that told last: a notice, an approval, a summary that carries what was told; else null. */
  readonly toldAt: number | null
  /** Calls of the exit tool in the open turn whose results are still to come. */
  readonly exitCalls: readonly string[]
}

/**
 * A fold: the mode at the last `request/header`, replaced by inactive at a successful approval result of the exit
 * tool, replaced by the target of our own notice. A notice follows its commit, so its target is the mode in force.
 * Where a summary takes the message that told last, it carries what was told (`toldText`); one of another program that
 * does not leaves only the header.
 */
export const planTold: Projection<PlanTold> = {
  key: 'planTold',
  version: 2,
  owner: 'Plan mode (installPlanMode)',
  initial: { told: null, active: false, header: null, toldAt: null, exitCalls: [] },
  stored: z.strictObject({
    told: z.boolean().nullable(),
    active: z.boolean(),
    header: z.boolean().nullable(),
    toldAt: z.int().nullable(),
    exitCalls: z.array(z.string()),
  }),
  types: ['plan/mode', 'request/header', 'tool/call', 'tool/result', 'turn/end', 'user/message'],
  apply(state: PlanTold, event: SessionEvent): PlanTold {
    switch (event.type) {
      case 'plan/mode':
        return { ...state, active: event.data.active }
      case 'request/header':
        return { ...state, told: state.active, header: state.active }
      case 'tool/call':
        if (event.data.name !== EXIT_PLAN_MODE) return state
        return { ...state, exitCalls: [...state.exitCalls, event.data.callId] }
      case 'tool/result':
        return result(state, event)
      case 'turn/end':
        return state.exitCalls.length === 0 ? state : { ...state, exitCalls: [] }
      case 'user/message':
        if (isNotice(event)) return { ...state, told: state.active, toldAt: event.seq }
        return state.toldAt !== null && replaces(event, state.toldAt) ? summarised(state, event) : state
      default:
        return state
    }
  },
}

function result(state: PlanTold, event: SessionEvent<'tool/result'>): PlanTold {
  if (state.exitCalls.length === 0) return state
  const { source, content } = event.data.message
  if (!state.exitCalls.includes(source.callId) || event.surfaceOp !== 'append') return state
  const exitCalls = state.exitCalls.filter(callId => callId !== source.callId)
  const failed = content.some(block => block.type === 'tool-result' && block.isError === true)
  // The ancestor's success is always an approval; ours says so, since a dismissal succeeds as well.
  const approved = !failed && !isDismissal(event.data.meta)
  return approved ? { ...state, exitCalls, told: false, toldAt: event.seq } : { ...state, exitCalls }
}

function replaces({ surfaceOp, sourceEventSeqs = [] }: SessionEvent<'user/message'>, seq: number): boolean {
  return surfaceOp !== undefined && surfaceOp !== 'append' && sourceEventSeqs.includes(seq)
}

function summarised(state: PlanTold, { seq, data }: SessionEvent<'user/message'>): PlanTold {
  const text = keptTexts(data).find(({ title }) => title === MODE_TITLE)?.text
  if (text === noticeOn || text === noticeOff) return { ...state, told: text === noticeOn, toldAt: seq }
  return { ...state, told: state.header, toldAt: null }
}

/** What a summary has to say in the place of the message that told last; nothing while that message stays. */
export function toldText({ told, toldAt }: PlanTold, stays: (seq: number) => boolean): readonly KeptText[] {
  if (told === null || toldAt === null || stays(toldAt)) return []
  return [{ title: MODE_TITLE, text: told ? noticeOn : noticeOff }]
}

function isDismissal(meta: unknown): boolean {
  return typeof meta === 'object' && meta !== null && 'approved' in meta && meta.approved === false
}

function isNotice(event: SessionEvent<'user/message'>): boolean {
  const { source } = event.data
  return source.kind === 'plugin' && source.plugin === PLUGIN && source.form === 'notice'
}
