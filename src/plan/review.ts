import { z } from 'zod'
import { PlanModeError } from '../session/errors.ts'
import { type ReviewDecision, reviewDecision, type SessionEvent } from '../session/events.ts'
import type { Projection } from '../session/projections.ts'
import type { Session } from '../session/session.ts'
import { EXIT_PLAN_MODE } from './words.ts'

/**
 * A plan that went before a human. `callSeq` is the seq of the `tool/call` that holds its text, or of the
 * `tool/code-dispatch-start` when a program presented it; `callId` is that call's own id.
 */
export interface PresentedReview {
  readonly reviewId: string
  readonly callId: string
  readonly planHash: string
  readonly callSeq: number
  /** 1 for the first plan presented in the session. */
  readonly revision: number
}

export interface ReviewState {
  /** Presented and not decided; at most one. */
  readonly waiting: PresentedReview | null
  /** The latest decided one. */
  readonly decided: (PresentedReview & { readonly decision: ReviewDecision; readonly feedback: string | null }) | null
  readonly presented: number
  /** The latest call of the exit tool, by the model or by a program, if a plan can be read in it. */
  readonly lastCall: { readonly callId: string; readonly seq: number } | null
}

const presented = {
  reviewId: z.string(),
  callId: z.string(),
  planHash: z.string(),
  callSeq: z.int(),
  revision: z.int(),
}

export const reviewProjection: Projection<ReviewState> = {
  key: 'review',
  version: 3,
  owner: 'Plan mode (installPlanMode)',
  initial: { waiting: null, decided: null, presented: 0, lastCall: null },
  stored: z.strictObject({
    waiting: z.strictObject(presented).nullable(),
    decided: z.strictObject({ ...presented, decision: reviewDecision, feedback: z.string().nullable() }).nullable(),
    presented: z.int(),
    lastCall: z.strictObject({ callId: z.string(), seq: z.int() }).nullable(),
  }),
  types: ['tool/call', 'tool/code-dispatch-start', 'review/presented', 'review/decided'],
  apply(state: ReviewState, event: SessionEvent): ReviewState {
    switch (event.type) {
      case 'tool/call':
        return called(state, event, event.data.callId)
      case 'tool/code-dispatch-start':
        return called(state, event, event.data.subCallId)
      case 'review/presented': {
        const { reviewId, callId, planHash } = event.data
        if (state.lastCall?.callId !== callId) return state
        const revision = state.presented + 1
        return {
          ...state,
          presented: revision,
          waiting: { reviewId, callId, planHash, callSeq: state.lastCall.seq, revision },
        }
      }
      case 'review/decided': {
        if (state.waiting?.reviewId !== event.data.reviewId) return state
        const { decision, feedback = null } = event.data
        return { ...state, waiting: null, decided: { ...state.waiting, decision, feedback } }
      }
      default:
        return state
    }
  },
}

type ExitCall = SessionEvent<'tool/call' | 'tool/code-dispatch-start'>

function called(state: ReviewState, event: ExitCall, callId: string): ReviewState {
  if (event.data.name !== EXIT_PLAN_MODE) return state
  return { ...state, lastCall: planIn(event) === undefined ? null : { callId, seq: event.seq } }
}

/** The arguments of a program's call. */
const dispatchedArguments = z.looseObject({ plan: z.string() })

/** The raw arguments of the exit call: JSON text that the model wrote. */
const exitArguments = z
  .string()
  .transform((raw, context) => {
    try {
      return JSON.parse(raw) as unknown
    } catch {
      context.addIssue('not JSON')
      return z.NEVER
    }
  })
  .pipe(dispatchedArguments)

/** The exact text of a presented plan, from the logged call. @throws PlanModeError `PLAN_UNREADABLE` */
export function planText(session: Session, review: PresentedReview): string {
  const plan = planIn(session.at(review.callSeq))
  if (plan === undefined) {
    throw new PlanModeError('PLAN_UNREADABLE', `The text of plan review ${review.reviewId} is not in the log.`)
  }
  return plan
}

/** Whether this event ends the call that presented the plan: its own result, or that of the program that made it. */
export function endsCall(event: SessionEvent, session: Session, { callId, callSeq }: PresentedReview): boolean {
  if (event.type === 'tool/code-dispatch') return event.data.subCallId === callId
  if (event.type !== 'tool/result') return false
  const call = session.at(callSeq)
  const answered = call.type === 'tool/code-dispatch-start' ? call.data.rootCallId : callId
  return event.data.message.source.callId === answered
}

function planIn(event: SessionEvent): string | undefined {
  if (event.type === 'tool/code-dispatch-start') return dispatchedArguments.safeParse(event.data.arguments).data?.plan
  return event.type === 'tool/call' ? exitArguments.safeParse(event.data.arguments).data?.plan : undefined
}

/** The text of the first heading of any level, else "Plan". */
export function planTitle(plan: string): string {
  return /^ {0,3}#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*$/m.exec(plan)?.[1] ?? 'Plan'
}
